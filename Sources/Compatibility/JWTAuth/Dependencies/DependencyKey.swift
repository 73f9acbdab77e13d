// SPDX-License-Identifier: Apache-2.0

/// Names a dependency, and says what it is in tests and previews.
public protocol TestDependencyKey<Value>: Sendable {
    /// The type of the dependency; usually the key itself.
    associatedtype Value: Sendable = Self
    /// What tests get that have set nothing; made once for each of them.
    static var testValue: Value { get }
    /// What previews get.
    static var previewValue: Value { get }
}

/// Names a dependency, and says what it is in a running program.
///
/// A program gives `JWTAuthClient` its live value by conforming it:
///
/// ```swift
/// extension JWTAuthClient: @retroactive DependencyKey {
///     public static let liveValue = JWTAuthClient(baseURL: { "https://api.example.com" }, refresh: { … })
/// }
/// ```
public protocol DependencyKey<Value>: TestDependencyKey {
    /// What a running program gets.
    static var liveValue: Value { get }
}

extension TestDependencyKey {
    /// What tests get.
    public static var previewValue: Value { testValue }
}

extension DependencyKey {
    /// What a running program gets.
    public static var testValue: Value { liveValue }
    /// What a running program gets.
    public static var previewValue: Value { liveValue }
}

/// Which of a dependency's values counts where nothing was set.
public enum DependencyContext: Sendable, Hashable {
    /// A running program.
    case live
    /// A preview.
    case preview
    /// A test.
    case test
}

/// A dependency was used that nobody has given.
public struct MissingDependency: Error, Sendable, Equatable, CustomStringConvertible {
    /// Which one, such as `jwtAuthClient.refresh`.
    public let name: String

    /// One by its name.
    public init(name: String) { self.name = name }

    /// Which one, and what to do.
    public var description: String {
        "\(name) has no value here.\nhint: Set it in withDependencies, or conform its type to DependencyKey."
    }
}
