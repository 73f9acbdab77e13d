// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The field values of a message, with copy-on-write semantics.
///
/// Generated accessors read and write by slot, the index of a field in the schema's text. If a slot or a type does not
/// match the schema, reads return the default, and writes are ignored.
///
/// It is sendable because its object is mutated only while it is uniquely referenced.
public struct MessageStorage: @unchecked Sendable {
    var object: MessageObject

    /// Creates the storage of an empty message.
    public init(_ schema: MessageSchema) { object = .make(schema.table) }

    init(object: MessageObject) { self.object = object }

    init(table: UnsafePointer<LayoutTable>) { object = .make(table) }

    var table: LayoutTable {
        @inline(__always) unsafeAddress { object.table }
    }

    var layout: MessageLayout { table.layout }

    /// Ensures that the object is uniquely referenced, and returns its memory.
    @inline(__always)
    mutating func own() -> UnsafeMutableRawPointer {
        if !isKnownUniquelyReferenced(&object) { object = object.copy() }
        return object.memory
    }

    /// Returns the field of a slot, if it has this layout.
    @inline(__always)
    func entry(_ slot: Int, _ cell: ValueLayout) -> FieldEntry? {
        guard let entry = entry(slot), entry.cell == cell else { return nil }
        return entry
    }

    @inline(__always)
    func entry(_ slot: Int) -> FieldEntry? {
        let entries = object.table.pointee.entries
        guard UInt(bitPattern: slot) < UInt(bitPattern: entries.count) else { return nil }
        return entries[slot]
    }

    /// Creates a value to check whether values of a type have the same bits as their storage.
    ///
    /// Generated types do. Handwritten types may have more properties, and are converted one by one.
    static func isLayout<Value: Message>(of type: Value.Type) -> Bool {
        guard MemoryLayout<Value>.size == MemoryLayout<MessageStorage>.size,
            MemoryLayout<Value>.stride == MemoryLayout<MessageStorage>.stride
        else { return false }
        let storage = MessageStorage()
        let value = Value(storage: storage)
        let found = withUnsafeBytes(of: value) { $0.loadUnaligned(as: UInt.self) }
        let expected = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: UInt.self) }
        return withExtendedLifetime((storage, value)) { found == expected }
    }
}

extension MessageSchema {
    /// A schema without fields.
    static let nothing = MessageSchema("", "")
}

extension MessageStorage {
    /// Whether a field is set; with implicit presence, whether it differs from zero or empty.
    public func has(_ slot: Int) -> Bool {
        guard let entry = entry(slot), entry.cell != .none else { return false }
        return object.memory.holds(entry, table)
    }

    /// Clears a field.
    public mutating func clear(_ slot: Int) {
        guard let entry = entry(slot), entry.cell != .none else { return }
        let memory = own()
        switch entry.presence {
        case .implicit: break
        case .explicit: memory.setBit(entry, false)
        case .oneof:
            let word = memory.word(entry)
            if word.pointee == entry.number { word.pointee = 0 }
        }
        memory.clearValue(entry, table)
    }

    /// The number of the set field of a oneof; 0 if none is set.
    public subscript(oneof index: Int) -> Int {
        let table = object.table.pointee
        guard UInt(bitPattern: index) < UInt(bitPattern: table.oneofCount) else { return 0 }
        return Int((object.memory + table.oneofs + index * 4).at(UInt32.self).pointee)
    }

    /// Clears the set field of a oneof.
    public mutating func clear(oneof index: Int) {
        if let slot = table.slot(of: UInt32(truncatingIfNeeded: self[oneof: index])) { clear(slot) }
    }
}

extension UnsafeMutableRawPointer {
    /// Whether a field is set in the object with this memory.
    @inline(__always)
    func holds(_ entry: FieldEntry, _ table: LayoutTable) -> Bool {
        if entry.cell.isReference { return holdsReference(entry) }
        return withUnsafePointer(to: entry) { holdsNumber($0) }
    }

    /// Whether a field without references is set.
    @inline(__always)
    func holdsNumber(_ entry: UnsafePointer<FieldEntry>) -> Bool {
        switch entry.pointee.presence {
        case .explicit: return bit(entry.pointee)
        case .oneof: return word(entry.pointee).pointee == entry.pointee.number
        case .implicit: break
        }
        let address = self + Int(entry.pointee.offset)
        switch entry.pointee.cell {
        case .bool: return address.at(UInt8.self).pointee != 0
        case .int32, .uint32, .float: return address.at(UInt32.self).pointee != 0
        default: return address.at(UInt64.self).pointee != 0
        }
    }

    private func holdsReference(_ entry: FieldEntry) -> Bool {
        let address = self + Int(entry.offset)
        return switch entry.cell {
        case .string: address.at(String?.self).pointee != nil
        case .bytes: address.at(Data?.self).pointee != nil
        // An empty array or dictionary is stored as nil.
        default: address.at(UInt.self).pointee != 0
        }
    }

    @inline(__always)
    func bit(_ entry: FieldEntry) -> Bool {
        let word = (self + LayoutTable.bits + Int(entry.mark >> 5) * 4).at(UInt32.self).pointee
        return word & (1 << UInt32(entry.mark & 31)) != 0
    }

    @inline(__always)
    fileprivate func setBit(_ entry: FieldEntry, _ value: Bool) {
        guard !entry.cell.isReference else { return }
        let word = (self + LayoutTable.bits + Int(entry.mark >> 5) * 4).at(UInt32.self)
        let bit: UInt32 = 1 << UInt32(entry.mark & 31)
        if value { word.pointee |= bit } else { word.pointee &= ~bit }
    }

    /// The word that contains the number of the set field in this field's oneof.
    @inline(__always)
    func word(_ entry: FieldEntry) -> UnsafeMutablePointer<UInt32> {
        (self + Int(entry.mark) * 4).at(UInt32.self)
    }

    /// Records that a field is set, and clears the previous field of its oneof.
    @inline(__always)
    func note(_ entry: FieldEntry, _ table: UnsafePointer<LayoutTable>) {
        switch entry.presence {
        case .implicit: break
        case .explicit: setBit(entry, true)
        case .oneof:
            let word = word(entry)
            if word.pointee != entry.number {
                clearField(number: word.pointee, table)
                word.pointee = entry.number
            }
        }
    }

    @inline(never)
    private func clearField(number: UInt32, _ table: UnsafePointer<LayoutTable>) {
        guard number != 0, let slot = table.pointee.slot(of: number) else { return }
        clearValue(table.pointee.entries[slot], table.pointee)
    }

    /// Replaces a field's value with its default.
    func clearValue(_ entry: FieldEntry, _ table: LayoutTable) {
        let address = self + Int(entry.offset)
        if entry.cell.isReference { address.release(entry.cell) }
        address.reset(entry, table.layout.fields[Int(entry.slot)].defaultValue)
    }
}

extension MessageStorage {
    var extras: MessageExtras? { object.memory.extrasAddress.pointee }

    /// Returns the extras for mutation; creates or copies them if needed.
    mutating func ownExtras() -> MessageExtras { own().extras() }

    /// The decoded fields that are not in the schema.
    var unknownFields: UnknownFields {
        get { extras?.unknown ?? UnknownFields() }
        set { if extras != nil || !newValue.isEmpty { ownExtras().unknown = newValue } }
    }

    /// Returns the path of the first missing required field; nil if none is missing.
    func firstMissing() -> String? {
        let table = object.table.pointee
        for entry in table.ordered {
            let field = table.layout.fields[Int(entry.slot)]
            if field.isRequired, !object.memory.holds(entry, table) { return field.name }
            if field.child != nil, let rest = firstMissing(field) { return "\(field.name)\(rest)" }
        }
        for (_, storage) in extensions {
            if let missing = storage.firstMissing() { return missing }
        }
        return nil
    }

    private func firstMissing(_ field: FieldSchema) -> String? {
        if let missing = child(field.slot)?.firstMissing() { return ".\(missing)" }
        for (index, child) in children(field.slot).enumerated() {
            if let missing = child.firstMissing() { return "[\(index)].\(missing)" }
        }
        for case (_, .message(let child)) in entries(field.slot) {
            if let missing = child.firstMissing() { return "[…].\(missing)" }
        }
        return nil
    }
}

// Equality follows protobuf's C++ implementation. A set field differs from an unset field. NaN differs from NaN, and 0
// equals -0 if both are set. With implicit presence, -0 sets a field but 0 does not. Strings compare as in Swift:
// canonically equivalent ones (U+00E9, and e with U+0301) are equal, also as map keys. Two storages that share an
// object are equal without a comparison, like arrays.
extension MessageStorage: Hashable {
    /// Compares the fields, then unknown fields and extensions.
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

    /// Hashes the values that `==` compares.
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
        extras === other.extras
            || unknownFields == other.unknownFields && extras?.extensions ?? [:] == other.extras?.extensions ?? [:]
    }
}

extension UnsafeMutableRawPointer {
    /// Whether the presence bits and oneof words are equal.
    fileprivate func hasSamePresence(as other: UnsafeMutableRawPointer, _ table: LayoutTable) -> Bool {
        let start = LayoutTable.bits
        let count = (table.oneofs - start) / 4 + table.oneofCount
        let (one, two) = ((self + start).at(UInt32.self), (other + start).at(UInt32.self))
        return (0..<count).allSatisfy { one[$0] == two[$0] }
    }

    fileprivate func isEqual(_ other: UnsafeMutableRawPointer, _ entry: FieldEntry, _ table: LayoutTable) -> Bool {
        let (one, two) = (self + Int(entry.offset), other + Int(entry.offset))
        func same<Value: Equatable>(_ type: Value.Type) -> Bool { one.at(type).pointee == two.at(type).pointee }
        // Two unset fields are equal, even with a default of NaN.
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
        case .map: table.map(entry).isEqual(one, two)
        default: entry.kind.stored.type.isEqualList(one, two)
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
        case .map: table.map(entry).hash(self, into: &hasher)
        default: entry.kind.stored.type.hashList(self, into: &hasher)
        }
    }
}
