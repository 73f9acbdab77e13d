// SPDX-License-Identifier: Apache-2.0

/// A serialized message, split into fields that are not decoded yet.
///
/// Like `WireWriter`, it is for the compiler's own messages; content is copied only when it is read.
package struct WireMessage {
    /// The maximum depth of nested groups, which limits the recursion for untrusted input.
    private static let maximumDepth = 64

    /// All fields, in the order of the input.
    private(set) var fields: [WireField] = []

    /// Splits a message into its fields; embedded messages are not split.
    package init(_ bytes: [UInt8]) throws(MalformedWire) { try self.init(bytes[...]) }

    init(_ bytes: ArraySlice<UInt8>) throws(MalformedWire) {
        var cursor = WireCursor(rest: bytes)
        try self.init(&cursor, depth: 0, group: nil)
    }

    private init(_ cursor: inout WireCursor, depth: Int, group: Int32?) throws(MalformedWire) {
        guard depth < Self.maximumDepth else { throw cursor.malformed }
        while !cursor.rest.isEmpty {
            let tag = try cursor.varint()
            guard let number = Int32(exactly: tag >> 3), number > 0 else { throw cursor.malformed }
            switch tag & 7 {
            case 0: fields.append(WireField(number: number, content: .number(try cursor.varint())))
            case 1: fields.append(WireField(number: number, content: .number(try cursor.fixed(8))))
            case 2: fields.append(WireField(number: number, content: .bytes(try cursor.block())))
            case 3:
                let group = try WireMessage(&cursor, depth: depth + 1, group: number)
                fields.append(WireField(number: number, content: .group(group)))
            case 4 where number == group: return
            case 5: fields.append(WireField(number: number, content: .number(try cursor.fixed(4))))
            default: throw cursor.malformed
            }
        }
        guard group == nil else { throw cursor.malformed }
    }
}

/// The error for bytes that are not a message.
package struct MalformedWire: Error, Sendable {
    /// The offset of the malformed byte.
    package let offset: Int
}

/// A field of a message.
struct WireField {
    let number: Int32
    let content: WireContent
}

/// The content of a field (Protocol Buffers encoding, "Message structure").
enum WireContent {
    /// A varint, or the bits of a fixed-width number.
    case number(UInt64)
    /// A string, bytes, an embedded message, or packed numbers.
    case bytes(ArraySlice<UInt8>)
    indirect case group(WireMessage)
}

/// A reader of wire format primitives.
struct WireCursor {
    var rest: ArraySlice<UInt8>

    var malformed: MalformedWire { MalformedWire(offset: rest.startIndex) }

    mutating func varint() throws(MalformedWire) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { throw malformed }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw malformed
    }

    mutating func fixed(_ count: Int) throws(MalformedWire) -> UInt64 {
        guard rest.count >= count else { throw malformed }
        let value = rest.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(count)
        return value
    }

    mutating func block() throws(MalformedWire) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: try varint()), count <= rest.count else { throw malformed }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension WireMessage {
    /// Returns the content of all occurrences of a field.
    func contents(_ number: Int32) -> [WireContent] { fields.filter { $0.number == number }.map(\.content) }

    /// Returns the last number of a field; nil if it is missing.
    package func number(_ number: Int32) -> UInt64? {
        guard case .number(let value)? = fields.last(where: { $0.number == number })?.content else { return nil }
        return value
    }

    /// Returns the last `int32` of a field; nil if it is missing.
    package func int32(_ number: Int32) -> Int32? { self.number(number).map(Int32.init(truncatingIfNeeded:)) }

    /// Returns the last `bool` of a field; false if it is missing.
    package func bool(_ number: Int32) -> Bool { (self.number(number) ?? 0) != 0 }

    /// Returns the length-delimited values of a field.
    func blocks(_ number: Int32) -> [ArraySlice<UInt8>] {
        contents(number).compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
    }

    /// Returns the strings of a field.
    package func strings(_ number: Int32) -> [String] { blocks(number).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the last string of a field; nil if it is missing.
    package func string(_ number: Int32) -> String? { strings(number).last }

    /// Whether the last string of a field is not UTF-8, so that `string` replaces some of its bytes.
    func isRaw(_ number: Int32) -> Bool {
        blocks(number).last.map { String(validating: $0, as: UTF8.self) == nil } ?? false
    }

    /// Returns the messages of a field.
    package func messages(_ number: Int32) throws(MalformedWire) -> [WireMessage] {
        try blocks(number).map { block throws(MalformedWire) in try WireMessage(block) }
    }

    /// Returns the serialized messages of a field.
    package func serialized(_ number: Int32) -> [[UInt8]] { blocks(number).map(Array.init) }

    /// Returns the numbers of a repeated field, packed or not.
    func numbers(_ number: Int32) throws(MalformedWire) -> [UInt64] {
        var numbers: [UInt64] = []
        for content in contents(number) {
            switch content {
            case .number(let value): numbers.append(value)
            case .group: break
            case .bytes(let bytes):
                var cursor = WireCursor(rest: bytes)
                while !cursor.rest.isEmpty { numbers.append(try cursor.varint()) }
            }
        }
        return numbers
    }
}
