// SPDX-License-Identifier: Apache-2.0

/// Keys and values in the order of insertion; setting an existing key replaces its value in place.
///
/// Keys are compared byte by byte, unlike `String`, which compares by Unicode equivalence. Large dictionaries have an
/// index, so that the cost of parsing a hostile text is linear in its length. The type is inlinable so that other
/// modules specialize it: without that, each access allocates.
@usableFromInline package struct OrderedDictionary<Value> {
    @usableFromInline var pairs: [(key: String, value: Value)] = []
    /// The index of each key, kept only for dictionaries that are too large for a linear search.
    @usableFromInline var index: [ByteString: Int]?

    /// The number of keys up to which a linear search is faster than hashing a key.
    @inlinable static var largestScan: Int { 16 }

    @inlinable package init() {}

    /// Creates an empty dictionary with a capacity.
    @inlinable init(capacity: Int) { pairs.reserveCapacity(capacity) }

    /// The value of a key; setting replaces it or appends a pair, and nil removes it.
    @inlinable package subscript(key: String) -> Value? {
        get { position(of: key).map { pairs[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): pairs[position].value = value
            case (let position?, nil):
                pairs.remove(at: position)
                // All later pairs have moved.
                index = nil
                indexPairs()
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Adds a pair unless the key exists, and returns whether it was added.
    @inlinable package mutating func insert(_ key: String, _ value: Value) -> Bool {
        guard position(of: key) == nil else { return false }
        append(key, value)
        return true
    }

    @inlinable mutating func append(_ key: String, _ value: Value) {
        pairs.append((key, value))
        index?[ByteString(text: key)] = pairs.count - 1
        indexPairs()
    }

    /// Creates the index if the dictionary is large and has none.
    @inlinable mutating func indexPairs() {
        guard index == nil, pairs.count > Self.largestScan else { return }
        var index: [ByteString: Int] = [:]
        index.reserveCapacity(pairs.count * 2)
        for (position, pair) in pairs.enumerated() { index[ByteString(text: pair.key)] = position }
        self.index = index
    }

    @inlinable func position(of key: String) -> Int? {
        let name = ByteString(text: key)
        if let index { return index[name] }
        return pairs.firstIndex { ByteString(text: $0.key) == name }
    }
}

/// A text that is compared byte by byte.
@usableFromInline struct ByteString: Sendable, Hashable {
    @usableFromInline let text: String

    @inlinable init(text: String) { self.text = text }

    @inlinable static func == (left: ByteString, right: ByteString) -> Bool {
        // `String` compares by canonical equivalence; the bytes decide.
        left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
    }

    @inlinable func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension OrderedDictionary: Sendable where Value: Sendable {}

extension OrderedDictionary: RandomAccessCollection {
    @inlinable package var startIndex: Int { 0 }

    @inlinable package var endIndex: Int { pairs.count }

    @inlinable package subscript(position: Int) -> (key: String, value: Value) { pairs[position] }
}

extension OrderedDictionary: Equatable, Hashable where Value: Hashable {
    /// Returns whether both have the same pairs in the same order.
    @inlinable package static func == (left: Self, right: Self) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0 == $1 }
    }

    @inlinable package func hash(into hasher: inout Hasher) {
        for pair in pairs {
            hasher.combine(pair.key)
            hasher.combine(pair.value)
        }
    }
}

extension OrderedDictionary: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary; the last value of a repeated key counts, at the first position.
    @inlinable package init(dictionaryLiteral elements: (String, Value)...) {
        for (key, value) in elements { self[key] = value }
    }
}
