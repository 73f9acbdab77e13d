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
}

/// A token store that ends with the process, for tests and previews.
public final class InMemoryTokenStore<Value: Sendable>: TokenStore {
    private let kept: Lock<Value?>

    /// A store that holds `value`.
    public init(_ value: Value? = nil) { kept = Lock(value) }

    /// Replaces what is kept.
    public func save(_ tokens: Value) { kept.withLock { $0 = tokens } }

    /// What is kept.
    public func load() -> Value? { kept.withLock { $0 } }

    /// Forgets what is kept.
    public func clear() { kept.withLock { $0 = nil } }
}
