// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

// Values compare as protobuf's reference in C++ compares them: a field that is set differs from one that is not, NaN
// differs from NaN and 0 equals -0 where both are set; a field without presence of its own is set to -0 and is not set to 0.
// Texts compare as Swift's do: two spellings of one letter (U+00E9, and e with U+0301) are equal, and one key of a map.
// Two storages that are one object are equal without a look, as two arrays are.
extension MessageStorage: Hashable {
    /// Compares the values field by field, then unknown fields and extensions.
    public static func == (left: MessageStorage, right: MessageStorage) -> Bool {
        if left.object === right.object { return true }
        guard left.object.table == right.object.table else { return false }
        let table = left.object.table
        let (one, other) = (left.object.memory, right.object.memory)
        return withExtendedLifetime((left.object, right.object)) {
            one.hasSamePresence(as: other, table.pointee)
                && table.pointee.entries.allSatisfy { one.isEqual(other, $0, table.pointee) }
                && left.hasSameExtras(as: right)
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        let table = object.table.pointee
        for entry in table.ordered where object.memory.holds(entry, table) {
            hasher.combine(entry.number)
            (object.memory + Int(entry.offset)).hash(entry, table, into: &hasher)
        }
        if let extras = extras, !extras.isEmpty {
            hasher.combine(extras.unknown)
            hasher.combine(extras.extensions)
        }
    }

    private func hasSameExtras(as other: MessageStorage) -> Bool {
        let (one, two) = (extras, other.extras)
        if one == nil, two == nil { return true }
        return one?.unknown ?? UnknownFields() == two?.unknown ?? UnknownFields()
            && one?.extensions ?? [:] == two?.extensions ?? [:]
    }
}

extension UnsafeMutableRawPointer {
    /// Compares the bits of presence and the words of the oneofs.
    fileprivate func hasSamePresence(as other: UnsafeMutableRawPointer, _ table: LayoutTable) -> Bool {
        let start = LayoutTable.bits
        let count = (table.oneofs - start) / 4 + table.oneofCount
        let (one, two) = ((self + start).at(UInt32.self), (other + start).at(UInt32.self))
        return (0..<count).allSatisfy { one[$0] == two[$0] }
    }

    fileprivate func isEqual(_ other: UnsafeMutableRawPointer, _ entry: FieldEntry, _ table: LayoutTable) -> Bool {
        let (one, two) = (self + Int(entry.offset), other + Int(entry.offset))
        func same<Value: Equatable>(_ type: Value.Type) -> Bool { one.at(type).pointee == two.at(type).pointee }
        // Two that are not set are equal, be their default NaN.
        func sameIfSet<Value: Equatable>(_ type: Value.Type) -> Bool {
            let isSet = holds(entry, table)
            return isSet == other.holds(entry, table) && (!isSet || same(type))
        }
        return switch entry.cell {
        case .none: true
        case .bool: same(UInt8.self)
        case .int32, .uint32: same(UInt32.self)
        case .int64, .uint64: same(UInt64.self)
        case .float: sameIfSet(Float.self)
        case .double: sameIfSet(Double.self)
        case .string: same(String?.self)
        case .bytes: same(Data?.self)
        case .message: same(MessageStorage?.self)
        case .bools: same([Bool]?.self)
        case .int32s: same([Int32]?.self)
        case .int64s: same([Int64]?.self)
        case .uint32s: same([UInt32]?.self)
        case .uint64s: same([UInt64]?.self)
        case .floats: same([Float]?.self)
        case .doubles: same([Double]?.self)
        case .strings: same([String]?.self)
        case .datas: same([Data]?.self)
        case .messages: same([MessageStorage]?.self)
        case .map: table.map(entry).isEqual(one, two)
        }
    }

    fileprivate func hash(_ entry: FieldEntry, _ table: LayoutTable, into hasher: inout Hasher) {
        func add<Value: Hashable>(_ type: Value.Type) { hasher.combine(at(type).pointee) }
        switch entry.cell {
        case .none: break
        case .bool: add(UInt8.self)
        case .int32, .uint32: add(UInt32.self)
        case .int64, .uint64: add(UInt64.self)
        case .float: add(Float.self)
        case .double: add(Double.self)
        case .string: add(String?.self)
        case .bytes: add(Data?.self)
        case .message: add(MessageStorage?.self)
        case .bools: add([Bool]?.self)
        case .int32s: add([Int32]?.self)
        case .int64s: add([Int64]?.self)
        case .uint32s: add([UInt32]?.self)
        case .uint64s: add([UInt64]?.self)
        case .floats: add([Float]?.self)
        case .doubles: add([Double]?.self)
        case .strings: add([String]?.self)
        case .datas: add([Data]?.self)
        case .messages: add([MessageStorage]?.self)
        case .map: table.map(entry).hash(self, into: &hasher)
        }
    }
}
