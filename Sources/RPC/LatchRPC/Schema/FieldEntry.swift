// SPDX-License-Identifier: Apache-2.0

/// What the codec needs of a field, small and without a reference.
struct FieldEntry: Sendable {
    /// Number and wire type as they stand before one value.
    var tag: UInt32 = 0
    /// Where the value lies, from the start of the object's memory.
    var offset: UInt32 = 0
    /// The bit that says whether it was set, or the place of the word that names the oneof's field, in words.
    var mark: UInt16 = 0
    /// Index of the type, or of the map's operations.
    var child: UInt16 = 0
    var slot: UInt16 = 0
    var kind = FieldKind.bool
    var cell = Cell.none
    var presence = FieldSchema.Presence.implicit
    var isPacked = false
    var isRaw = false

    var number: UInt32 { tag >> 3 }
}

/// What lies at a field's place.
enum Cell: UInt8, Sendable {
    case bool, int32, int64, uint32, uint64, float, double, string, bytes, message
    case bools, int32s, int64s, uint32s, uint64s, floats, doubles, strings, datas, messages
    case map
    /// A line of the schema that could not be read: the slot has no memory.
    case none

    static func one(_ kind: StoredKind) -> Cell { Cell(rawValue: kind.rawValue) ?? .none }
    static func many(_ kind: StoredKind) -> Cell { Cell(rawValue: kind.rawValue + 10) ?? .none }

    /// Whether what lies there holds a reference, which copying and ending an object must know.
    var isReference: Bool { rawValue >= Cell.string.rawValue && self != .none }
}
