// SPDX-License-Identifier: Apache-2.0

import LatchCore

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

    /// Replaces the whole record.
    ///
    /// A store that keeps credentials only does so too, and forgets the rest: then a crash in the middle of a renewal
    /// cannot be repaired, and a change by another process is taken for a renewal.
    func save(record: TokenRecord<Value>) async throws

    /// The whole record; nil only when nothing was ever saved or it was cleared.
    func loadRecord() async throws -> TokenRecord<Value>?

    /// Whether `loadRecord` gives all that `save(record:)` was given.
    var keepsRecords: Bool { get }

    /// How the sessions over this store take turns; nil where there is only one of them.
    var coordination: (any SessionCoordination)? { get }
}

extension TokenStore {
    /// Keeps the credential alone.
    public func save(record: TokenRecord<Value>) async throws {
        if let credential = record.credential { try await save(credential) } else { try await clear() }
    }

    /// The credential alone.
    public func loadRecord() async throws -> TokenRecord<Value>? {
        try await load().map { TokenRecord(credential: $0) }
    }

    /// Credentials only.
    public var keepsRecords: Bool { false }

    /// One session only.
    public var coordination: (any SessionCoordination)? { nil }
}

/// A token store that ends with the process, for tests and previews.
public final class InMemoryTokenStore<Value: Sendable>: TokenStore {
    private let kept: Lock<TokenRecord<Value>?>

    /// A store that holds `value`.
    public init(_ value: Value? = nil) { kept = Lock(value.map { TokenRecord(credential: $0) }) }

    /// Replaces what is kept.
    public func save(_ tokens: Value) { save(record: TokenRecord(credential: tokens)) }

    /// What is kept.
    public func load() -> Value? { loadRecord()?.credential }

    /// Replaces the whole record.
    public func save(record: TokenRecord<Value>) { kept.withLock { $0 = record } }

    /// The whole record.
    public func loadRecord() -> TokenRecord<Value>? { kept.withLock { $0 } }

    /// Whole records.
    public var keepsRecords: Bool { true }

    /// Forgets what is kept.
    public func clear() { kept.withLock { $0 = nil } }
}
