// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Keeps one credential, atomically: after a failed `save` the earlier credential is still there.
///
/// A synchronous conformer satisfies the protocol too.
public protocol TokenStore<Value>: Sendable {
    /// The credential.
    associatedtype Value: Sendable

    /// Replaces what is kept.
    ///
    /// - Throws: `AuthError` with a `store…` code; what was kept before is then unchanged.
    func save(_ tokens: Value) async throws

    /// What is kept; nil only when nothing was ever saved or it was cleared.
    ///
    /// - Throws: `AuthError` with a `store…` code when what is kept cannot be read. That is not "no account".
    func load() async throws -> Value?

    /// Forgets what is kept; forgetting nothing is no error.
    func clear() async throws
}

/// A token store that keeps whole records, so that several processes can share an account and survive a crash.
///
/// A session over a store that keeps credentials only works too; but a renewal that a crash interrupted cannot be
/// repeated under its key, and what another process stored is taken for a renewal.
public protocol TokenRecordStore<Value>: TokenStore {
    /// Replaces the whole record.
    func save(record: TokenRecord<Value>) async throws

    /// The whole record; nil only when nothing was ever saved or it was cleared.
    func loadRecord() async throws -> TokenRecord<Value>?

    /// How the sessions over this store take turns; nil where there is only one of them.
    var coordination: (any SessionCoordination)? { get }
}

/// A token store that ends with the process, for tests and previews.
public final class InMemoryTokenStore<Value: Sendable>: TokenRecordStore {
    private let kept: Mutex<TokenRecord<Value>?>

    /// A store that holds `value`.
    public init(_ value: Value? = nil) { kept = Mutex(value.map { TokenRecord(credential: $0) }) }

    /// Replaces what is kept.
    public func save(_ tokens: Value) { save(record: TokenRecord(credential: tokens)) }

    /// What is kept.
    public func load() -> Value? { loadRecord()?.credential }

    /// Replaces the whole record.
    public func save(record: TokenRecord<Value>) { kept.withLock { $0 = record } }

    /// The whole record.
    public func loadRecord() -> TokenRecord<Value>? { kept.withLock { $0 } }

    /// None: what ends with the process is not shared.
    public var coordination: (any SessionCoordination)? { nil }

    /// Forgets what is kept.
    public func clear() { kept.withLock { $0 = nil } }
}
