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
    /// The values, in an array since there are few: a dictionary would cost each request another allocation.
    private var values: [(key: ObjectIdentifier, value: any Sendable)] = []

    /// Creates a context without values.
    public init() {}

    /// Accesses the value of a key; the key is a type, so two modules cannot use the same one by accident.
    public subscript<Key: HTTPContextKey>(key: Key.Type) -> Key.Value {
        get {
            let id = ObjectIdentifier(key)
            return values.first { $0.key == id }?.value as? Key.Value ?? Key.defaultValue
        }
        set {
            let id = ObjectIdentifier(key)
            if let index = values.firstIndex(where: { $0.key == id }) {
                values[index].value = newValue
            } else {
                values.append((id, newValue))
            }
        }
    }
}
