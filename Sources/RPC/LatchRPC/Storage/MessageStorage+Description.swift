// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension MessageStorage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and the fields that are set; those marked as secret are redacted, here and in the messages inside.
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
        // What they mean is not known, so they may be secret.
        if let count = extras?.unknown.bytes.count, count > 0 { parts.append("unknown: \(count) bytes") }
        return "\(table.layout.name)(\(parts.joined(separator: ", ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing: a mirror would show what the description redacts.
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

    private static func described(_ content: FieldContent, _ field: FieldSchema?) -> String {
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
