// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A value of any field type, for code that accesses fields by schema.
enum AnyFieldValue: Sendable, Hashable {
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

// The access by schema, without Swift types, for JSON, the text format and descriptions. Enums are `int32`.
extension MessageStorage {
    /// Returns the message of a field; nil if it is absent.
    func child(_ slot: Int) -> MessageStorage? {
        guard let entry = entry(slot, .message) else { return nil }
        return (object.memory + Int(entry.offset)).at(MessageStorage?.self).pointee
    }

    /// Sets the message of a field; ignored if it has another type.
    mutating func setChild(_ slot: Int, _ child: MessageStorage) {
        guard let entry = entry(slot, .message), table.child(entry) == child.object.table else { return }
        setChild(entry, child)
    }

    /// Returns the messages of a repeated field.
    func children(_ slot: Int) -> [MessageStorage] { list(slot, .messages) }

    /// Appends a message to a field; ignored if it has another type.
    private mutating func appendChild(_ slot: Int, _ child: MessageStorage) {
        guard let entry = entry(slot, .messages), table.child(entry) == child.object.table else { return }
        var children: [MessageStorage] = takeList(slot, .messages)
        children.append(child)
        setList(slot, .messages, children)
    }

    /// Returns an empty message of a field's type.
    func makeChild(_ slot: Int) -> MessageStorage? {
        guard UInt(bitPattern: slot) < UInt(bitPattern: layout.fields.count) else { return nil }
        return layout.fields[slot].child.map { MessageStorage($0) }
    }

    /// Returns the value of a singular field.
    func content(_ slot: Int) -> AnyFieldValue? {
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

    /// Returns the values of a repeated field.
    func contents(_ slot: Int) -> [AnyFieldValue] {
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

    /// Sets the value of a singular field; ignored if it has another type.
    mutating func setContent(_ slot: Int, _ content: AnyFieldValue) {
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

    /// Appends a value to a repeated field; ignored if it has another type.
    mutating func appendContent(_ slot: Int, _ content: AnyFieldValue) {
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

    /// Returns the number of entries of a map.
    func entryCount(_ slot: Int) -> Int {
        guard let entry = entry(slot, .map) else { return 0 }
        return table.map(entry).count(object.memory + Int(entry.offset))
    }

    /// Calls `body` with each key and value of a map, sorted by key if requested.
    func forEachEntry<Failure: Error>(
        _ slot: Int, sorted: Bool = false, _ body: (AnyFieldValue, AnyFieldValue) throws(Failure) -> Void
    ) throws(Failure) {
        guard let entry = entry(slot, .map) else { return }
        for (key, value) in table.map(entry).entries(object.memory + Int(entry.offset), sorted: sorted) {
            try body(key, value)
        }
    }

    /// Sets an entry of a map; ignored if it has other types.
    ///
    /// Returns whether the key was new.
    @discardableResult
    mutating func setEntry(_ slot: Int, _ key: AnyFieldValue, _ value: AnyFieldValue) -> Bool {
        guard let entry = entry(slot, .map) else { return false }
        let map = table.map(entry)
        return map.set(own() + Int(entry.offset), key, value)
    }
}

extension MessageStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and the fields that are set, with secrets redacted in nested messages too.
    public var description: String {
        var parts: [String] = []
        let table = object.table.pointee
        for entry in table.entries where entry.cell != .none && object.memory.holds(entry, table) {
            let field = table.layout.fields[Int(entry.slot)]
            parts.append("\(field.name): \(field.isSecret ? "<redacted>" : described(field))")
        }
        for (_, storage) in extras?.extensions.sorted(by: { $0.key < $1.key }) ?? [] {
            parts += storage.describedFields()
        }
        // Unknown fields may be secret.
        if let count = extras?.unknown.bytes.count, count > 0 { parts.append("unknown: \(count) bytes") }
        return "\(table.layout.name)(\(parts.joined(separator: ", ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// An empty mirror, since a full one would show redacted values.
    public var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }

    private func describedFields() -> [String] {
        let fields = layout.fields.filter { has($0.slot) }
        return fields.map { "[\($0.name)]: \($0.isSecret ? "<redacted>" : described($0))" }
    }

    private func described(_ field: FieldSchema) -> String {
        switch field.cardinality {
        case .singular: return content(field.slot).map { Self.described($0, field) } ?? ""
        case .repeated:
            return "[\(contents(field.slot).map { Self.described($0, field) }.joined(separator: ", "))]"
        case .map:
            var entries: [String] = []
            forEachEntry(field.slot, sorted: true) { key, value in
                entries.append("\(Self.described(key, nil)): \(Self.described(value, field))")
            }
            return "[\(entries.joined(separator: ", "))]"
        }
    }

    private static func described(_ content: AnyFieldValue, _ field: FieldSchema?) -> String {
        switch content {
        case .bool(let value): value.description
        case .int32(let value): field?.enumeration?.name(of: value) ?? value.description
        case .int64(let value): value.description
        case .uint32(let value): value.description
        case .uint64(let value): value.description
        case .float(let value): value.description
        case .double(let value): value.description
        case .string(let value): value.debugDescription
        case .bytes(let value): "\(value.count) bytes"
        case .message(let value): value.description
        }
    }
}
