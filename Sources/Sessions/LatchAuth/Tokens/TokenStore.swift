// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A store of one credential that replaces it atomically: after a failed `save` it still holds the earlier credential.
///
/// A type with synchronous methods also satisfies the protocol.
public protocol TokenStore<Value>: Sendable {
    /// The type of the credential.
    associatedtype Value: Sendable

    /// Replaces the stored credential.
    ///
    /// - Throws: `AuthError` with a `store…` code; the stored credential is then unchanged.
    func save(_ tokens: Value) async throws

    /// Returns the stored credential; nil only if none was saved or it was cleared.
    ///
    /// - Throws: `AuthError` with a `store…` code if the store cannot be read. This does not mean that the account is
    ///   missing.
    func load() async throws -> Value?

    /// Removes the stored credential; a missing one is not an error.
    func clear() async throws
}

/// A token store that keeps whole records, so that several processes can share an account and recover from a crash.
///
/// A session also works over a store that keeps only credentials. Then it cannot repeat an interrupted refresh under
/// its key after a crash, and a credential from another process counts as a refresh.
package protocol TokenRecordStore<Value>: TokenStore {
    /// Replaces the whole record.
    func save(record: TokenRecord<Value>) async throws

    /// Returns the whole record; nil only if none was saved or it was cleared.
    func loadRecord() async throws -> TokenRecord<Value>?

    /// The coordination of the sessions over this store; nil if there is only one.
    var coordination: (any SessionCoordination)? { get }

    /// Whether every writer of the record renews the coordination's stamp, so that an unchanged record need not be read
    /// again.
    var isStamped: Bool { get }

    /// Whether reading may change the store, for example by a migration, and therefore needs the lock.
    var readingChanges: Bool { get }

    /// Removes the record, for a session that already holds the store's lock.
    func clearRecord() async throws

    /// Keeps a record that cannot be decoded under another name before it is replaced.
    func setAsideDamaged() async throws

    /// Returns the credentials of signed-out sessions that the issuer has not revoked yet.
    func loadRevocations() async throws -> [PendingRevocation<Value>]

    /// Replaces these credentials; an empty list removes them.
    func save(revocations: [PendingRevocation<Value>]) async throws
}

extension TokenRecordStore {
    /// False by default: the record is read again before each change.
    package var isStamped: Bool { false }

    /// False by default: most stores only read.
    package var readingChanges: Bool { false }

    /// Removes the credential.
    package func clearRecord() async throws { try await clear() }

    /// Does nothing: most stores contain nothing else.
    package func setAsideDamaged() async throws {}

    /// Returns nothing: most stores keep one credential.
    package func loadRevocations() async throws -> [PendingRevocation<Value>] { [] }

    /// Throws, because most stores keep one credential.
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
