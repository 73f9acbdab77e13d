// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

extension MessageStorage {
    /// Several bools.
    public subscript(bools slot: Int) -> [Bool] {
        get { list(slot, .bools) }
        _modify {
            var values: [Bool] = takeList(slot, .bools)
            defer { setList(slot, .bools, values) }
            yield &values
        }
    }

    /// Several numbers of 32 bits.
    public subscript(int32s slot: Int) -> [Int32] {
        get { list(slot, .int32s) }
        _modify {
            var values: [Int32] = takeList(slot, .int32s)
            defer { setList(slot, .int32s, values) }
            yield &values
        }
    }

    /// Several numbers of 64 bits.
    public subscript(int64s slot: Int) -> [Int64] {
        get { list(slot, .int64s) }
        _modify {
            var values: [Int64] = takeList(slot, .int64s)
            defer { setList(slot, .int64s, values) }
            yield &values
        }
    }

    /// Several numbers of 32 bits without sign.
    public subscript(uint32s slot: Int) -> [UInt32] {
        get { list(slot, .uint32s) }
        _modify {
            var values: [UInt32] = takeList(slot, .uint32s)
            defer { setList(slot, .uint32s, values) }
            yield &values
        }
    }

    /// Several numbers of 64 bits without sign.
    public subscript(uint64s slot: Int) -> [UInt64] {
        get { list(slot, .uint64s) }
        _modify {
            var values: [UInt64] = takeList(slot, .uint64s)
            defer { setList(slot, .uint64s, values) }
            yield &values
        }
    }

    /// Several numbers with fractions, of 32 bits.
    public subscript(floats slot: Int) -> [Float] {
        get { list(slot, .floats) }
        _modify {
            var values: [Float] = takeList(slot, .floats)
            defer { setList(slot, .floats, values) }
            yield &values
        }
    }

    /// Several numbers with fractions, of 64 bits.
    public subscript(doubles slot: Int) -> [Double] {
        get { list(slot, .doubles) }
        _modify {
            var values: [Double] = takeList(slot, .doubles)
            defer { setList(slot, .doubles, values) }
            yield &values
        }
    }

    /// Several texts.
    public subscript(strings slot: Int) -> [String] {
        get { list(slot, .strings) }
        _modify {
            var values: [String] = takeList(slot, .strings)
            defer { setList(slot, .strings, values) }
            yield &values
        }
    }

    /// Several runs of bytes.
    public subscript(datas slot: Int) -> [Data] {
        get { list(slot, .datas) }
        _modify {
            var values: [Data] = takeList(slot, .datas)
            defer { setList(slot, .datas, values) }
            yield &values
        }
    }

    @inline(__always)
    func list<Value>(_ slot: Int, _ cell: Cell) -> [Value] {
        guard let entry = entry(slot, cell) else { return [] }
        return (object.memory + Int(entry.offset)).at([Value]?.self).pointee ?? []
    }

    /// Takes the values out, so that they can be changed where they are; `setList` puts them back.
    @inline(__always)
    mutating func takeList<Value>(_ slot: Int, _ cell: Cell) -> [Value] {
        guard let entry = entry(slot, cell) else { return [] }
        return (own() + Int(entry.offset)).at([Value]?.self).pointee.take() ?? []
    }

    /// Puts values in; none are kept as nil.
    @inline(__always)
    mutating func setList<Value>(_ slot: Int, _ cell: Cell, _ values: [Value]) {
        guard let entry = entry(slot, cell) else { return }
        (own() + Int(entry.offset)).at([Value]?.self).pointee = values.isEmpty ? nil : values
    }
}
