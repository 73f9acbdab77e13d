// SPDX-License-Identifier: Apache-2.0

public import JWTAuth

/// The name of a value that the whole program shares.
public struct SharedKey<Value: Sendable>: Sendable {
    fileprivate let read: @Sendable (AuthDependencies) -> Value
    fileprivate let changes: @Sendable (AuthDependencies) -> AsyncStream<Value>
}

extension SharedKey where Value == AuthSession? {
    /// The session; nil until its store has been read.
    public static var authSession: SharedKey {
        SharedKey(read: \.authSession, changes: \.authSessions)
    }
}

/// Reads a value that the whole program shares, and observes it.
///
/// ```swift
/// @Shared(.authSession) var session
///
/// for await session in $session.changes { … }
/// ```
///
/// Reading is observable: a view, or `withObservationTracking`, is notified of the next change. The value belongs to
/// the dependencies in effect, so tests that run in parallel see different values. It changes when a user signs in or
/// out with `AuthTokensClient`, and when tokens expire.
@propertyWrapper
public struct Shared<Value: Sendable>: Sendable {
    private let key: SharedKey<Value>
    private let values = AuthDependencies.scoped

    /// Reads a shared value by its name.
    public init(_ key: SharedKey<Value>) { self.key = key }

    /// The current value.
    public var wrappedValue: Value { key.read(.inForce(or: values)) }

    /// The wrapper, for `changes`.
    public var projectedValue: Shared<Value> { self }

    /// The current value, and then each change once and in order.
    public var changes: AsyncStream<Value> { key.changes(.inForce(or: values)) }
}
