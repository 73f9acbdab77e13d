// SPDX-License-Identifier: Apache-2.0

/// Names a value that travels with a request inside the process, such as the attempt's number.
public protocol HTTPContextKey {
    /// The type of the value.
    associatedtype Value: Sendable
    /// What is read where nothing was set.
    static var defaultValue: Value { get }
}

/// Values that travel with a request inside the process and are never sent.
///
/// ```swift
/// request.context[RemoteAddress.self]
/// ```
public struct HTTPContext: Sendable {
    /// Few at a time, so they are found by looking along; a dictionary would cost each request an allocation more.
    private var values: [(key: ObjectIdentifier, value: any Sendable)] = []

    /// Nothing set.
    public init() {}

    /// The value of a key; its type is the key, so that no two modules can mean the same by accident.
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
