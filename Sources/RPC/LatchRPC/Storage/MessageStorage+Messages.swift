// SPDX-License-Identifier: Apache-2.0

extension MessageStorage {
    /// A message; one without values where the field is absent.
    public subscript<Value: Message>(message slot: Int) -> Value {
        get { Value(storage: child(slot, Value.self) ?? MessageStorage(Value.schema)) }
        set { setChild(slot, newValue.storage, Value.self) }
    }

    /// A message that may be absent.
    public subscript<Value: Message>(optionalMessage slot: Int) -> Value? {
        get { child(slot, Value.self).map { Value(storage: $0) } }
        set { if let newValue { setChild(slot, newValue.storage, Value.self) } else { clear(slot) } }
    }

    /// Several messages.
    ///
    /// Reading takes the same time for any number of them. They are kept as `[MessageStorage]`; an array of a generated
    /// message is that very array under another name, since each value of it is one storage and nothing else.
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

    /// The type of a field's messages, if it is `Value`.
    @inline(__always)
    func children<Value: Message>(_ slot: Int, _ type: Value.Type) -> ChildType? {
        guard let entry = entry(slot, .messages) else { return nil }
        let child = object.table.pointee.children[Int(entry.child)]
        return child.identity == ObjectIdentifier(type) ? child : nil
    }

    @inline(__always)
    private func child<Value: Message>(_ slot: Int, _ type: Value.Type) -> MessageStorage? {
        guard let entry = entry(slot, .message),
            object.table.pointee.children[Int(entry.child)].identity == ObjectIdentifier(type)
        else { return nil }
        return (object.memory + Int(entry.offset)).at(MessageStorage?.self).pointee
    }

    @inline(__always)
    private mutating func setChild<Value: Message>(_ slot: Int, _ value: MessageStorage, _ type: Value.Type) {
        guard let entry = entry(slot, .message),
            object.table.pointee.children[Int(entry.child)].identity == ObjectIdentifier(type)
        else { return }
        setChild(entry, value)
    }

    @inline(__always)
    mutating func setChild(_ entry: FieldEntry, _ value: MessageStorage) {
        let memory = own()
        memory.note(entry, object.table)
        (memory + Int(entry.offset)).at(MessageStorage?.self).pointee = value
    }
}

extension Message {
    /// Storages as messages.
    @inline(__always)
    static func values(of storages: [MessageStorage], _ type: ChildType) -> [Self] {
        guard type.isItsStorage else { return storages.map { Self(storage: $0) } }
        // Sound: `isItsStorage` has compared size, stride and bits of a Self with those of its storage. An array is one
        // reference to a block whose elements are reached through their static type, and whose own class ends them as
        // MessageStorage, which is what ending a Self does; both are structs, so no element is ever cast or bridged.
        return unsafeBitCast(storages, to: [Self].self)
    }

    /// Messages as storages; the reverse of `values`, and sound for the same reason.
    @inline(__always)
    static func storages(of values: [Self], _ type: ChildType) -> [MessageStorage] {
        guard type.isItsStorage else { return values.map(\.storage) }
        return unsafeBitCast(values, to: [MessageStorage].self)
    }
}
