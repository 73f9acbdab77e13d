// SPDX-License-Identifier: Apache-2.0

/// The JSON names of a message's fields, in memory that is never freed.
///
/// Each message type has one value, created when the type is first decoded from or encoded to JSON.
struct JSONNames {
    private typealias Text = UnsafeBufferPointer<UInt8>

    /// The well-known type that determines the message's special JSON form.
    let wellKnownType: WellKnownType
    /// Whether the type of each slot has null as a value: `NullValue` or `Value`.
    let takesNull: UnsafeBufferPointer<Bool>
    /// The JSON name and the .proto name of each slot.
    private let names: UnsafeBufferPointer<Text>
    /// The names as written in JSON, in quotes with a colon.
    private let keys: UnsafeBufferPointer<Text>
    /// The indices of the names, sorted by `precedes`; for equal names, the one that counts is first.
    private let sorted: UnsafeBufferPointer<Int>

    init(_ layout: MessageLayout) {
        wellKnownType = WellKnownType(layout.name)
        takesNull = .keeping(
            layout.fields.map { field in
                field.enumeration?.name == "google.protobuf.NullValue"
                    || field.child.map { WellKnownType($0.name) == .value } == true
            })
        let texts = layout.fields.flatMap { [$0.jsonName, $0.name] }
        let names = UnsafeBufferPointer<Text>.keeping(texts.map { .keeping($0.utf8) })
        self.names = names
        keys = .keeping(
            texts.map { name in
                var output = JSONOutput()
                output.write(string: name)
                output.write(UInt8(ascii: ":"))
                return .keeping(output.bytes)
            })
        // JSON names, which have even indices, win over another field's .proto name.
        sorted = .keeping(
            names.indices.filter { layout.fields[$0 / 2].number > 0 }.sorted { one, other in
                Self.precedes(names[one], names[other])
                    || !Self.precedes(names[other], names[one]) && (one % 2, one) < (other % 2, other)
            })
    }

    /// Returns a field's name in quotes with the colon.
    @inline(__always)
    func key(_ slot: Int, isProto: Bool) -> UnsafeBufferPointer<UInt8> { keys[slot * 2 + (isProto ? 1 : 0)] }

    /// Returns the slot of a name in either spelling; `likely` is tried first.
    @inline(__always)
    func slot(of name: UnsafeBufferPointer<UInt8>, likely: Int) -> Int? {
        if likely * 2 < names.count, Self.equal(names[likely * 2], name) { return likely }
        return search(name)
    }

    private func search(_ name: Text) -> Int? {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(names[sorted[middle]], name) { low = middle + 1 } else { high = middle }
        }
        guard low < sorted.count, Self.equal(names[sorted[low]], name) else { return nil }
        return sorted[low] / 2
    }

    /// Whether a name is shorter than another, or sorts before one of the same length.
    private static func precedes(_ left: Text, _ right: Text) -> Bool {
        left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }

    @inline(__always)
    private static func equal(_ left: Text, _ right: Text) -> Bool {
        guard left.count == right.count else { return false }
        for position in 0..<left.count where left[position] != right[position] { return false }
        return true
    }
}
