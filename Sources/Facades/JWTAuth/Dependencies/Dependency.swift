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
    private let path: any KeyPath<DependencyValues, Value> & Sendable
    private let values = DependencyValues.scoped

    /// A dependency by its name.
    public init(_ path: any KeyPath<DependencyValues, Value> & Sendable) { self.path = path }

    /// The dependency.
    public var wrappedValue: Value { DependencyValues.inForce(or: values)[keyPath: path] }
}

extension DependencyValues {
    /// What is in force here; outside of `withDependencies`, `values`, and without those what counts for the program.
    static func inForce(or values: DependencyValues?) -> DependencyValues { scoped ?? values ?? current }
}
