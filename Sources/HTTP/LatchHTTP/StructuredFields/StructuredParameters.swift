// SPDX-License-Identifier: Apache-2.0

/// The parameters of an item or of an inner list, in order (RFC 9651 §3.1.2).
public struct StructuredParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private var storage = OrderedPairs<StructuredValue>()

    /// No parameters.
    public init() {}

    /// Parameters from a literal.
    ///
    /// A key that stands twice has its last value, at its first place.
    public init(dictionaryLiteral elements: (String, StructuredValue)...) {
        for (key, value) in elements { storage[key] = value }
    }

    /// The value of a parameter; a new one is added at the end, nil removes it.
    public subscript(key: String) -> StructuredValue? {
        get { storage[key] }
        set { storage[key] = newValue }
    }

    /// Whether a parameter is there and is `true`, as a key without a value is.
    public func isTrue(_ key: String) -> Bool { storage[key] == .boolean(true) }
}

extension StructuredParameters: RandomAccessCollection {
    /// The index of the first parameter.
    public var startIndex: Int { 0 }

    /// The index after the last parameter.
    public var endIndex: Int { storage.pairs.count }

    /// The parameter at an index.
    public subscript(position: Int) -> (key: String, value: StructuredValue) { storage.pairs[position] }
}
