// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A store of one credential that replaces it atomically: after a failed `save` the earlier credential is still there.
///
/// A synchronous conformer satisfies the protocol too.
public protocol TokenStore<Value>: Sendable {
    /// The type of the credential.
    associatedtype Value: Sendable

    /// Replaces the stored credential.
    ///
    /// - Throws: `AuthError` with a `store…` code; the stored credential is then unchanged.
    func save(_ tokens: Value) async throws

    /// Returns the stored credential; nil only when none was saved or it was cleared.
    ///
    /// - Throws: `AuthError` with a `store…` code when the store cannot be read. That is not "no account".
    func load() async throws -> Value?

    /// Removes the stored credential; a missing one is not an error.
    func clear() async throws
}

/// A token store that keeps whole records, so that several processes can share an account and survive a crash.
///
/// A session over a store that keeps credentials only works too; but a refresh that a crash interrupted cannot be
/// repeated under its key, and a credential that another process stored counts as a refresh.
package protocol TokenRecordStore<Value>: TokenStore {
    /// Replaces the whole record.
    func save(record: TokenRecord<Value>) async throws

    /// Returns the whole record; nil only when none was saved or it was cleared.
    func loadRecord() async throws -> TokenRecord<Value>?

    /// The coordination of the sessions over this store; nil if there is only one of them.
    var coordination: (any SessionCoordination)? { get }

    /// Whether every writer of the record renews the stamp of the coordination, so that a record need not be read again.
    var isStamped: Bool { get }

    /// Whether reading may change the store, such as by a migration, so that it needs the lock.
    var readingChanges: Bool { get }

    /// Removes the record, for a session that is inside of the store's section.
    func clearRecord() async throws

    /// Keeps a record that cannot be decoded under another name, before it is replaced.
    func setAsideDamaged() async throws

    /// Returns the credentials that the user has left and the issuer has not revoked yet.
    func loadRevocations() async throws -> [PendingRevocation<Value>]

    /// Replaces these credentials; an empty list removes them.
    func save(revocations: [PendingRevocation<Value>]) async throws
}

extension TokenRecordStore {
    /// False: the record is read again before each change.
    package var isStamped: Bool { false }

    /// False: most stores only read.
    package var readingChanges: Bool { false }

    /// Removes the credential.
    package func clearRecord() async throws { try await clear() }

    /// Does nothing: most stores contain nothing else.
    package func setAsideDamaged() async throws {}

    /// Nothing: most stores keep one credential.
    package func loadRevocations() async throws -> [PendingRevocation<Value>] { [] }

    /// Throws: most stores keep one credential.
    package func save(revocations: [PendingRevocation<Value>]) async throws {
        throw AuthError.store(.storeUnavailable, "it keeps one credential")
    }
}

/// A token store that ends with the process, for tests and previews.
public final class InMemoryTokenStore<Value: Sendable>: TokenRecordStore {
    private let stored: Mutex<TokenRecord<Value>?>

    /// Creates a store that holds `value`.
    public init(_ value: Value? = nil) { stored = Mutex(value.map { TokenRecord(credential: $0) }) }

    /// Replaces the stored credential.
    public func save(_ tokens: Value) { save(record: TokenRecord(credential: tokens)) }

    /// Returns the stored credential.
    public func load() -> Value? { loadRecord()?.credential }

    /// Replaces the whole record.
    package func save(record: TokenRecord<Value>) { stored.withLock { $0 = record } }

    /// Returns the whole record.
    package func loadRecord() -> TokenRecord<Value>? { stored.withLock { $0 } }

    /// Nil: other processes do not share the memory.
    package var coordination: (any SessionCoordination)? { nil }

    /// Removes the stored credential.
    public func clear() { stored.withLock { $0 = nil } }
}
