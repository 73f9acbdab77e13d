// SPDX-License-Identifier: Apache-2.0

/// Where the fields of a message lie, as plain memory that is never freed: nothing here is counted.
///
/// An object's memory begins with the place of its table and its extras (unknown fields and extensions), then the bits that say which fields with
/// explicit presence are set, then one word for each oneof with the number of its field that is set, then the values.
struct LayoutTable {
    /// The fields by slot.
    var entries: UnsafeBufferPointer<FieldEntry>
    /// The fields by number, which is the order in which they are written.
    var ordered: UnsafeBufferPointer<FieldEntry>
    /// The fields whose values hold references.
    var references: UnsafeBufferPointer<FieldEntry>
    /// From a field's number to its slot, plus one; 0 where there is none.
    ///
    /// Numbers beyond it are searched for.
    var dense: UnsafeBufferPointer<UInt16>
    var children: UnsafeBufferPointer<ChildType>
    var maps: UnsafeBufferPointer<Unmanaged<MapOperations>>
    /// What the memory of a message without values holds.
    var template: UnsafeMutableRawPointer
    var size: Int
    /// Where the words of the oneofs begin.
    var oneofs: Int
    var oneofCount: Int
    var hasRequired: Bool
    /// Names and everything else that is seldom needed.
    unowned(unsafe) var layout: MessageLayout

    /// Where the reference to the extras lies: after the place of the table.
    static let extras = 8
    /// Where the bits of presence begin.
    static let bits = 16

    /// The slot of a field's number.
    @inline(__always)
    func slot(of number: UInt32) -> Int? {
        if number < dense.count {
            let found = dense[Int(number)]
            return found == 0 ? nil : Int(found) - 1
        }
        return search(number)
    }

    @inline(never)
    private func search(_ number: UInt32) -> Int? {
        var low = 0
        var high = ordered.count
        while low < high {
            let middle = (low + high) / 2
            if ordered[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < ordered.count, ordered[low].number == number else { return nil }
        return Int(ordered[low].slot)
    }
}

/// A type that fields of a message have.
struct ChildType {
    /// The type's identity, so that a value is never read as one of another type.
    var identity: ObjectIdentifier
    var message: Unmanaged<MessageSchema>?
    var enumeration: Unmanaged<EnumSchema>?
    /// Whether a value of the type is its storage and nothing else, bit for bit.
    var isItsStorage: Bool
}
