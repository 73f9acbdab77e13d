// SPDX-License-Identifier: Apache-2.0

// Code for the original library imports Dependencies and Sharing together with JWTAuth; this module replaces them.
@_exported public import JWTAuth

/// The dependencies in effect: those of the program, or those that a task has set instead.
///
/// The values of `withDependencies` apply only to its operation and to the tasks that it starts. So tests that run in
/// parallel share nothing.
public typealias DependencyValues = AuthDependencies

/// A kind of program, which selects a dependency's default value.
public typealias DependencyContext = AuthContext

/// A key of a dependency with its values in tests and previews.
public typealias TestDependencyKey = AuthDependencyKey

/// A key of a dependency with its value in a running program.
///
/// A program sets the live value of `JWTAuthClient` with this conformance:
///
/// ```swift
/// extension JWTAuthClient: @retroactive DependencyKey {
///     public static let liveValue = JWTAuthClient(baseURL: { "https://api.example.com" }, refresh: { _ in … })
/// }
/// ```
public typealias DependencyKey = LiveAuthDependencyKey
