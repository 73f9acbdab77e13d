// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

extension MessageStorage {
    /// The value of a repeated Boolean field.
    public subscript(bools slot: Int) -> [Bool] {
        get { list(slot, .bools) }
        _modify { yield &self[list: slot, .bools] }
    }

    /// The value of a repeated signed 32-bit field.
    public subscript(int32s slot: Int) -> [Int32] {
        get { list(slot, .int32s) }
        _modify { yield &self[list: slot, .int32s] }
    }

    /// The value of a repeated signed 64-bit field.
    public subscript(int64s slot: Int) -> [Int64] {
        get { list(slot, .int64s) }
        _modify { yield &self[list: slot, .int64s] }
    }

    /// The value of a repeated unsigned 32-bit field.
    public subscript(uint32s slot: Int) -> [UInt32] {
        get { list(slot, .uint32s) }
        _modify { yield &self[list: slot, .uint32s] }
    }

    /// The value of a repeated unsigned 64-bit field.
    public subscript(uint64s slot: Int) -> [UInt64] {
        get { list(slot, .uint64s) }
        _modify { yield &self[list: slot, .uint64s] }
    }

    /// The value of a repeated 32-bit floating-point field.
    public subscript(floats slot: Int) -> [Float] {
        get { list(slot, .floats) }
        _modify { yield &self[list: slot, .floats] }
    }

    /// The value of a repeated 64-bit floating-point field.
    public subscript(doubles slot: Int) -> [Double] {
        get { list(slot, .doubles) }
        _modify { yield &self[list: slot, .doubles] }
    }

    /// The value of a repeated string field.
    public subscript(strings slot: Int) -> [String] {
        get { list(slot, .strings) }
        _modify { yield &self[list: slot, .strings] }
    }

    /// The value of a repeated bytes field.
    public subscript(datas slot: Int) -> [Data] {
        get { list(slot, .datas) }
        _modify { yield &self[list: slot, .datas] }
    }

    /// The elements of a repeated field in their memory representation, mutated in place.
    subscript<Value>(list slot: Int, cell: ValueLayout) -> [Value] {
        @inline(__always) get { list(slot, cell) }
        @inline(__always) _modify {
            var values: [Value] = takeList(slot, cell)
            defer { setList(slot, cell, values) }
            yield &values
        }
    }

    @inline(__always)
    func list<Value>(_ slot: Int, _ cell: ValueLayout) -> [Value] {
        guard let entry = entry(slot, cell) else { return [] }
        return (object.memory + Int(entry.offset)).at([Value]?.self).pointee ?? []
    }

    /// Moves the values out for mutation in place; `setList` puts them back.
    @inline(__always)
    mutating func takeList<Value>(_ slot: Int, _ cell: ValueLayout) -> [Value] {
        guard let entry = entry(slot, cell) else { return [] }
        return (own() + Int(entry.offset)).at([Value]?.self).pointee.take() ?? []
    }

    /// Stores values; an empty array is stored as nil.
    @inline(__always)
    mutating func setList<Value>(_ slot: Int, _ cell: ValueLayout, _ values: [Value]) {
        guard let entry = entry(slot, cell) else { return }
        (own() + Int(entry.offset)).at([Value]?.self).pointee = values.isEmpty ? nil : values
    }
}

extension MessageStorage {
    /// The value of a map field with scalar values.
    ///
    /// String keys compare as in Swift. If two keys are canonically equivalent (U+00E9, and e with U+0301), the later
    /// entry stays.
    public subscript<Key: MapKey, Value: FieldValue>(map slot: Int) -> [Key: Value] {
        get { map(slot, Value.fieldAccess.kind) }
        _modify {
            let kind = Value.fieldAccess.kind
            var values: [Key: Value] = takeMap(slot, kind)
            defer { setMap(slot, kind, values) }
            yield &values
        }
    }

    /// The value of a map field with enum values, converted from numbers at each access.
    public subscript<Key: MapKey, Value: ProtoEnum>(map slot: Int) -> [Key: Value] {
        get { map(slot, .int32).mapValues { (number: Int32) in Value(stored: number) } }
        set { setMap(slot, .int32, newValue.mapValues(\.rawValue)) }
    }

    /// The value of a map field with messages; reading takes constant time, as with `messages`.
    public subscript<Key: MapKey, Value: Message>(map slot: Int) -> [Key: Value] {
        get {
            guard let type = mapType(slot, Value.self) else { return [:] }
            return Value.values(of: map(slot, .message), type)
        }
        _modify {
            var values: [Key: Value] = [:]
            let type = mapType(slot, Value.self)
            if let type { values = Value.values(of: takeMap(slot, .message), type) }
            defer { if let type { setMap(slot, .message, Value.storages(of: values, type)) } }
            yield &values
        }
    }

    /// The value of a map field with timestamps, converted at each access.
    public subscript<Key: MapKey>(map slot: Int) -> [Key: Date] {
        get { map(slot, .message).mapValues { (value: MessageStorage) in SecondsAndNanos(value).date } }
        set { setMoments(slot, newValue.mapValues { SecondsAndNanos($0) }) }
    }

    /// The value of a map field with durations, converted at each access.
    public subscript<Key: MapKey>(map slot: Int) -> [Key: Duration] {
        get { map(slot, .message).mapValues { (value: MessageStorage) in SecondsAndNanos(value).duration } }
        set { setMoments(slot, newValue.mapValues { SecondsAndNanos($0) }) }
    }

    private mutating func setMoments<Key: MapKey>(_ slot: Int, _ moments: [Key: SecondsAndNanos]) {
        guard let entry = mapEntry(slot, Key.self, .message), let child = table.map(entry).field.child else { return }
        setMap(slot, .message, moments.mapValues { $0.storage(in: child.table) })
    }

    private func mapType<Value: Message>(_ slot: Int, _ type: Value.Type) -> NestedType? {
        guard let entry = entry(slot, .map) else { return nil }
        let field = table.map(entry).field
        guard field.child != nil, let index = field.typeIndex else { return nil }
        let child = table.children[index]
        return child.identity == ObjectIdentifier(type) ? child : nil
    }

    /// Returns the field of a slot, if it is a map of these types.
    private func mapEntry<Key: MapKey>(_ slot: Int, _ key: Key.Type, _ value: StoredKind) -> FieldEntry? {
        guard let entry = entry(slot, .map) else { return nil }
        let map = table.map(entry)
        return map.key.stored == Key.fieldAccess.kind && map.kind.stored == value ? entry : nil
    }

    private func map<Key: MapKey, Value>(_ slot: Int, _ kind: StoredKind) -> [Key: Value] {
        guard let entry = mapEntry(slot, Key.self, kind) else { return [:] }
        return (object.memory + Int(entry.offset)).at([Key: Value]?.self).pointee ?? [:]
    }

    private mutating func takeMap<Key: MapKey, Value>(_ slot: Int, _ kind: StoredKind) -> [Key: Value] {
        guard let entry = mapEntry(slot, Key.self, kind) else { return [:] }
        return (own() + Int(entry.offset)).at([Key: Value]?.self).pointee.take() ?? [:]
    }

    private mutating func setMap<Key: MapKey, Value>(_ slot: Int, _ kind: StoredKind, _ values: [Key: Value]) {
        guard let entry = mapEntry(slot, Key.self, kind) else { return }
        (own() + Int(entry.offset)).at([Key: Value]?.self).pointee = values.isEmpty ? nil : values
    }
}

extension Message {
    /// Converts storages to messages.
    ///
    /// The cast is sound for the reasons in `values(of:)` for arrays. A dictionary is also a reference to a block that
    /// is accessed through static types.
    fileprivate static func values<Key>(of storages: [Key: MessageStorage], _ type: NestedType) -> [Key: Self] {
        guard type.isItsStorage else { return storages.mapValues { Self(storage: $0) } }
        return unsafeBitCast(storages, to: [Key: Self].self)
    }

    fileprivate static func storages<Key>(of values: [Key: Self], _ type: NestedType) -> [Key: MessageStorage] {
        guard type.isItsStorage else { return values.mapValues(\.storage) }
        return unsafeBitCast(values, to: [Key: MessageStorage].self)
    }
}
