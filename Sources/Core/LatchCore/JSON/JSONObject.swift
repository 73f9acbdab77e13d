// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object, in their written order, with unique names.
///
/// Names are compared byte by byte (RFC 8259 §8.3), and not by Unicode equivalence as `String` compares. Two objects
/// are equal when they have the same members in any order.
public struct JSONObject: Sendable {
    private var members: [(key: String, value: JSONValue)] = []
    /// The index of each name, kept only for objects that are too large for a linear search.
    private var index: [MemberName: Int]?

    /// The number of members up to which a linear search is faster than hashing a name.
    private static let largestScan = 16

    /// Creates an object without members.
    public init() {}

    /// Creates an empty object with a capacity.
    init(capacity: Int) { members.reserveCapacity(capacity) }

    /// Creates an object of members; the last value of a repeated name counts, at its first position.
    public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
        for member in members { self[member.key] = member.value }
    }

    /// The value of a member; setting replaces it or appends a member, and nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): add(key, value)
            case (nil, nil): break
            }
        }
    }

    /// The names, in order.
    public var keys: [String] { members.map(\.key) }

    /// Adds a member unless there is one of that name, and returns whether it was added.
    package mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
        guard position(of: key) == nil else { return false }
        add(key, value)
        return true
    }

    /// Adds a member with a new name.
    private mutating func add(_ key: String, _ value: JSONValue) {
        members.append((key, value))
        index?[MemberName(text: key)] = members.count - 1
        guard index == nil, members.count > Self.largestScan else { return }
        indexMembers()
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        index = nil
        if members.count > Self.largestScan { indexMembers() }
    }

    /// Rebuilds the index; after a removal all later members have moved.
    private mutating func indexMembers() {
        var index: [MemberName: Int] = [:]
        index.reserveCapacity(members.count * 2)
        for (position, member) in members.enumerated() { index[MemberName(text: member.key)] = position }
        self.index = index
    }

    /// Returns the position of a member, by the index where there is one.
    private func position(of key: String) -> Int? {
        if let index { return index[MemberName(text: key)] }
        let name = MemberName(text: key)
        return members.firstIndex { MemberName(text: $0.key) == name }
    }
}

/// A member's name, compared byte by byte.
private struct MemberName: Hashable {
    let text: String

    static func == (left: MemberName, right: MemberName) -> Bool {
        // `String` compares by canonical equivalence; the bytes decide.
        left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
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

    /// Hashes the members without regard to their order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members {
            var one = Hasher()
            one.combine(MemberName(text: member.key))
            one.combine(member.value)
            sum ^= one.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; the last value of a repeated name counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}
