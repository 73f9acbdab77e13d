// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

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

    /// Returns the value if it has the given type.
    @inline(__always)
    func value<Value>(as type: Value.Type) -> Value? {
        switch self {
        case .bool(let value): value as? Value
        case .int32(let value): value as? Value
        case .int64(let value): value as? Value
        case .uint32(let value): value as? Value
        case .uint64(let value): value as? Value
        case .float(let value): value as? Value
        case .double(let value): value as? Value
        case .string(let value): value as? Value
        case .bytes(let value): value as? Value
        case .message(let value): value as? Value
        }
    }
}

// Access by schema, without Swift types, for JSON, the text format and descriptions. Enums are `int32`.
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

    /// Returns the value of a singular field.
    func content(_ slot: Int) -> AnyFieldValue? {
        guard let entry = entry(slot), entry.cell.isSingular, entry.cell != .message || has(slot) else { return nil }
        return entry.kind.stored.type.load(self, slot).content
    }

    /// Returns the values of a repeated field.
    func contents(_ slot: Int) -> [AnyFieldValue] {
        entry(slot).map { $0.kind.stored.type.contents(self, slot) } ?? []
    }

    /// Sets the value of a singular field; ignored if it has another type.
    mutating func setContent(_ slot: Int, _ content: AnyFieldValue) {
        if let entry = entry(slot) { entry.kind.stored.type.store(content, &self, slot) }
    }

    /// Appends a value to a repeated field; ignored if it has another type.
    mutating func appendContent(_ slot: Int, _ content: AnyFieldValue) {
        guard let entry = entry(slot) else { return }
        if case .message(let child) = content, entry.cell != .messages || table.child(entry) != child.object.table {
            return
        }
        entry.kind.stored.type.append(content, &self, slot)
    }

    /// Returns the keys and values of a map, sorted by key.
    func entries(_ slot: Int) -> [(key: AnyFieldValue, value: AnyFieldValue)] {
        guard let entry = entry(slot, .map) else { return [] }
        return table.map(entry).entries(object.memory + Int(entry.offset))
    }

    /// Returns the defaults for a map entry's key and value.
    func emptyEntry(_ slot: Int) -> (key: AnyFieldValue, value: AnyFieldValue)? {
        entry(slot, .map).flatMap { table.map($0).emptyEntry() }
    }

    /// Sets an entry of a map; ignored if it has other types.
    ///
    /// - Returns: Whether the key was new.
    @discardableResult
    mutating func setEntry(_ slot: Int, _ key: AnyFieldValue, _ value: AnyFieldValue) -> Bool {
        guard let entry = entry(slot, .map) else { return false }
        let map = table.map(entry)
        return map.set(own() + Int(entry.offset), key, value)
    }
}

extension MessageStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and the set fields, with secrets redacted, also in nested messages.
    public var description: String {
        var parts = describedFields(\.name)
        for (_, values) in extensions { parts += values.describedFields { "[\($0.name)]" } }
        // Unknown fields may be secret.
        if !unknownFields.isEmpty { parts.append("unknown: \(unknownFields.bytes.count) bytes") }
        return "\(layout.name)(\(parts.joined(separator: ", ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// An empty mirror, because a full one would show redacted values.
    public var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }

    private func describedFields(_ name: (FieldSchema) -> String) -> [String] {
        layout.fields.filter { has($0.slot) }
            .map { "\(name($0)): \($0.isSecret ? "<redacted>" : described($0))" }
    }

    private func described(_ field: FieldSchema) -> String {
        if field.cardinality == .singular { return content(field.slot).map { Self.described($0, field) } ?? "" }
        let elements = contents(field.slot).map { Self.described($0, field) }
        let members = entries(field.slot).map {
            "\(Self.described($0.key, nil)): \(Self.described($0.value, field))"
        }
        return "[\((elements + members).joined(separator: ", "))]"
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
