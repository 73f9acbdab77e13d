// SPDX-License-Identifier: Apache-2.0

/// The value of an options message: its fields by number, with the types that their declarations give them.
public struct OptionMessage: Sendable, Hashable {
    /// What one field holds: one value, or several of a repeated one.
    public struct Field: Sendable, Hashable {
        /// The type by which it is written.
        public let type: FieldType
        /// The values, in order.
        public internal(set) var values: [Value] = []
        /// Whether the values are written as one block.
        let isPacked: Bool
        /// Whether it extends a message set, whose fields are written in a way of their own.
        let isInMessageSet: Bool
        /// Whether only sources have it, and no descriptor set (`retention = RETENTION_SOURCE`).
        public let isSourceOnly: Bool

        init(_ field: FieldDescriptor, _ type: FieldType) {
            self.type = field.isDelimited ? .group : type
            isPacked = field.isPacked
            isInMessageSet = field.extendee?.isMessageSet == true
            // As it is written: in its own file it may not have been interpreted yet.
            let isWritten = field.options.statements.contains {
                guard $0.isNamed("retention"), case .identifier("RETENTION_SOURCE") = $0.value else { return false }
                return true
            }
            isSourceOnly = isWritten || field.options.message.integer(17) == 2
        }
    }

    /// A value of a field.
    public enum Value: Sendable, Hashable {
        /// A number, a boolean or a value of an enum: its bits, negative ones extended to all 64.
        case number(UInt64)
        /// Text or bytes.
        case bytes([UInt8])
        /// Another message.
        case message(OptionMessage)
    }

    /// The fields that are set.
    public internal(set) var fields: [Int32: Field] = [:]

    /// A message without fields.
    public init() {}

    /// Whether nothing is set.
    public var isEmpty: Bool { fields.isEmpty }

    /// Whether one of the fields that lead to a value is for sources only.
    func isSourceOnly(_ path: [Int32]) -> Bool {
        guard let number = path.first, let field = fields[number] else { return false }
        return field.isSourceOnly || message(number)?.isSourceOnly(Array(path.dropFirst())) == true
    }

    /// Whether nothing is set that a descriptor set has.
    var isEmptyInSets: Bool { fields.values.allSatisfy(\.isSourceOnly) }

    /// Whether a field is set.
    public func has(_ number: Int32) -> Bool { fields[number] != nil }

    /// The last value of a field that is a boolean; nil where it is not set.
    public func bool(_ number: Int32) -> Bool? { self.number(number).map { $0 != 0 } }

    /// The last value of a field that is a whole number or an enum; nil where it is not set.
    public func integer(_ number: Int32) -> Int64? { self.number(number).map(Int64.init(bitPattern:)) }

    /// The last value of a field that is text; nil where it is not set.
    public func string(_ number: Int32) -> String? { strings(number).last }

    /// All values of a field that is text.
    public func strings(_ number: Int32) -> [String] {
        values(number).compactMap {
            guard case .bytes(let bytes) = $0 else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The last value of a field that is a message; nil where it is not set.
    public func message(_ number: Int32) -> OptionMessage? { messages(number).last }

    /// All values of a field that is a message.
    public func messages(_ number: Int32) -> [OptionMessage] {
        values(number).compactMap {
            guard case .message(let message) = $0 else { return nil }
            return message
        }
    }

    /// All values of a field that is a whole number or an enum.
    func integers(_ number: Int32) -> [Int64] {
        values(number).compactMap {
            guard case .number(let bits) = $0 else { return nil }
            return Int64(bitPattern: bits)
        }
    }

    private func number(_ number: Int32) -> UInt64? {
        guard case .number(let bits)? = values(number).last else { return nil }
        return bits
    }

    private func values(_ number: Int32) -> [Value] { fields[number]?.values ?? [] }
}

extension OptionMessage {
    /// The message as it goes over the wire, in the order of the numbers, without what only sources have.
    func write(to writer: inout WireWriter) {
        for (number, field) in fields.sorted(by: { $0.key < $1.key }) where !field.isSourceOnly {
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
    /// A number without its tag.
    fileprivate mutating func number(_ bits: UInt64, of type: FieldType) {
        switch type {
        case .double, .fixed64, .sfixed64: plainFixed64(bits)
        case .float, .fixed32, .sfixed32: plainFixed32(UInt32(truncatingIfNeeded: bits))
        case .sint32, .sint64:
            let value = Int64(bitPattern: bits)
            plain(UInt64(bitPattern: value << 1 ^ value >> 63))
        default: plain(bits)
        }
    }

    fileprivate mutating func value(_ number: Int32, _ value: OptionMessage.Value, of field: OptionMessage.Field) {
        let type = field.type
        switch value {
        case .message(let message) where field.isInMessageSet:
            // A group with the number of the field and its content.
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
            switch type {
            case .double, .fixed64, .sfixed64: fixed64(number, bits)
            case .float, .fixed32, .sfixed32: fixed32(number, UInt32(truncatingIfNeeded: bits))
            case .sint32, .sint64:
                let value = Int64(bitPattern: bits)
                varint(number, UInt64(bitPattern: value << 1 ^ value >> 63))
            default: varint(number, bits)
            }
        }
    }
}
