// SPDX-License-Identifier: Apache-2.0

/// The memory layout of a message type, in plain memory that is never freed or reference-counted.
///
/// An object's memory begins with a pointer to its table and a reference to its extras: unknown fields and extensions.
/// The presence bits of fields with explicit presence follow. Then each oneof has one word with the number of its set
/// field. The values are at the end.
struct LayoutTable {
    /// The fields by slot.
    var entries: UnsafeBufferPointer<FieldEntry>
    /// The fields by number, which is the encoding order.
    var ordered: UnsafeBufferPointer<FieldEntry>
    /// The fields whose values contain references.
    var references: UnsafeBufferPointer<FieldEntry>
    /// A lookup table from field numbers to slots plus one; 0 means no field.
    ///
    /// Larger numbers are found by binary search.
    var dense: UnsafeBufferPointer<UInt16>
    var children: UnsafeBufferPointer<NestedType>
    var maps: UnsafeBufferPointer<Unmanaged<MapOperations>>
    /// The memory of an empty message.
    var template: UnsafeMutableRawPointer
    var size: Int
    /// The offset of the oneof words.
    var oneofs: Int
    var oneofCount: Int
    /// The names and other rarely needed data.
    unowned(unsafe) var layout: MessageLayout

    /// The offset of the reference to the extras.
    static let extras = 8
    /// The offset of the presence bits.
    static let bits = 16

    /// Returns the slot of a field number.
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

/// The message or enum type of a field.
struct NestedType {
    /// The identity of the type, so that a value is never read as another type.
    var identity: ObjectIdentifier
    var message: Unmanaged<MessageSchema>?
    var enumeration: Unmanaged<EnumSchema>?
    /// Whether values of the type have the same bits as their storage.
    var isItsStorage: Bool
}

/// The layout of a field, compact and without references.
struct FieldEntry: Sendable {
    /// The tag before a value: number and wire type.
    var tag: UInt32 = 0
    /// The offset of the value in the object's memory.
    var offset: UInt32 = 0
    /// The index of the presence bit, or the offset of the oneof word in words.
    var mark: UInt16 = 0
    /// The index of the type, or of the map operations.
    var child: UInt16 = 0
    var slot: UInt16 = 0
    var kind = FieldKind.bool
    var cell = ValueLayout.none
    var presence = FieldSchema.Presence.implicit
    var isPacked = false

    var number: UInt32 { tag >> 3 }
}

/// The Swift type of a field's memory.
enum ValueLayout: UInt8, Sendable {
    case bool, int32, int64, uint32, uint64, float, double, string, bytes, message
    case bools, int32s, int64s, uint32s, uint64s, floats, doubles, strings, datas, messages
    case map
    /// An unreadable line of the schema; its slot has no memory.
    case none

    static func one(_ kind: StoredKind) -> ValueLayout { ValueLayout(rawValue: kind.rawValue) ?? .none }
    static func many(_ kind: StoredKind) -> ValueLayout { ValueLayout(rawValue: kind.rawValue + 10) ?? .none }

    /// Whether the field is neither repeated nor a map.
    @inline(__always) var isSingular: Bool { rawValue < ValueLayout.bools.rawValue }

    /// Whether the field is repeated or a map.
    @inline(__always) var isMany: Bool { !isSingular && self != .none }

    /// Whether the value contains a reference that copying and releasing must count.
    var isReference: Bool { rawValue >= ValueLayout.string.rawValue && self != .none }
}
