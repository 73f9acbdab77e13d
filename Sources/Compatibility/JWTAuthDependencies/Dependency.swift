// SPDX-License-Identifier: Apache-2.0

public import JWTAuth

/// Reads a dependency.
///
/// ```swift
/// @Dependency(\.jwtAuthClient) var authClient
/// ```
///
/// The values in effect at the time of reading apply. Outside of `withDependencies`, the values in effect at its
/// creation apply. So an object that a test has created keeps the test's dependencies.
@propertyWrapper
public struct Dependency<Value>: Sendable {
    private let read: @Sendable (AuthDependencies) -> Value
    private let values = AuthDependencies.scoped

    /// Reads a dependency by its property.
    public init(_ path: any KeyPath<AuthDependencies, Value> & Sendable) { read = { $0[keyPath: path] } }

    /// Reads a dependency by its key.
    public init<Key: AuthDependencyKey<Value>>(_ key: Key.Type) { read = { $0[key] } }

    /// The dependency.
    public var wrappedValue: Value { read(AuthDependencies.inForce(or: values)) }
}
