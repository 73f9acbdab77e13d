// SPDX-License-Identifier: Apache-2.0

public import JWTAuth

/// Runs an operation with other dependencies.
///
/// ```swift
/// try withDependencies {
///     $0.context = .test
///     $0.jwtAuthClient.refresh = { _ in fresh }
/// } operation: { … }
/// ```
@discardableResult
public func withDependencies<Result>(
    _ update: (inout AuthDependencies) throws -> Void, operation: () throws -> Result
) rethrows -> Result {
    var values = AuthDependencies.current
    try update(&values)
    return try AuthDependencies.$scoped.withValue(values, operation: operation)
}

/// Runs an operation with other dependencies.
@discardableResult
public nonisolated(nonsending) func withDependencies<Result>(
    _ update: (inout AuthDependencies) throws -> Void,
    operation: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
    var values = AuthDependencies.current
    try update(&values)
    return try await AuthDependencies.$scoped.withValue(values, operation: operation)
}

/// Sets the dependencies of the whole program, before they are first used.
public func prepareDependencies(_ update: (inout AuthDependencies) throws -> Void) rethrows {
    try AuthDependencies.prepare(update)
}
