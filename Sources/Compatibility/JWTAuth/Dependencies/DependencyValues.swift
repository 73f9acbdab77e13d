// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import Synchronization

/// The dependencies that are in force: those of the program, or what a task has set in their place.
///
/// What `withDependencies` sets is seen by its operation, by what that calls, and by tasks that those start, and by
/// nobody else: tests that run side by side share nothing.
public struct DependencyValues: Sendable {
    private var overrides: [ObjectIdentifier: any Sendable] = [:]
    /// What keys say where nothing was set, made once for all who share these values.
    private var defaults = DependencyDefaults()
    /// The session of these values.
    ///
    /// Whatever decides which session that is brings a new one when it is set.
    private(set) var host = SessionHost()
    /// Which values of the keys count.
    public var context = DependencyContext.live {
        didSet {
            defaults = DependencyDefaults()
            host = SessionHost()
        }
    }

    /// How the client refreshes that is being used; nil outside of its calls.
    ///
    /// It is no task-local value of its own: optimised code of Swift 6.3 crashes on one that is a function.
    var refresh: RefreshNote.Refresh?

    /// What a task has set; nil in a task where nothing was.
    @TaskLocal static var scoped: DependencyValues?

    /// What counts everywhere else.
    fileprivate static let program = Mutex(DependencyValues())

    /// Values in which nothing is set.
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
    /// That there are some: what they hold may be secret.
    public var description: String { "DependencyValues(\(context), \(overrides.count) set)" }
}

/// A key whose value decides which session there is.
protocol SessionShaping {}

/// The values that keys give, made when they are first asked for.
private final class DependencyDefaults: Sendable {
    private let made = Mutex<[ObjectIdentifier: any Sendable]>([:])

    func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
        let id = ObjectIdentifier(key)
        if let value = made.withLock({ $0[id] }) as? Key.Value { return value }
        // Made without the lock: a key may ask for others. Of two that were made at once the first counts for both.
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
public func withDependencies<Result>(
    _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Result
) rethrows -> Result {
    var values = DependencyValues.current
    try update(&values)
    return try DependencyValues.$scoped.withValue(values, operation: operation)
}

/// Runs an operation with other dependencies.
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
