// SPDX-License-Identifier: Apache-2.0

/// The checks of a serialized descriptor that the grammar performs for a .proto file.
///
/// The later stages rely on them, and protoc never writes a descriptor that violates them.
struct SerializedFileValidator: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool

    private static let hint = "protoc never writes such a descriptor. Use the unchanged output of protoc or buf."

    /// Checks the shapes of all declarations.
    ///
    /// - Parameter problems: The problems that the reader of the descriptor has found.
    func check(_ problems: [(message: String, position: SourcePosition?)]) {
        for (message, position) in problems { refuse(message, at: position) }
        for message in file.allMessages {
            for field in message.fields {
                check(field)
                if field.isExtension {
                    refuse("'\(field.name)' extends a message, and is declared as a field", at: field.namePosition)
                }
            }
            message.extensions.forEach(checkExtension)
            checkOneofs(of: message)
            if message.isMapEntry { checkEntry(message) }
        }
        file.extensions.forEach(checkExtension)
    }

    private func refuse(_ message: String, at position: SourcePosition?) {
        fail(message, at: position, hint: Self.hint)
    }

    private func checkExtension(_ field: FieldDescriptor) {
        check(field)
        if !field.isExtension { refuse("the extension '\(field.name)' extends nothing", at: field.namePosition) }
        if field.oneofIndex != nil { refuse("the extension '\(field.name)' is in a oneof", at: field.namePosition) }
    }

    private func check(_ field: FieldDescriptor) {
        if FieldNumbers.reservedForImplementations.contains(field.number) {
            refuse(
                "the numbers from 19000 to 19999 are reserved for implementations of Protocol Buffers",
                at: field.positions.number)
        }
        if field.isProto3Optional, file.syntax != .proto3 {
            refuse("'\(field.name)' is marked as optional of proto3", at: field.namePosition)
        }
        // The linker checks the default of an enum.
        if let text = field.defaultValue, let type = field.type, type != .enum, !type.accepts(default: text) {
            refuse(
                "the default '\(text)' of '\(field.name)' is not a valid \(type.word) value",
                at: field.positions.defaultValue)
        }
    }

    private func checkOneofs(of message: MessageDescriptor) {
        var counts = [Int](repeating: 0, count: message.oneofs.count)
        for field in message.fields {
            guard let index = field.oneofIndex else {
                if field.isProto3Optional, !field.isExtension {
                    refuse("'\(field.name)' is optional, and has no oneof", at: field.namePosition)
                }
                continue
            }
            guard counts.indices.contains(index) else {
                refuse(
                    "'\(field.name)' is in the oneof \(index), and '\(message.name)' has \(counts.count)",
                    at: field.namePosition)
                continue
            }
            counts[index] += 1
            if field.label == .repeated || field.label == .required {
                refuse("'\(field.name)' is in a oneof, and repeated or required", at: field.namePosition)
            }
        }
        for (oneof, count) in zip(message.oneofs, counts) {
            if count == 0 { refuse("the oneof '\(oneof.name)' has no field", at: oneof.namePosition) }
            if oneof.isSynthetic, count > 1 {
                refuse("the oneof '\(oneof.name)' of an optional field has other fields", at: oneof.namePosition)
            }
        }
        if message.oneofs.drop(while: { !$0.isSynthetic }).contains(where: { !$0.isSynthetic }) {
            refuse("the oneofs of optional fields of '\(message.name)' come before others", at: message.namePosition)
        }
    }

    /// Checks the message of a map's entries: a key with number 1, and a value with number 2.
    private func checkEntry(_ entry: MessageDescriptor) {
        let fields = entry.fields.map { "\($0.name) \($0.number)" }
        let isSingular = entry.fields.allSatisfy { $0.label != .repeated && $0.label != .required && !$0.isExtension }
        guard fields == ["key 1", "value 2"], isSingular, entry.parent != nil, entry.messages.isEmpty,
            entry.enums.isEmpty, entry.extensions.isEmpty, entry.extensionRanges.isEmpty, entry.oneofs.isEmpty
        else {
            return refuse("'\(entry.name)' is a map entry, and has not a key and a value only", at: entry.namePosition)
        }
    }
}

extension FieldType {
    /// Whether a text is a default for a field of the type, in protoc's format (`FieldDescriptorProto.default_value`).
    fileprivate func accepts(default text: String) -> Bool {
        switch self {
        case .int32, .sint32, .sfixed32: Self.isDecimal(text) && Int32(text) != nil
        case .int64, .sint64, .sfixed64: Self.isDecimal(text) && Int64(text) != nil
        case .uint32, .fixed32: Self.isDecimal(text) && UInt32(text) != nil
        case .uint64, .fixed64: Self.isDecimal(text) && UInt64(text) != nil
        case .float, .double:
            ["inf", "-inf", "nan", "-nan"].contains(text)
                || text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
                    && Double(text) != nil
        case .bool: text == "true" || text == "false"
        // Bytes have C escapes.
        case .bytes: StringEscapes.isEscaped(text)
        case .string, .message, .group, .enum: true
        }
    }

    private static func isDecimal(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
