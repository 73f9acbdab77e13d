// SPDX-License-Identifier: Apache-2.0

/// An options message: its fields by number, with the types of their declarations.
package struct OptionMessage: Sendable, Hashable {
    /// The values of one field; a singular field has only one.
    package struct Field: Sendable, Hashable {
        /// The type that determines the encoding.
        package let type: FieldType
        /// The values, in order.
        package internal(set) var values: [Value]
        let isPacked: Bool
        /// Whether a default value is not written, as in protoc.
        private let isImplicit: Bool
        /// Whether the field extends a message set, which has a separate encoding.
        let isInMessageSet: Bool
        /// Whether the field is equivalent to one that is not set.
        var isUnset: Bool { isImplicit && values.allSatisfy(\.isDefault) }
        /// Whether descriptor sets omit the field (`retention = RETENTION_SOURCE`).
        package let isSourceOnly: Bool

        init(_ field: FieldDescriptor, _ type: FieldType, _ values: [Value] = []) {
            self.values = values
            isImplicit = field.isImplicit
            self.type = field.isDelimited ? .group : type
            isPacked = field.isPacked
            isInMessageSet = field.extendee?.isMessageSet == true
            // In the file that declares the option, the option's own options may not have been interpreted yet.
            let isWritten = field.options.uninterpreted.contains { $0.sets("retention", to: "RETENTION_SOURCE") }
            isSourceOnly = isWritten || field.options.message.integer(FieldOptions.retention) == 2
        }
    }

    /// One value of a field.
    package enum Value: Sendable, Hashable {
        /// The bits of a number, a Boolean or an enum value; negative numbers are extended to 64 bits.
        case number(UInt64)
        /// The content of a string or bytes.
        case bytes([UInt8])
        /// An embedded message.
        case message(OptionMessage)

        /// Returns the value of a field that is not set.
        static func `default`(of type: FieldType) -> Value {
            switch type {
            case .string, .bytes: .bytes([])
            case .message, .group: .message(OptionMessage())
            default: .number(0)
            }
        }

        /// Whether the value equals that of an unset field without presence.
        var isDefault: Bool {
            switch self {
            case .number(let bits): bits == 0
            case .bytes(let bytes): bytes.isEmpty
            case .message: false
            }
        }
    }

    package internal(set) var fields: [Int32: Field] = [:]
    /// The numbers of fields that another compiler has set, but no linked file declares.
    package internal(set) var undeclared: Set<Int32> = []

    package init() {}

    /// Whether no field is set.
    package var isEmpty: Bool { fields.isEmpty }

    /// Whether one of the fields in a path has source retention.
    func isSourceOnly(_ path: [Int32]) -> Bool {
        guard let number = path.first, let field = fields[number] else { return false }
        return field.isSourceOnly || message(number)?.isSourceOnly(Array(path.dropFirst())) == true
    }

    /// Whether all fields have source retention, so that descriptor sets omit the message.
    var isEmptyInSets: Bool { fields.values.allSatisfy(\.isSourceOnly) }

    package func has(_ number: Int32) -> Bool { fields[number] != nil }

    /// Whether a message in a field, at any depth, has a field that no linked file declares.
    package func hasUndeclared(in number: Int32) -> Bool {
        messages(number).contains { message in
            !message.undeclared.isEmpty || message.fields.keys.contains { message.hasUndeclared(in: $0) }
        }
    }

    /// Whether a string in the message, at any depth, is not UTF-8, so that `string` replaces some of its bytes.
    package var hasRawText: Bool {
        fields.values.contains { field in
            field.values.contains { value in
                switch value {
                case .bytes(let bytes): field.type == .string && String(validating: bytes, as: UTF8.self) == nil
                case .message(let message): message.hasRawText
                case .number: false
                }
            }
        }
    }

    /// Whether the last value of a string field is not UTF-8.
    package func isRaw(_ number: Int32) -> Bool {
        guard case .bytes(let bytes)? = values(number).last else { return false }
        return String(validating: bytes, as: UTF8.self) == nil
    }

    /// Returns the last value of a Boolean field; nil if it is not set.
    package func bool(_ number: Int32) -> Bool? { integer(number).map { $0 != 0 } }

    /// Returns the last value of an integer or enum field; nil if it is not set.
    package func integer(_ number: Int32) -> Int64? {
        guard case .number(let bits)? = values(number).last else { return nil }
        return Int64(bitPattern: bits)
    }

    /// Returns the last value of a string field; nil if it is not set.
    package func string(_ number: Int32) -> String? { strings(number).last }

    /// Returns all values of a string field.
    package func strings(_ number: Int32) -> [String] {
        values(number).compactMap {
            if case .bytes(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }

    /// Returns the last value of a message field; nil if it is not set.
    package func message(_ number: Int32) -> OptionMessage? { messages(number).last }

    /// Returns all values of a message field.
    package func messages(_ number: Int32) -> [OptionMessage] {
        values(number).compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    /// Returns all values of an integer or enum field.
    func integers(_ number: Int32) -> [Int64] {
        values(number).compactMap { if case .number(let bits) = $0 { Int64(bitPattern: bits) } else { nil } }
    }

    private func values(_ number: Int32) -> [Value] { fields[number]?.values ?? [] }
}

extension OptionMessage {
    /// Writes the fields by number, without those with source retention.
    func write(to writer: inout WireWriter) {
        for (number, field) in fields.sorted(by: { $0.key < $1.key }) where !field.isSourceOnly && !field.isUnset {
            guard field.isPacked else {
                for value in field.values { writer.value(number, value, of: field) }
                continue
            }
            var block = WireWriter()
            for case .number(let bits) in field.values { block.number(bits, of: field.type) }
            writer.bytes(number, block.bytes)
        }
    }
}

extension WireWriter {
    /// Appends a number without a tag.
    fileprivate mutating func number(_ bits: UInt64, of type: FieldType) {
        if let width = type.width {
            plain(bits, width: width)
        } else if type == .sint32 || type == .sint64 {
            let value = Int64(bitPattern: bits)
            plain(UInt64(bitPattern: value << 1 ^ value >> 63))
        } else {
            plain(bits)
        }
    }

    fileprivate mutating func value(_ number: Int32, _ value: OptionMessage.Value, of field: OptionMessage.Field) {
        let type = field.type
        switch value {
        case .message(let message) where field.isInMessageSet:
            // The wire format of a message set: a group with the extension's number and its content.
            group(1) { item in
                item.int32(2, number)
                item.message(3) { message.write(to: &$0) }
            }
        case .bytes(let value): bytes(number, value)
        case .message(let message):
            if type == .group {
                group(number) { message.write(to: &$0) }
            } else {
                self.message(number) { message.write(to: &$0) }
            }
        case .number(let bits):
            tag(number, type.width == 8 ? 1 : type.width == 4 ? 5 : 0)
            self.number(bits, of: type)
        }
    }
}
