// SPDX-License-Identifier: Apache-2.0

extension MessageStorage {
    /// A bool.
    public subscript(bool slot: Int) -> Bool {
        get { number(slot, .bool, false) }
        set { setNumber(slot, .bool, newValue) }
    }

    /// A bool that may be absent.
    public subscript(optionalBool slot: Int) -> Bool? {
        get { has(slot) ? self[bool: slot] : nil }
        set { if let newValue { self[bool: slot] = newValue } else { clear(slot) } }
    }

    /// A number of 32 bits.
    public subscript(int32 slot: Int) -> Int32 {
        get { number(slot, .int32, 0) }
        set { setNumber(slot, .int32, newValue) }
    }

    /// A number of 32 bits that may be absent.
    public subscript(optionalInt32 slot: Int) -> Int32? {
        get { has(slot) ? self[int32: slot] : nil }
        set { if let newValue { self[int32: slot] = newValue } else { clear(slot) } }
    }

    /// A number of 64 bits.
    public subscript(int64 slot: Int) -> Int64 {
        get { number(slot, .int64, 0) }
        set { setNumber(slot, .int64, newValue) }
    }

    /// A number of 64 bits that may be absent.
    public subscript(optionalInt64 slot: Int) -> Int64? {
        get { has(slot) ? self[int64: slot] : nil }
        set { if let newValue { self[int64: slot] = newValue } else { clear(slot) } }
    }

    /// A number of 32 bits without sign.
    public subscript(uint32 slot: Int) -> UInt32 {
        get { number(slot, .uint32, 0) }
        set { setNumber(slot, .uint32, newValue) }
    }

    /// A number of 32 bits without sign that may be absent.
    public subscript(optionalUInt32 slot: Int) -> UInt32? {
        get { has(slot) ? self[uint32: slot] : nil }
        set { if let newValue { self[uint32: slot] = newValue } else { clear(slot) } }
    }

    /// A number of 64 bits without sign.
    public subscript(uint64 slot: Int) -> UInt64 {
        get { number(slot, .uint64, 0) }
        set { setNumber(slot, .uint64, newValue) }
    }

    /// A number of 64 bits without sign that may be absent.
    public subscript(optionalUInt64 slot: Int) -> UInt64? {
        get { has(slot) ? self[uint64: slot] : nil }
        set { if let newValue { self[uint64: slot] = newValue } else { clear(slot) } }
    }

    /// A number with a fraction, of 32 bits.
    public subscript(float slot: Int) -> Float {
        get { number(slot, .float, 0) }
        set { setNumber(slot, .float, newValue) }
    }

    /// A number with a fraction, of 32 bits that may be absent.
    public subscript(optionalFloat slot: Int) -> Float? {
        get { has(slot) ? self[float: slot] : nil }
        set { if let newValue { self[float: slot] = newValue } else { clear(slot) } }
    }

    /// A number with a fraction, of 64 bits.
    public subscript(double slot: Int) -> Double {
        get { number(slot, .double, 0) }
        set { setNumber(slot, .double, newValue) }
    }

    /// A number with a fraction, of 64 bits that may be absent.
    public subscript(optionalDouble slot: Int) -> Double? {
        get { has(slot) ? self[double: slot] : nil }
        set { if let newValue { self[double: slot] = newValue } else { clear(slot) } }
    }

    /// What lies at a field's place; the memory of a field without a value holds its default.
    @inline(__always)
    func number<Value>(_ slot: Int, _ cell: Cell, _ zero: Value) -> Value {
        guard let entry = entry(slot, cell) else { return zero }
        return (object.memory + Int(entry.offset)).at(Value.self).pointee
    }

    @inline(__always)
    mutating func setNumber<Value>(_ slot: Int, _ cell: Cell, _ value: Value) {
        guard let entry = entry(slot, cell) else { return }
        let memory = own()
        memory.note(entry, object.table)
        (memory + Int(entry.offset)).at(Value.self).pointee = value
    }
}
