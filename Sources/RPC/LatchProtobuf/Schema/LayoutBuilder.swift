// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// Assigns memory offsets to fields, beginning with the widest, so that no padding is needed.
struct LayoutBuilder {
    private(set) var size: Int
    private(set) var oneofs: Int
    private(set) var oneofCount: Int
    private(set) var maps: [MapOperations] = []
    private var offsets: [Int]
    private var bits: [Int: Int] = [:]

    init(_ fields: [FieldSchema]) {
        offsets = Array(repeating: 0, count: fields.count)
        for field in fields where field.presence == .explicit && Self.cell(of: field).isReference == false {
            bits[field.slot] = bits.count
        }
        oneofCount = (fields.compactMap(\.oneof).max() ?? -1) + 1
        oneofs = LayoutTable.bits + (bits.count + 31) / 32 * 4
        size = (oneofs + oneofCount * 4 + 7) & ~7
        for width in [16, 8, 4, 1] {
            for field in fields where field.number > 0 && Self.width(of: Self.cell(of: field)) == width {
                offsets[field.slot] = size
                size += width
            }
        }
        size = (size + 7) & ~7
    }

    mutating func entry(for field: FieldSchema) -> FieldEntry {
        var entry = FieldEntry()
        // Slots have 16 bits; no message has more fields.
        guard field.number > 0, field.slot < UInt16.max - 1 else { return entry }
        let wire = field.cardinality == .map || field.isPacked ? WireType.delimited : field.kind.wire
        entry.tag = field.number << 3 | UInt32(wire.rawValue)
        entry.offset = UInt32(offsets[field.slot])
        entry.slot = UInt16(field.slot)
        entry.kind = field.kind
        entry.cell = Self.cell(of: field)
        entry.presence = field.presence
        entry.isPacked = field.isPacked
        entry.child = UInt16(truncatingIfNeeded: field.typeIndex ?? 0)
        if field.cardinality == .map {
            entry.child = UInt16(truncatingIfNeeded: maps.count)
            maps.append(MapOperations.make(field))
        }
        let mark = field.oneof.map { oneofs / 4 + $0 } ?? bits[field.slot] ?? 0
        entry.mark = UInt16(truncatingIfNeeded: mark)
        return entry
    }

    /// Returns the memory of an empty message: the defaults of numbers, and nil for references.
    func template(_ entries: [FieldEntry], _ fields: [FieldSchema]) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        (memory + LayoutTable.extras).initializeMemory(as: MessageExtras?.self, to: nil)
        for entry in entries where entry.cell != .none {
            (memory + Int(entry.offset)).reset(entry, fields[Int(entry.slot)].defaultValue)
        }
        return memory
    }

    static func cell(of field: FieldSchema) -> ValueLayout {
        guard field.number > 0 else { return .none }
        return switch field.cardinality {
        case .singular: .one(field.kind.stored)
        case .repeated: .many(field.kind.stored)
        case .map: .map
        }
    }

    private static func width(of cell: ValueLayout) -> Int {
        switch cell {
        case .none: 0
        case .bool: 1
        case .int32, .uint32, .float: 4
        case .int64, .uint64, .double: 8
        // These types have 16 bytes on all 64-bit platforms.
        case .string, .bytes: 16
        default: 8
        }
    }
}
