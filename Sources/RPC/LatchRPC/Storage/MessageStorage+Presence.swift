// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension MessageStorage {
    /// Whether a field has a value: set, where it knows that, else different from zero or from empty.
    public func has(_ slot: Int) -> Bool {
        guard let entry = entry(slot), entry.cell != .none else { return false }
        return object.memory.holds(entry, table)
    }

    /// Takes a field's value away.
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

    /// The number of the field that is set in a oneof; 0 where none is.
    public subscript(oneof index: Int) -> Int {
        let table = object.table.pointee
        guard UInt(bitPattern: index) < UInt(bitPattern: table.oneofCount) else { return 0 }
        return Int((object.memory + table.oneofs + index * 4).at(UInt32.self).pointee)
    }

    /// Takes away the value of whichever field is set in a oneof.
    public mutating func clear(oneof index: Int) {
        if let slot = table.slot(of: UInt32(truncatingIfNeeded: self[oneof: index])) { clear(slot) }
    }

    /// Whether each field that the schema requires is set, here and in the messages inside.
    var isInitialized: Bool { firstMissing() == nil }
}

extension UnsafeMutableRawPointer {
    /// Whether the field of an object whose memory this is has a value.
    @inline(__always)
    func holds(_ entry: FieldEntry, _ table: LayoutTable) -> Bool {
        if entry.cell.isReference { return holdsReference(entry, table) }
        return withUnsafePointer(to: entry) { holdsNumber($0) }
    }

    /// Whether a field that holds no reference has a value.
    @inline(__always)
    func holdsNumber(_ entry: UnsafePointer<FieldEntry>) -> Bool {
        switch entry.pointee.presence {
        case .explicit: return bit(entry.pointee)
        case .oneof: return word(entry.pointee).pointee == entry.pointee.number
        case .implicit: break
        }
        let place = self + Int(entry.pointee.offset)
        switch entry.pointee.cell {
        case .bool: return place.at(UInt8.self).pointee != 0
        case .int32, .uint32, .float: return place.at(UInt32.self).pointee != 0
        default: return place.at(UInt64.self).pointee != 0
        }
    }

    private func holdsReference(_ entry: FieldEntry, _ table: LayoutTable) -> Bool {
        let place = self + Int(entry.offset)
        return switch entry.cell {
        case .string: place.at(String?.self).pointee != nil
        case .bytes: place.at(Data?.self).pointee != nil
        case .map: !table.map(entry).isEmpty(place)
        // An array that is empty is kept as none.
        default: place.at(UInt.self).pointee != 0
        }
    }

    @inline(__always)
    func bit(_ entry: FieldEntry) -> Bool {
        let word = (self + LayoutTable.bits + Int(entry.mark >> 5) * 4).at(UInt32.self).pointee
        return word & (1 << UInt32(entry.mark & 31)) != 0
    }

    @inline(__always)
    func setBit(_ entry: FieldEntry, _ value: Bool) {
        guard !entry.cell.isReference else { return }
        let word = (self + LayoutTable.bits + Int(entry.mark >> 5) * 4).at(UInt32.self)
        let bit: UInt32 = 1 << UInt32(entry.mark & 31)
        if value { word.pointee |= bit } else { word.pointee &= ~bit }
    }

    /// The word that names the field which is set in this field's oneof.
    @inline(__always)
    func word(_ entry: FieldEntry) -> UnsafeMutablePointer<UInt32> {
        (self + Int(entry.mark) * 4).at(UInt32.self)
    }

    /// Notes that a field is being set; what its oneof held before is taken away.
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

    /// Ends a field's value and puts its default in the place.
    func clearValue(_ entry: FieldEntry, _ table: LayoutTable) {
        let place = self + Int(entry.offset)
        place.release(entry.cell, table.map(entry))
        place.reset(entry, table.layout.fields[Int(entry.slot)].defaultValue)
    }
}
