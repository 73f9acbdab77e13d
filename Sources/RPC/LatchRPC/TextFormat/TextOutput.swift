// SPDX-License-Identifier: Apache-2.0

/// The lines of a text in the text format while it is written.
struct TextOutput {
    /// What has been written.
    private(set) var text = ""
    private var level = 0

    private mutating func indent() { for _ in 0..<level { text += "  " } }

    /// Begins a line with a field's name.
    mutating func begin(_ name: String) {
        indent()
        text += name
        text += ": "
    }

    /// Ends the line.
    mutating func end() { text += "\n" }

    /// Opens a message.
    mutating func open(_ name: String) {
        indent()
        text += name
        text += " {\n"
        level += 1
    }

    /// Closes the message that was opened last.
    mutating func close() {
        level -= 1
        indent()
        text += "}\n"
    }

    /// Writes a value that needs no escapes.
    mutating func write(_ value: String) { text += value }

    /// Writes a string in quotes; what is beyond ASCII stays as it is.
    mutating func write(quoted value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            if scalar.isASCII { write(escaping: UInt8(ascii: scalar)) } else { text.unicodeScalars.append(scalar) }
        }
        text += "\""
    }

    /// Writes bytes in quotes, those beyond ASCII as octal digits.
    mutating func write(quoted value: [UInt8]) {
        text += "\""
        for byte in value { write(escaping: byte) }
        text += "\""
    }

    private mutating func write(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"): text += "\\n"
        case UInt8(ascii: "\r"): text += "\\r"
        case UInt8(ascii: "\t"): text += "\\t"
        case UInt8(ascii: "\""): text += "\\\""
        case UInt8(ascii: "'"): text += "\\'"
        case UInt8(ascii: "\\"): text += "\\\\"
        case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
        default: text += "\\\(byte >> 6)\(byte >> 3 & 7)\(byte & 7)"
        }
    }
}
