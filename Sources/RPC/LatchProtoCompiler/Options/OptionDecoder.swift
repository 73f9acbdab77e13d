// SPDX-License-Identifier: Apache-2.0

/// A decoder of options that another compiler has interpreted, using the declarations of the options messages.
struct OptionDecoder {
    private let symbols: SymbolTable
    /// The maximum nesting depth, as in protoc (CodedInputStream's recursion limit).
    private static let maximumDepth = 100

    init(_ symbols: SymbolTable) { self.symbols = symbols }

    /// Decodes the options of a file, given by the paths of their owners in the file's descriptor.
    func decode(_ pending: [[Int32]: WireMessage], of file: FileDescriptor) throws(MalformedWire) {
        var failure: MalformedWire?
        file.visitOptions { options, owner in
            guard let wire = pending[owner.path] else { return }
            guard case .message(let type)? = symbols.find("google.protobuf.\(owner.message)")?.symbol else {
                return options.message.undeclared = Set(wire.fields.map(\.number))
            }
            do throws(MalformedWire) {
                try decode(wire, of: type, into: &options.message, depth: 0)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Merges the fields of a message into `message`; for unknown fields, only the numbers are kept.
    private func decode(
        _ wire: WireMessage, of type: MessageDescriptor, into message: inout OptionMessage, depth: Int
    ) throws(MalformedWire) {
        guard depth < Self.maximumDepth else { throw MalformedWire(offset: 0) }
        for wireField in wire.fields {
            let (number, content) = (wireField.number, wireField.content)
            guard let field = field(number, of: type), let fieldType = field.type else {
                message.undeclared.insert(number)
                continue
            }
            var whole = message.fields[number] ?? OptionMessage.Field(field, fieldType)
            if let inner = field.message {
                try add(content, of: inner, isRepeated: field.label == .repeated, to: &whole, depth: depth)
            } else {
                let values = try values(content, of: fieldType)
                whole.values = field.label == .repeated ? whole.values + values : values
            }
            message.fields[number] = whole
        }
    }

    private func field(_ number: Int32, of type: MessageDescriptor) -> FieldDescriptor? {
        type.fields.first { $0.number == number } ?? symbols.extension(number, of: type.fullName)
    }

    /// Adds a message; merges several occurrences, unless the field is repeated.
    private func add(
        _ content: WireContent, of type: MessageDescriptor, isRepeated: Bool,
        to whole: inout OptionMessage.Field, depth: Int
    ) throws(MalformedWire) {
        let wire: WireMessage
        switch content {
        case .bytes(let bytes): wire = try WireMessage(bytes)
        case .group(let group): wire = group
        case .number: return
        }
        var message = OptionMessage()
        if !isRepeated, case .message(let before)? = whole.values.last { message = before }
        try decode(wire, of: type, into: &message, depth: depth + 1)
        whole.values = isRepeated ? whole.values + [.message(message)] : [.message(message)]
    }

    private func values(
        _ content: WireContent, of type: FieldType
    ) throws(MalformedWire) -> [OptionMessage.Value] {
        switch content {
        case .group: return []
        case .number(let bits): return [.number(Self.value(bits, of: type))]
        case .bytes(let bytes) where type == .string || type == .bytes: return [.bytes(Array(bytes))]
        case .bytes(let bytes):
            var (cursor, values) = (WireCursor(rest: bytes), [OptionMessage.Value]())
            while !cursor.rest.isEmpty {
                let bits = if let width = type.width { try cursor.fixed(width) } else { try cursor.varint() }
                values.append(.number(Self.value(bits, of: type)))
            }
            return values
        }
    }

    /// Returns the bits in the form that options store: without zigzag, and with negative numbers extended to 64 bits.
    private static func value(_ bits: UInt64, of type: FieldType) -> UInt64 {
        switch type {
        case .sint32, .sint64: bits >> 1 ^ (0 &- (bits & 1))
        case .sfixed32: UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: bits)))
        default: bits
        }
    }
}
