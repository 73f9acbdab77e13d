// SPDX-License-Identifier: Apache-2.0

/// A key of a value that travels with a request inside the process, such as the number of the attempt.
public protocol HTTPContextKey {
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
    /// Copies share them, so that the requests of a connection begin with its values without a cost.
    @usableFromInline
    var last: Entry?

    /// The bytes that a request of a server holds; nil in process, where the caller holds the content.
    ///
    /// It is a property because each request over HTTP/2 has its own value, and an entry would be allocated for
    /// each.
    package var memory: MemoryReservation?

    /// The identifier that an interceptor has set in the request, so that inner interceptors need not search for it.
    package var requestID: String?

    /// Creates a context without values.
    public init() {}

    /// Accesses the value of a key; the key is a type, so two modules cannot use the same one by accident.
    @inlinable
    public subscript<Key: HTTPContextKey>(key: Key.Type) -> Key.Value {
        get {
            let key = ObjectIdentifier(key)
            // The first entry holds all others, so none of them needs to be retained during the search.
            return withExtendedLifetime(last) {
                var entry = last.map(Unmanaged.passUnretained)
                while let current = entry {
                    if current._withUnsafeGuaranteedRef({ $0.key == key }) {
                        // Only the setter below makes entries of this key.
                        return current._withUnsafeGuaranteedRef {
                            unsafeDowncast($0, to: ValueEntry<Key.Value>.self).value
                        }
                    }
                    entry = current._withUnsafeGuaranteedRef { $0.previous.map(Unmanaged.passUnretained) }
                }
                return Key.defaultValue
            }
        }
        set {
            let id = ObjectIdentifier(key)
            // An earlier value that is not the last one stays in the list, but the new one hides it.
            let previous = last?.key == id ? last?.previous : last
            last = ValueEntry(key: id, value: newValue, previous: previous)
        }
    }

    /// The storage of a value, with the values that were set before it.
    @usableFromInline
    class Entry: @unchecked Sendable {
        @usableFromInline let key: ObjectIdentifier
        @usableFromInline let previous: Entry?

        @inlinable
        init(key: ObjectIdentifier, previous: Entry?) { (self.key, self.previous) = (key, previous) }
    }

    /// The value of a key; all entries are of this subclass of `Entry`, and immutable like it.
    @usableFromInline
    final class ValueEntry<Value: Sendable>: Entry, @unchecked Sendable {
        @usableFromInline let value: Value

        @inlinable
        init(key: ObjectIdentifier, value: Value, previous: Entry?) {
            self.value = value
            super.init(key: key, previous: previous)
        }
    }
}
