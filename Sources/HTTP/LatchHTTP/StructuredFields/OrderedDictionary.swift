// SPDX-License-Identifier: Apache-2.0

/// Keys and values in the order of insertion; setting an existing key replaces its value in place.
///
/// RFC 9651 §4.2.2 and §4.2.3.2 require that of duplicate keys. Large dictionaries have an index, so that the cost of a
/// hostile field is linear in its length.
struct OrderedDictionary<Value: Sendable & Hashable>: Sendable, Hashable {
    private(set) var pairs: [(key: String, value: Value)] = []
    private var indices: [String: Int] = [:]

    /// The number of keys up to which a linear search is used.
    private static var linearSearchLimit: Int { 12 }

    init() {}

    private func index(of key: String) -> Int? {
        pairs.count > Self.linearSearchLimit ? indices[key] : pairs.firstIndex { $0.key == key }
    }

    subscript(key: String) -> Value? {
        get { index(of: key).map { pairs[$0].value } }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (nil, let value?):
                pairs.append((key, value))
                guard pairs.count > Self.linearSearchLimit else { return }
                if indices.isEmpty { rebuildIndex() } else { indices[key] = pairs.count - 1 }
            case (let index?, nil):
                pairs.remove(at: index)
                rebuildIndex()
            case (nil, nil): break
            }
        }
    }

    private mutating func rebuildIndex() {
        indices = [:]
        guard pairs.count > Self.linearSearchLimit else { return }
        for (index, pair) in pairs.enumerated() { indices[pair.key] = index }
    }

    /// Compares with the order, whose meaning RFC 9651 §3.2 leaves to the field.
    static func == (left: Self, right: Self) -> Bool { left.pairs.elementsEqual(right.pairs) { $0 == $1 } }

    func hash(into hasher: inout Hasher) {
        for pair in pairs {
            hasher.combine(pair.key)
            hasher.combine(pair.value)
        }
    }
}
