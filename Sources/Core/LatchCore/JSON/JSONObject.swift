// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object, in the order in which they were written, with names that stand once.
///
/// Names are compared byte by byte, as RFC 8259 §8.3 wants it, and not by Unicode equivalence as `String` compares.
/// Two objects are equal when they have the same members, in whatever order.
public struct JSONObject: Sendable {
    private var members: [(key: String, value: JSONValue)] = []
    /// Where each name stands, kept only for objects that are too large to look along.
    private var places: [MemberName: Int]?

    /// Up to so many members looking along is quicker than hashing a name.
    private static let largestScan = 16

    /// An object without members.
    public init() {}

    /// An object without members that has room for some.
    init(capacity: Int) { members.reserveCapacity(capacity) }

    /// An object of these members; of a name that stands twice the last value counts, at the first place.
    public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
        for member in members { self[member.key] = member.value }
    }

    /// The value of a member; setting replaces it in its place or adds it at the end, nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { place(of: key).map { members[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): remove(at: place)
            case (nil, let value?): add(key, value)
            case (nil, nil): break
            }
        }
    }

    /// The names, in order.
    public var keys: [String] { members.map(\.key) }

    /// Adds a member unless one of that name stands already.
    ///
    /// - Returns: Whether it was added.
    package mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
        guard place(of: key) == nil else { return false }
        add(key, value)
        return true
    }

    /// Adds a member whose name is known to be new.
    private mutating func add(_ key: String, _ value: JSONValue) {
        members.append((key, value))
        places?[MemberName(text: key)] = members.count - 1
        guard places == nil, members.count > Self.largestScan else { return }
        indexMembers()
    }

    private mutating func remove(at place: Int) {
        members.remove(at: place)
        places = nil
        if members.count > Self.largestScan { indexMembers() }
    }

    /// Makes `places` anew: after a removal all later members have moved.
    private mutating func indexMembers() {
        var index: [MemberName: Int] = [:]
        index.reserveCapacity(members.count * 2)
        for (place, member) in members.enumerated() { index[MemberName(text: member.key)] = place }
        places = index
    }

    /// Where a member stands, by the index where there is one.
    private func place(of key: String) -> Int? {
        if let places { return places[MemberName(text: key)] }
        let name = MemberName(text: key)
        return members.firstIndex { MemberName(text: $0.key) == name }
    }
}

/// A member's name, compared byte by byte.
private struct MemberName: Hashable {
    let text: String

    static func == (left: MemberName, right: MemberName) -> Bool {
        // `String` takes canonically equivalent texts for equal; where it does, the bytes decide.
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
    /// Whether both have the same members, in whatever order: RFC 8259 §4 gives order no meaning.
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
    /// An object; of a name that stands twice the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}
