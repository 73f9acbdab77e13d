// SPDX-License-Identifier: Apache-2.0

/// Reads a dependency.
///
/// ```swift
/// @Dependency(\.jwtAuthClient) var authClient
/// ```
///
/// What is in force where it is read counts; outside of `withDependencies`, what was in force where it was made. So an
/// object that a test has made keeps the test's dependencies.
@propertyWrapper
public struct Dependency<Value>: Sendable {
    private let read: @Sendable (DependencyValues) -> Value
    private let values = DependencyValues.scoped

    /// A dependency by its name.
    public init(_ path: any KeyPath<DependencyValues, Value> & Sendable) { read = { $0[keyPath: path] } }

    /// A dependency by its key.
    public init<Key: TestDependencyKey<Value>>(_ key: Key.Type) { read = { $0[key] } }

    /// The dependency.
    public var wrappedValue: Value { read(DependencyValues.inForce(or: values)) }
}

extension DependencyValues {
    /// What is in force here; outside of `withDependencies`, `values`, and without those what counts for the program.
    static func inForce(or values: DependencyValues?) -> DependencyValues { scoped ?? values ?? current }
}
