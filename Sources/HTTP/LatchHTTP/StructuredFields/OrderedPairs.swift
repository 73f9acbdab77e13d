// SPDX-License-Identifier: Apache-2.0

/// Keys and values in the order in which the keys first came; a later value of a key takes the earlier one's place.
///
/// That is what RFC 9651 §4.2.2 and §4.2.3.2 do with a key that stands twice. Many keys are found through an index, so
/// that a hostile field costs no more than its length.
struct OrderedPairs<Value: Sendable & Hashable>: Sendable, Hashable {
    private(set) var pairs: [(key: String, value: Value)] = []
    private var places: [String: Int] = [:]

    /// Up to so many keys are found by looking along them.
    private static var fewKeys: Int { 12 }

    init() {}

    private func place(of key: String) -> Int? {
        pairs.count > Self.fewKeys ? places[key] : pairs.firstIndex { $0.key == key }
    }

    subscript(key: String) -> Value? {
        get { place(of: key).map { pairs[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): pairs[place].value = value
            case (nil, let value?):
                pairs.append((key, value))
                guard pairs.count > Self.fewKeys else { return }
                if places.isEmpty { index() } else { places[key] = pairs.count - 1 }
            case (let place?, nil):
                pairs.remove(at: place)
                index()
            case (nil, nil): break
            }
        }
    }

    private mutating func index() {
        places = [:]
        guard pairs.count > Self.fewKeys else { return }
        for (place, pair) in pairs.enumerated() { places[pair.key] = place }
    }

    /// The order counts: RFC 9651 §3.2 leaves its meaning to the field.
    static func == (left: Self, right: Self) -> Bool { left.pairs.elementsEqual(right.pairs) { $0 == $1 } }

    func hash(into hasher: inout Hasher) {
        for pair in pairs {
            hasher.combine(pair.key)
            hasher.combine(pair.value)
        }
    }
}
