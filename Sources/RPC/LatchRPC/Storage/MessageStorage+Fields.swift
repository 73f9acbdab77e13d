// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// One value of any kind, for code that goes through a message's fields by its schema.
enum FieldContent: Sendable, Hashable {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case uint32(UInt32)
    case uint64(UInt64)
    case float(Float)
    case double(Double)
    case string(String)
    case bytes(Data)
    case message(MessageStorage)
}

// For what goes through fields by the schema (JSON, text, descriptions), without their Swift types. Enums are `int32`.
extension MessageStorage {
    /// The message of a field; nil where it is absent.
    func child(_ slot: Int) -> MessageStorage? {
        guard let entry = entry(slot, .message) else { return nil }
        return (object.memory + Int(entry.offset)).at(MessageStorage?.self).pointee
    }

    /// Sets the message of a field; it must be of the field's type, else nothing is set.
    mutating func setChild(_ slot: Int, _ child: MessageStorage) {
        guard let entry = entry(slot, .message), table.child(entry) == child.object.table else { return }
        setChild(entry, child)
    }

    /// The messages of a field.
    func children(_ slot: Int) -> [MessageStorage] { list(slot, .messages) }

    /// Adds a message to a field; it must be of the field's type, else nothing is added.
    mutating func appendChild(_ slot: Int, _ child: MessageStorage) {
        guard let entry = entry(slot, .messages), table.child(entry) == child.object.table else { return }
        var children: [MessageStorage] = takeList(slot, .messages)
        children.append(child)
        setList(slot, .messages, children)
    }

    /// A message without values of the type that a field holds, be it one, several or the values of a map.
    func makeChild(_ slot: Int) -> MessageStorage? {
        guard UInt(bitPattern: slot) < UInt(bitPattern: layout.fields.count) else { return nil }
        return layout.fields[slot].child.map { MessageStorage($0) }
    }

    /// The value of a field that is neither repeated nor a map.
    func content(_ slot: Int) -> FieldContent? {
        switch entry(slot)?.cell {
        case .bool: .bool(self[bool: slot])
        case .int32: .int32(self[int32: slot])
        case .int64: .int64(self[int64: slot])
        case .uint32: .uint32(self[uint32: slot])
        case .uint64: .uint64(self[uint64: slot])
        case .float: .float(self[float: slot])
        case .double: .double(self[double: slot])
        case .string: .string(self[string: slot])
        case .bytes: .bytes(self[bytes: slot])
        case .message: child(slot).map { .message($0) }
        default: nil
        }
    }

    /// The values of a repeated field.
    func contents(_ slot: Int) -> [FieldContent] {
        switch entry(slot)?.cell {
        case .bools: self[bools: slot].map { .bool($0) }
        case .int32s: self[int32s: slot].map { .int32($0) }
        case .int64s: self[int64s: slot].map { .int64($0) }
        case .uint32s: self[uint32s: slot].map { .uint32($0) }
        case .uint64s: self[uint64s: slot].map { .uint64($0) }
        case .floats: self[floats: slot].map { .float($0) }
        case .doubles: self[doubles: slot].map { .double($0) }
        case .strings: self[strings: slot].map { .string($0) }
        case .datas: self[datas: slot].map { .bytes($0) }
        case .messages: children(slot).map { .message($0) }
        default: []
        }
    }

    /// Sets the value of a field that is neither repeated nor a map; a value of another kind sets nothing.
    mutating func setContent(_ slot: Int, _ content: FieldContent) {
        switch content {
        case .bool(let value): self[bool: slot] = value
        case .int32(let value): self[int32: slot] = value
        case .int64(let value): self[int64: slot] = value
        case .uint32(let value): self[uint32: slot] = value
        case .uint64(let value): self[uint64: slot] = value
        case .float(let value): self[float: slot] = value
        case .double(let value): self[double: slot] = value
        case .string(let value): self[string: slot] = value
        case .bytes(let value): self[bytes: slot] = value
        case .message(let value): setChild(slot, value)
        }
    }

    /// Adds a value to a repeated field; a value of another kind adds nothing.
    mutating func appendContent(_ slot: Int, _ content: FieldContent) {
        switch content {
        case .bool(let value): self[bools: slot].append(value)
        case .int32(let value): self[int32s: slot].append(value)
        case .int64(let value): self[int64s: slot].append(value)
        case .uint32(let value): self[uint32s: slot].append(value)
        case .uint64(let value): self[uint64s: slot].append(value)
        case .float(let value): self[floats: slot].append(value)
        case .double(let value): self[doubles: slot].append(value)
        case .string(let value): self[strings: slot].append(value)
        case .bytes(let value): self[datas: slot].append(value)
        case .message(let value): appendChild(slot, value)
        }
    }

    /// The number of entries of a map.
    func entryCount(_ slot: Int) -> Int {
        guard let entry = entry(slot, .map) else { return 0 }
        return table.map(entry).count(object.memory + Int(entry.offset))
    }

    /// Calls `body` with each key and value of a map, in the order of the keys where `sorted` is said.
    func forEachEntry<Failure: Error>(
        _ slot: Int, sorted: Bool = false, _ body: (FieldContent, FieldContent) throws(Failure) -> Void
    ) throws(Failure) {
        guard let entry = entry(slot, .map) else { return }
        for (key, value) in table.map(entry).entries(object.memory + Int(entry.offset), sorted: sorted) {
            try body(key, value)
        }
    }

    /// Sets the value of a key in a map; a key or a value of another kind sets nothing.
    ///
    /// Answers whether the key was new.
    @discardableResult
    mutating func setEntry(_ slot: Int, _ key: FieldContent, _ value: FieldContent) -> Bool {
        guard let entry = entry(slot, .map) else { return false }
        let map = table.map(entry)
        return map.set(own() + Int(entry.offset), key, value)
    }
}
