// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

extension MessageStorage {
    /// A map to scalars.
    ///
    /// Keys that are texts are equal as Swift's are: of two entries whose keys are spellings of one text (U+00E9, and e with
    /// U+0301) the later one stays.
    public subscript<Key: MapKey, Value: FieldValue>(map slot: Int) -> [Key: Value] {
        get { map(slot, Value.storedKind) }
        _modify {
            var values: [Key: Value] = takeMap(slot, Value.storedKind)
            defer { setMap(slot, Value.storedKind, values) }
            yield &values
        }
    }

    /// A map to an enum's values, which are kept as numbers: each reading and writing makes them anew.
    public subscript<Key: MapKey, Value: ProtoEnum>(map slot: Int) -> [Key: Value] {
        get { map(slot, .int32).mapValues { (number: Int32) in Value(stored: number) } }
        _modify {
            var values: [Key: Value] = self[map: slot]
            defer { setMap(slot, .int32, values.mapValues(\.rawValue)) }
            yield &values
        }
    }

    /// A map to messages; reading takes the same time for any number of them, as of `messages`.
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

    /// A map to dates; each reading and writing makes them anew.
    public subscript<Key: MapKey>(map slot: Int) -> [Key: Date] {
        get { map(slot, .message).mapValues { (value: MessageStorage) in Moment(value).date } }
        _modify {
            var values: [Key: Date] = self[map: slot]
            defer { setMoments(slot, values.mapValues { Moment($0) }) }
            yield &values
        }
    }

    /// A map to durations; each reading and writing makes them anew.
    public subscript<Key: MapKey>(map slot: Int) -> [Key: Duration] {
        get { map(slot, .message).mapValues { (value: MessageStorage) in Moment(value).duration } }
        _modify {
            var values: [Key: Duration] = self[map: slot]
            defer { setMoments(slot, values.mapValues { Moment($0) }) }
            yield &values
        }
    }

    private mutating func setMoments<Key: MapKey>(_ slot: Int, _ moments: [Key: Moment]) {
        guard let entry = mapEntry(slot, Key.self, .message), let child = table.map(entry).child else { return }
        setMap(slot, .message, moments.mapValues { $0.storage(in: child.table) })
    }

    private func mapType<Value: Message>(_ slot: Int, _ type: Value.Type) -> ChildType? {
        guard let entry = entry(slot, .map) else { return nil }
        let map = table.map(entry)
        guard map.child != nil else { return nil }
        let child = table.children[map.typeIndex]
        return child.identity == ObjectIdentifier(type) ? child : nil
    }

    /// The field of a slot, if it is a map of these types.
    private func mapEntry<Key: MapKey>(_ slot: Int, _ key: Key.Type, _ value: StoredKind) -> FieldEntry? {
        guard let entry = entry(slot, .map) else { return nil }
        let map = table.map(entry)
        return map.key.stored == Key.storedKind && map.kind.stored == value ? entry : nil
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
    /// Storages as messages; `values(of:)` for arrays says why the cast is sound, and a dictionary is likewise one reference
    /// to a block that is reached through static types.
    fileprivate static func values<Key>(of storages: [Key: MessageStorage], _ type: ChildType) -> [Key: Self] {
        guard type.isItsStorage else { return storages.mapValues { Self(storage: $0) } }
        return unsafeBitCast(storages, to: [Key: Self].self)
    }

    fileprivate static func storages<Key>(of values: [Key: Self], _ type: ChildType) -> [Key: MessageStorage] {
        guard type.isItsStorage else { return values.mapValues(\.storage) }
        return unsafeBitCast(values, to: [Key: MessageStorage].self)
    }
}
