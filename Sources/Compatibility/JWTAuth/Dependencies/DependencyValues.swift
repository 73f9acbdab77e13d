// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import Synchronization

/// The dependencies in force: those of the program, or those that a task has set instead.
///
/// The values of `withDependencies` apply to its operation and to the tasks that it starts, and to no others: tests that
/// run side by side share nothing.
public struct DependencyValues: Sendable {
    private var overrides: [ObjectIdentifier: any Sendable] = [:]
    /// The default values of the keys, created once for all copies of these values.
    private var defaults = DependencyDefaults()
    /// The session of these values.
    ///
    /// Setting a key that shapes the session replaces it.
    private(set) var host = SessionHost()
    /// The context, which selects the live, preview or test value of each key.
    public var context = DependencyContext.live {
        didSet {
            defaults = DependencyDefaults()
            host = SessionHost()
        }
    }

    /// The refresh closure of the client that is in use; nil outside of its calls.
    ///
    /// It is not a task-local value of its own: optimised code of Swift 6.3 crashes on one that is a function.
    var refresh: TokenRefresh.Closure?

    /// The values that a task has set; nil in a task that has set none.
    @TaskLocal static var scoped: DependencyValues?

    /// The values outside of `withDependencies`.
    fileprivate static let program = Mutex(DependencyValues())

    /// Creates values in which nothing is set.
    init() {}

    /// The values that are in force.
    static var current: DependencyValues { scoped ?? program.withLock { $0 } }

    /// The value of a dependency.
    public subscript<Key: TestDependencyKey>(key: Key.Type) -> Key.Value {
        get { overrides[ObjectIdentifier(key)] as? Key.Value ?? defaults.value(of: key, in: context) }
        set {
            overrides[ObjectIdentifier(key)] = newValue
            if key is any SessionShaping.Type { host = SessionHost() }
        }
    }

    /// The value of a dependency where it was set.
    func override<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
        overrides[ObjectIdentifier(key)] as? Key.Value
    }
}

extension DependencyValues: Redacting {
    /// The context and the number of set values, which may be secret themselves.
    public var description: String { "DependencyValues(\(context), \(overrides.count) set)" }
}

/// A key whose value decides which session there is.
protocol SessionShaping {}

/// The default values of keys, created when they are first read.
private final class DependencyDefaults: Sendable {
    private let made = Mutex<[ObjectIdentifier: any Sendable]>([:])

    func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
        let id = ObjectIdentifier(key)
        if let value = made.withLock({ $0[id] }) as? Key.Value { return value }
        // Created without the lock, since a key may read others. Of two that are created at once, the first is kept.
        let value: Key.Value =
            switch context {
            case .live: Self.liveValue(of: key) ?? key.testValue
            case .preview: key.previewValue
            case .test: key.testValue
            }
        return made.withLock { made in
            if let first = made[id] as? Key.Value { return first }
            made[id] = value
            return value
        }
    }

    private static func liveValue<Value>(of key: any TestDependencyKey<Value>.Type) -> Value? {
        (key as? any DependencyKey<Value>.Type)?.liveValue
    }
}

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
    _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Result
) rethrows -> Result {
    var values = DependencyValues.current
    try update(&values)
    return try DependencyValues.$scoped.withValue(values, operation: operation)
}

/// Runs an operation with other dependencies.
@discardableResult
public nonisolated(nonsending) func withDependencies<Result>(
    _ update: (inout DependencyValues) throws -> Void,
    operation: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
    var values = DependencyValues.current
    try update(&values)
    return try await DependencyValues.$scoped.withValue(values, operation: operation)
}

/// Sets the dependencies of the whole program, before they are first used.
public func prepareDependencies(_ update: (inout DependencyValues) throws -> Void) rethrows {
    try DependencyValues.program.withLock { try update(&$0) }
}

/// Reads a dependency.
///
/// ```swift
/// @Dependency(\.jwtAuthClient) var authClient
/// ```
///
/// The values in force where it is read apply; outside of `withDependencies`, those where it was created. So an object
/// that a test has created keeps the test's dependencies.
@propertyWrapper
public struct Dependency<Value>: Sendable {
    private let read: @Sendable (DependencyValues) -> Value
    private let values = DependencyValues.scoped

    /// Reads a dependency by its property.
    public init(_ path: any KeyPath<DependencyValues, Value> & Sendable) { read = { $0[keyPath: path] } }

    /// Reads a dependency by its key.
    public init<Key: TestDependencyKey<Value>>(_ key: Key.Type) { read = { $0[key] } }

    /// The dependency.
    public var wrappedValue: Value { read(DependencyValues.inForce(or: values)) }
}

extension DependencyValues {
    /// Returns the values in effect: the task's; outside of `withDependencies`, `values`; without those, the program's.
    static func inForce(or values: DependencyValues?) -> DependencyValues { scoped ?? values ?? current }
}

/// A key of a dependency with its values in tests and previews.
public protocol TestDependencyKey<Value>: Sendable {
    /// The type of the dependency; usually the key itself.
    associatedtype Value: Sendable = Self
    /// The value in tests that have set none; created once for each of them.
    static var testValue: Value { get }
    /// The value in previews.
    static var previewValue: Value { get }
}

/// A key of a dependency with its value in a running program.
///
/// A program gives `JWTAuthClient` its live value by conforming it:
///
/// ```swift
/// extension JWTAuthClient: @retroactive DependencyKey {
///     public static let liveValue = JWTAuthClient(baseURL: { "https://api.example.com" }, refresh: { _ in … })
/// }
/// ```
public protocol DependencyKey<Value>: TestDependencyKey {
    /// The value in a running program.
    static var liveValue: Value { get }
}

extension TestDependencyKey {
    /// The value in tests, used in previews, too.
    public static var previewValue: Value { testValue }
}

extension DependencyKey {
    /// The live value, used in tests, too.
    public static var testValue: Value { liveValue }
    /// The live value, used in previews, too.
    public static var previewValue: Value { liveValue }
}

/// A kind of program, which selects a dependency's default value.
public enum DependencyContext: Sendable, Hashable {
    /// A running program.
    case live
    /// A preview.
    case preview
    /// A test.
    case test
}

/// An error for a dependency that was used without a value.
public struct MissingDependency: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name of the dependency, such as `jwtAuthClient.refresh`.
    public let name: String

    /// Creates the error for a dependency.
    public init(name: String) { self.name = name }

    /// A description with the name and a hint.
    public var description: String {
        "\(name) has no value here.\nhint: Set it in withDependencies, or conform its type to DependencyKey."
    }
}
