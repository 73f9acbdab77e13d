// SPDX-License-Identifier: Apache-2.0

/// A serializer of JSON values as UTF-8.
struct JSONWriter {
    /// The bytes so far.
    private(set) var bytes: [UInt8]
    /// Whether each member and element has its own line.
    private let isIndented: Bool
    private var depth = 0

    /// Creates a writer with room for a typical message.
    init(isIndented: Bool = false) {
        self.isIndented = isIndented
        bytes = []
        bytes.reserveCapacity(512)
    }

    /// Appends a value; the recursion is as deep as the value, which is limited for parsed values.
    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): write(value)
        case .array(let elements): write(elements)
        case .object(let members): write(members)
        }
    }

    private mutating func write(_ elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for index in elements.indices {
            begin(isFirst: index == elements.startIndex)
            write(elements[index])
        }
        end(isEmpty: elements.isEmpty)
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ members: JSONObject) {
        bytes.append(UInt8(ascii: "{"))
        for index in members.indices {
            begin(isFirst: index == members.startIndex)
            let member = members[index]
            write(member.key)
            bytes.append(UInt8(ascii: ":"))
            if isIndented { bytes.append(UInt8(ascii: " ")) }
            write(member.value)
        }
        end(isEmpty: members.isEmpty)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Separates a member or an element from the one before.
    private mutating func begin(isFirst: Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        guard isIndented else { return }
        if isFirst { depth += 1 }
        breakLine()
    }

    /// Ends the lines of the members or the elements.
    private mutating func end(isEmpty: Bool) {
        guard isIndented, !isEmpty else { return }
        depth -= 1
        breakLine()
    }

    private mutating func breakLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    /// Appends a string; only the quotation mark, the backslash and control characters are escaped (RFC 8259 §7).
    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { write($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        // Most texts have nothing to escape. Without an early end, several bytes are compared together.
        var escapes: UInt8 = 0
        for byte in text {
            escapes |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
        }
        guard escapes != 0 else { return bytes.append(contentsOf: text) }
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x08: append("\\b")
            case 0x09: append("\\t")
            case 0x0A: append("\\n")
            case 0x0C: append("\\f")
            case 0x0D: append("\\r")
            case 0..<0x20:
                bytes.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, Hex.digit(byte >> 4), Hex.digit(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
