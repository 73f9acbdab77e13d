// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import Synchronization

/// The clients of one session, and their dependencies.
///
/// JWTAuthDependencies passes them to a program by `@Dependency` and `withDependencies`. A program with another library
/// for this, such as swift-dependencies, keeps them as one value of that library:
///
/// ```swift
/// var dependencies = AuthDependencies()
/// dependencies.jwtAuthClient = JWTAuthClient(baseURL: { "https://api.example.com" }, refresh: { _ in … })
/// let client = dependencies.jwtAuthClient
/// ```
///
/// A client that was read from a value acts on the session of that value and its copies. The names of this module
/// differ from those of swift-dependencies, swift-sharing and the Composable Architecture.
public struct AuthDependencies: Sendable {
    private var overrides: [ObjectIdentifier: any Sendable] = [:]
    /// The default values of the keys, created once for all copies of these values.
    private var defaults = DependencyDefaults()
    /// The session of these values.
    ///
    /// Setting a key that shapes the session replaces it.
    private(set) var host = SessionHost()
    /// The context, which selects the live, preview or test value of each key.
    public var context: AuthContext {
        didSet {
            defaults = DependencyDefaults()
            host = SessionHost()
        }
    }

    /// The refresh closure of the current client; nil outside of its calls.
    ///
    /// It is not a separate task-local value: optimized code of Swift 6.3 crashes on a task-local function.
    var refresh: TokenRefresh.Closure?

    /// The values that a task has set; nil if it has set none.
    @TaskLocal package static var scoped: AuthDependencies?

    /// The values of a program outside of `withDependencies`.
    private static let program = Mutex(AuthDependencies())

    /// Creates values without settings.
    public init(context: AuthContext = .live) { self.context = context }

    /// The values in effect.
    package static var current: AuthDependencies { scoped ?? program.withLock { $0 } }

    /// Sets values outside of `withDependencies`.
    package static func prepare(_ update: (inout AuthDependencies) throws -> Void) rethrows {
        try program.withLock { try update(&$0) }
    }

    /// The value of a dependency: an override, or the default of the context.
    public subscript<Key: AuthDependencyKey>(key: Key.Type) -> Key.Value {
        get { overrides[ObjectIdentifier(key)] as? Key.Value ?? defaults.value(of: key, in: context) }
        set {
            overrides[ObjectIdentifier(key)] = newValue
            if key is any SessionShaping.Type { host = SessionHost() }
        }
    }

    /// The value of a dependency, if it was set.
    func override<Key: AuthDependencyKey>(of key: Key.Type) -> Key.Value? {
        overrides[ObjectIdentifier(key)] as? Key.Value
    }
}

extension AuthDependencies: Redacting {
    /// The context and the number of set values; the values themselves may be secret.
    public var description: String { "AuthDependencies(\(context), \(overrides.count) set)" }
}

/// A key whose value determines the session.
protocol SessionShaping {}

/// The default values of keys, created when they are first read.
private final class DependencyDefaults: Sendable {
    private let made = Mutex<[ObjectIdentifier: any Sendable]>([:])

    func value<Key: AuthDependencyKey>(of key: Key.Type, in context: AuthContext) -> Key.Value {
        let id = ObjectIdentifier(key)
        if let value = made.withLock({ $0[id] }) as? Key.Value { return value }
        // The lock is not held, because a key may read other keys. If two values are created at the same time, the
        // first is kept.
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

    private static func liveValue<Value>(of key: any AuthDependencyKey<Value>.Type) -> Value? {
        (key as? any LiveAuthDependencyKey<Value>.Type)?.liveValue
    }
}

extension AuthDependencies {
    /// Returns the values in effect: the task's, or else `values`, or else the program's.
    ///
    /// `values` apply only outside of `withDependencies`.
    package static func inForce(or values: AuthDependencies?) -> AuthDependencies { scoped ?? values ?? current }
}

/// A key of a dependency with its values in tests and previews.
public protocol AuthDependencyKey<Value>: Sendable {
    /// The type of the dependency; usually the key itself.
    associatedtype Value: Sendable = Self
    /// The value in tests that set none; created once for each test.
    static var testValue: Value { get }
    static var previewValue: Value { get }
}

/// A key of a dependency with its value in a running program.
///
/// A program sets the live value of `JWTAuthClient` with this conformance:
///
/// ```swift
/// extension JWTAuthClient: @retroactive LiveAuthDependencyKey {
///     public static let liveValue = JWTAuthClient(baseURL: { "https://api.example.com" }, refresh: { _ in … })
/// }
/// ```
public protocol LiveAuthDependencyKey<Value>: AuthDependencyKey {
    /// The value in a running program.
    static var liveValue: Value { get }
}

extension AuthDependencyKey {
    /// The value in tests, also used in previews.
    public static var previewValue: Value { testValue }
}

extension LiveAuthDependencyKey {
    /// The live value, also used in tests.
    public static var testValue: Value { liveValue }
    /// The live value, also used in previews.
    public static var previewValue: Value { liveValue }
}

/// A kind of program, which selects a dependency's default value.
public enum AuthContext: Sendable, Hashable {
    /// A running program.
    case live
    case preview
    case test
}

/// An error for a dependency that was used without a value.
public struct MissingDependency: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The name of the dependency, such as `jwtAuthClient.refresh`.
    public let name: String

    /// Creates the error for a dependency.
    public init(name: String) { self.name = name }

    /// The name, for developers.
    public var errorDescription: String? { "\(name) has no value here." }

    /// A description with the name and a hint.
    public var description: String {
        "\(name) has no value here.\nhint: Set it in withDependencies, or conform its type to DependencyKey."
    }
}
