// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object, in their written order, with unique names.
///
/// Names are compared byte by byte (RFC 8259 §8.3), unlike `String`, which compares by Unicode equivalence. Two objects
/// are equal when they have the same members in any order.
public struct JSONObject: Sendable {
    private var members = OrderedDictionary<JSONValue>()

    /// Creates an object without members.
    public init() {}

    /// Creates an empty object with a capacity.
    init(capacity: Int) { members = OrderedDictionary(capacity: capacity) }

    /// Creates an object of members; the last value of a repeated name counts, at its first position.
    public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
        for member in members { self[member.key] = member.value }
    }

    /// The value of a member; setting replaces it or appends a member, and nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// The names, in order.
    public var keys: [String] { members.map(\.key) }

    /// Adds a member unless the name exists, and returns whether it was added.
    package mutating func insert(_ key: String, _ value: JSONValue) -> Bool { members.insert(key, value) }
}

extension JSONObject: RandomAccessCollection {
    /// The index of the first member.
    public var startIndex: Int { 0 }

    /// The index after the last member.
    public var endIndex: Int { members.count }

    /// The member at an index.
    public subscript(position: Int) -> (key: String, value: JSONValue) { members[position] }
}

extension JSONObject: Hashable {
    /// Returns whether both have the same members in any order (RFC 8259 §4).
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// Hashes the members independently of their order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members {
            var one = Hasher()
            one.combine(ByteString(text: member.key))
            one.combine(member.value)
            sum ^= one.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; the last value of a repeated name counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(capacity: elements.count)
        for (key, value) in elements { self[key] = value }
    }
}
