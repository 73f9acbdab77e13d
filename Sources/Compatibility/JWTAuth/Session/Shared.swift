// SPDX-License-Identifier: Apache-2.0

/// Names a value that the whole program shares.
public struct SharedKey<Value: Sendable>: Sendable {
    let read: @Sendable (DependencyValues) -> Value
    let changes: @Sendable (DependencyValues) -> AsyncStream<Value>
}

extension SharedKey where Value == AuthSession? {
    /// The session; nil until its store has been read.
    public static var authSession: SharedKey {
        SharedKey(read: { $0.account.observed.value }, changes: { $0.account.observed.changes })
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
/// Reading takes part in Observation: a view, or `withObservationTracking`, is told of the next change. The value belongs
/// to the dependencies that are in force, so tests that run side by side each see their own. It is changed by signing in
/// and out, with `AuthTokensClient`, and by time.
@propertyWrapper
public struct Shared<Value: Sendable>: Sendable {
    private let key: SharedKey<Value>
    private let values = DependencyValues.scoped

    /// A shared value by its name.
    public init(_ key: SharedKey<Value>) { self.key = key }

    /// The value at this moment.
    public var wrappedValue: Value { key.read(.inForce(or: values)) }

    /// The wrapper, for `changes`.
    public var projectedValue: Shared<Value> { self }

    /// The value from now on: first the present one, then each change once and in order.
    public var changes: AsyncStream<Value> { key.changes(.inForce(or: values)) }
}
