// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

extension MessageStorage {
    /// The value of a Boolean field.
    public subscript(bool slot: Int) -> Bool {
        get { number(slot, .bool, false) }
        set { setNumber(slot, .bool, newValue) }
    }

    /// The value of a Boolean field; nil if it is absent.
    public subscript(optionalBool slot: Int) -> Bool? {
        get { has(slot) ? self[bool: slot] : nil }
        set { if let newValue { self[bool: slot] = newValue } else { clear(slot) } }
    }

    /// The value of a signed 32-bit field.
    public subscript(int32 slot: Int) -> Int32 {
        get { number(slot, .int32, 0) }
        set { setNumber(slot, .int32, newValue) }
    }

    /// The value of a signed 32-bit field; nil if it is absent.
    public subscript(optionalInt32 slot: Int) -> Int32? {
        get { has(slot) ? self[int32: slot] : nil }
        set { if let newValue { self[int32: slot] = newValue } else { clear(slot) } }
    }

    /// The value of a signed 64-bit field.
    public subscript(int64 slot: Int) -> Int64 {
        get { number(slot, .int64, 0) }
        set { setNumber(slot, .int64, newValue) }
    }

    /// The value of a signed 64-bit field; nil if it is absent.
    public subscript(optionalInt64 slot: Int) -> Int64? {
        get { has(slot) ? self[int64: slot] : nil }
        set { if let newValue { self[int64: slot] = newValue } else { clear(slot) } }
    }

    /// The value of an unsigned 32-bit field.
    public subscript(uint32 slot: Int) -> UInt32 {
        get { number(slot, .uint32, 0) }
        set { setNumber(slot, .uint32, newValue) }
    }

    /// The value of an unsigned 32-bit field; nil if it is absent.
    public subscript(optionalUInt32 slot: Int) -> UInt32? {
        get { has(slot) ? self[uint32: slot] : nil }
        set { if let newValue { self[uint32: slot] = newValue } else { clear(slot) } }
    }

    /// The value of an unsigned 64-bit field.
    public subscript(uint64 slot: Int) -> UInt64 {
        get { number(slot, .uint64, 0) }
        set { setNumber(slot, .uint64, newValue) }
    }

    /// The value of an unsigned 64-bit field; nil if it is absent.
    public subscript(optionalUInt64 slot: Int) -> UInt64? {
        get { has(slot) ? self[uint64: slot] : nil }
        set { if let newValue { self[uint64: slot] = newValue } else { clear(slot) } }
    }

    /// The value of a 32-bit floating-point field.
    public subscript(float slot: Int) -> Float {
        get { number(slot, .float, 0) }
        set { setNumber(slot, .float, newValue) }
    }

    /// The value of a 32-bit floating-point field; nil if it is absent.
    public subscript(optionalFloat slot: Int) -> Float? {
        get { has(slot) ? self[float: slot] : nil }
        set { if let newValue { self[float: slot] = newValue } else { clear(slot) } }
    }

    /// The value of a 64-bit floating-point field.
    public subscript(double slot: Int) -> Double {
        get { number(slot, .double, 0) }
        set { setNumber(slot, .double, newValue) }
    }

    /// The value of a 64-bit floating-point field; nil if it is absent.
    public subscript(optionalDouble slot: Int) -> Double? {
        get { has(slot) ? self[double: slot] : nil }
        set { if let newValue { self[double: slot] = newValue } else { clear(slot) } }
    }

    /// Reads a number from memory; the memory of an unset field contains its default.
    @inline(__always)
    func number<Value>(_ slot: Int, _ cell: ValueLayout, _ zero: Value) -> Value {
        guard let entry = entry(slot, cell) else { return zero }
        return (object.memory + Int(entry.offset)).at(Value.self).pointee
    }

    @inline(__always)
    mutating func setNumber<Value>(_ slot: Int, _ cell: ValueLayout, _ value: Value) {
        if let entry = entry(slot, cell) { set(entry, value) }
    }

    /// Sets a singular field; `Value` is the type of its memory.
    @inline(__always)
    mutating func set<Value>(_ entry: FieldEntry, _ value: Value) {
        let memory = own()
        memory.note(entry, object.table)
        (memory + Int(entry.offset)).at(Value.self).pointee = value
    }
}

extension MessageStorage {
    /// The value of a string field.
    public subscript(string slot: Int) -> String {
        get {
            guard let entry = entry(slot, .string) else { return "" }
            return (object.memory + Int(entry.offset)).at(String?.self).pointee ?? defaultText(slot)
        }
        set { if let entry = entry(slot, .string) { setText(entry, newValue) } }
    }

    /// The value of a string field; nil if it is absent.
    public subscript(optionalString slot: Int) -> String? {
        get { has(slot) ? self[string: slot] : nil }
        set { if let newValue { self[string: slot] = newValue } else { clear(slot) } }
    }

    /// The value of a bytes field.
    public subscript(bytes slot: Int) -> Data {
        get {
            guard let entry = entry(slot, .bytes) else { return Data() }
            return (object.memory + Int(entry.offset)).at(Data?.self).pointee ?? defaultBytes(slot)
        }
        set { if let entry = entry(slot, .bytes) { setText(entry, newValue) } }
    }

    /// The value of a bytes field; nil if it is absent.
    public subscript(optionalBytes slot: Int) -> Data? {
        get { has(slot) ? self[bytes: slot] : nil }
        set { if let newValue { self[bytes: slot] = newValue } else { clear(slot) } }
    }

    /// Sets a string or bytes.
    ///
    /// With implicit presence an empty value is stored as nil, so that equal messages have equal memory.
    @inline(__always)
    mutating func setText<Value: StoredText>(_ entry: FieldEntry, _ value: Value) {
        set(entry, entry.presence == .implicit && value.isEmpty ? nil : Optional(value))
    }

    private func defaultText(_ slot: Int) -> String {
        if case .text(let text)? = layout.fields[slot].defaultValue { text } else { "" }
    }

    private func defaultBytes(_ slot: Int) -> Data {
        if case .bytes(let bytes)? = layout.fields[slot].defaultValue { bytes } else { Data() }
    }
}

extension MessageStorage {
    /// The value of an enum field.
    public subscript<Value: ProtoEnum>(enum slot: Int) -> Value {
        @inlinable get { Value(stored: self[int32: slot]) }
        @inlinable set { self[int32: slot] = newValue.rawValue }
    }

    /// The value of an enum field; nil if it is absent.
    public subscript<Value: ProtoEnum>(optionalEnum slot: Int) -> Value? {
        get { has(slot) ? Value(stored: self[int32: slot]) : nil }
        set { self[optionalInt32: slot] = newValue?.rawValue }
    }

    /// The value of a repeated enum field, converted from numbers at each access.
    public subscript<Value: ProtoEnum>(enums slot: Int) -> [Value] {
        get { self[int32s: slot].map { Value(stored: $0) } }
        set { self[int32s: slot] = newValue.map(\.rawValue) }
    }
}

extension MessageStorage {
    /// The value of a message field; an empty message if it is absent.
    public subscript<Value: Message>(message slot: Int) -> Value {
        get { Value(storage: child(slot, Value.self) ?? MessageStorage(Value.schema)) }
        set { setChild(slot, newValue.storage, Value.self) }
    }

    /// The value of a message field; nil if it is absent.
    public subscript<Value: Message>(optionalMessage slot: Int) -> Value? {
        get { child(slot, Value.self).map { Value(storage: $0) } }
        set { if let newValue { setChild(slot, newValue.storage, Value.self) } else { clear(slot) } }
    }

    /// The value of a repeated message field.
    ///
    /// Reading takes constant time. The values are stored as `[MessageStorage]`. An array of a generated message type
    /// has the same bits, because each message consists only of its storage.
    public subscript<Value: Message>(messages slot: Int) -> [Value] {
        get {
            guard let type = children(slot, Value.self) else { return [] }
            return Value.values(of: list(slot, .messages), type)
        }
        _modify {
            var values: [Value] = []
            let type = children(slot, Value.self)
            if let type { values = Value.values(of: takeList(slot, .messages), type) }
            defer { if let type { setList(slot, .messages, Value.storages(of: values, type)) } }
            yield &values
        }
    }

    /// Returns the field of a slot, if it has this layout and its messages have this type.
    @inline(__always)
    private func entry<Value: Message>(_ slot: Int, _ cell: ValueLayout, of type: Value.Type) -> FieldEntry? {
        guard let entry = entry(slot, cell), table.children[Int(entry.child)].identity == ObjectIdentifier(type) else {
            return nil
        }
        return entry
    }

    /// Returns the type of a repeated field's messages, if it is `Value`.
    @inline(__always)
    private func children<Value: Message>(_ slot: Int, _ type: Value.Type) -> NestedType? {
        entry(slot, .messages, of: type).map { table.children[Int($0.child)] }
    }

    @inline(__always)
    private func child<Value: Message>(_ slot: Int, _ type: Value.Type) -> MessageStorage? {
        guard let entry = entry(slot, .message, of: type) else { return nil }
        return (object.memory + Int(entry.offset)).at(MessageStorage?.self).pointee
    }

    @inline(__always)
    private mutating func setChild<Value: Message>(_ slot: Int, _ value: MessageStorage, _ type: Value.Type) {
        if let entry = entry(slot, .message, of: type) { setChild(entry, value) }
    }

    @inline(__always)
    mutating func setChild(_ entry: FieldEntry, _ value: MessageStorage) { set(entry, Optional(value)) }
}

extension Message {
    /// Converts storages to messages.
    @inline(__always)
    static func values(of storages: [MessageStorage], _ type: NestedType) -> [Self] {
        guard type.isItsStorage else { return storages.map { Self(storage: $0) } }
        // The cast is sound: `isItsStorage` has compared size, stride and bits of a Self with those of its storage. An
        // array is a reference to a block whose elements are accessed through their static type. The block's class
        // releases its elements as MessageStorage, which is equivalent to releasing a Self. Both types are structs, so
        // elements are never cast or bridged dynamically.
        return unsafeBitCast(storages, to: [Self].self)
    }

    /// Converts messages to storages, the inverse of `values`; sound for the same reason.
    @inline(__always)
    static func storages(of values: [Self], _ type: NestedType) -> [MessageStorage] {
        guard type.isItsStorage else { return values.map(\.storage) }
        return unsafeBitCast(values, to: [MessageStorage].self)
    }
}

extension MessageStorage {
    /// The value of a Timestamp field as a date; 1970 if it is absent.
    public subscript(date slot: Int) -> Date {
        get { SecondsAndNanos(child(slot)).date }
        // If the same date is set again, precision of the Timestamp beyond that of Date is kept.
        set { if !has(slot) || self[date: slot] != newValue { setMoment(slot, SecondsAndNanos(newValue)) } }
    }

    /// The value of a Timestamp field as a date; nil if it is absent.
    public subscript(optionalDate slot: Int) -> Date? {
        get { child(slot).map { SecondsAndNanos($0).date } }
        set { if let newValue { self[date: slot] = newValue } else { clear(slot) } }
    }

    /// The value of a repeated Timestamp field as dates, converted at each access.
    public subscript(dates slot: Int) -> [Date] {
        get { children(slot).map { SecondsAndNanos($0).date } }
        set { setMoments(slot, newValue.map { SecondsAndNanos($0) }) }
    }

    /// The value of a Duration field; zero if it is absent.
    public subscript(duration slot: Int) -> Duration {
        get { SecondsAndNanos(child(slot)).duration }
        // If the same duration is set again, a stored value that Duration cannot represent exactly is kept.
        set { if !has(slot) || self[duration: slot] != newValue { setMoment(slot, SecondsAndNanos(newValue)) } }
    }

    /// The value of a Duration field; nil if it is absent.
    public subscript(optionalDuration slot: Int) -> Duration? {
        get { child(slot).map { SecondsAndNanos($0).duration } }
        set { if let newValue { self[duration: slot] = newValue } else { clear(slot) } }
    }

    /// The value of a repeated Duration field, converted at each access.
    public subscript(durations slot: Int) -> [Duration] {
        get { children(slot).map { SecondsAndNanos($0).duration } }
        set { setMoments(slot, newValue.map { SecondsAndNanos($0) }) }
    }

    private mutating func setMoment(_ slot: Int, _ moment: SecondsAndNanos) {
        guard let entry = entry(slot, .message), let child = table.child(entry) else { return }
        setChild(entry, moment.storage(in: child))
    }

    private mutating func setMoments(_ slot: Int, _ moments: [SecondsAndNanos]) {
        guard let entry = entry(slot, .messages), let child = table.child(entry) else { return }
        setList(slot, .messages, moments.map { $0.storage(in: child) })
    }
}

extension LayoutTable {
    /// Returns the layout table of a field's messages.
    @inline(__always)
    func child(_ entry: FieldEntry) -> UnsafePointer<LayoutTable>? {
        children[Int(entry.child)].message?._withUnsafeGuaranteedRef { $0.table }
    }
}
