// SPDX-License-Identifier: Apache-2.0

/// A key of a value that travels with a request inside the process, such as the number of the attempt.
public protocol HTTPContextKey {
    /// The type of the value.
    associatedtype Value: Sendable
    /// The value of the key if none was set.
    static var defaultValue: Value { get }
}

/// The values that travel with a request inside the process and are never sent.
///
/// ```swift
/// enum Attempt: HTTPContextKey {
///     static var defaultValue: Int { 1 }
/// }
///
/// request.context[Attempt.self] += 1
/// ```
public struct HTTPContext: Sendable {
    /// The value that was set last, followed by the others.
    ///
    /// Copies share them, so that the requests of a connection begin with its values at no cost.
    private var last: Entry?

    /// Creates a context without values.
    public init() {}

    /// Accesses the value of a key; the key is a type, so two modules cannot use the same one by accident.
    public subscript<Key: HTTPContextKey>(key: Key.Type) -> Key.Value {
        get { last?.entry(of: ObjectIdentifier(key))?.value as? Key.Value ?? Key.defaultValue }
        set {
            let id = ObjectIdentifier(key)
            last = Entry(key: id, value: newValue, previous: last?.entry(of: id) == nil ? last : last?.removing(id))
        }
    }

    /// A value, and those that were set before it.
    private final class Entry: Sendable {
        let key: ObjectIdentifier
        let value: any Sendable
        let previous: Entry?

        init(key: ObjectIdentifier, value: any Sendable, previous: Entry?) {
            (self.key, self.value, self.previous) = (key, value, previous)
        }

        func entry(of key: ObjectIdentifier) -> Entry? { self.key == key ? self : previous?.entry(of: key) }

        /// Returns the entries without the one of a key.
        func removing(_ key: ObjectIdentifier) -> Entry? {
            self.key == key ? previous : Entry(key: self.key, value: value, previous: previous?.removing(key))
        }
    }
}
