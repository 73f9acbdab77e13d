// SPDX-License-Identifier: Apache-2.0

// The original's code imports Dependencies and Sharing beside JWTAuth; this module takes their place.
@_exported public import JWTAuth

/// The dependencies in force: those of the program, or those that a task has set instead.
///
/// The values of `withDependencies` apply to its operation and to the tasks that it starts, and to no others: tests that
/// run side by side share nothing.
public typealias DependencyValues = AuthDependencies

/// A kind of program, which selects a dependency's default value.
public typealias DependencyContext = AuthContext

/// A key of a dependency with its values in tests and previews.
public typealias TestDependencyKey = AuthDependencyKey

/// A key of a dependency with its value in a running program.
///
/// A program gives `JWTAuthClient` its live value by conforming it:
///
/// ```swift
/// extension JWTAuthClient: @retroactive DependencyKey {
///     public static let liveValue = JWTAuthClient(baseURL: { "https://api.example.com" }, refresh: { _ in … })
/// }
/// ```
public typealias DependencyKey = LiveAuthDependencyKey
