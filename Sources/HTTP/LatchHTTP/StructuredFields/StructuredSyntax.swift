// SPDX-License-Identifier: Apache-2.0

/// The classes of bytes that RFC 9651 names, for reading and for writing alike.
enum StructuredSyntax {
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// §3.1.2: lcalpha or `*`.
    static func beginsKey(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || byte == 0x2A }

    /// §3.1.2: lcalpha, digits, `_`, `-`, `.` and `*`.
    static func isKey(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, 0x5F, 0x2D, 0x2E, 0x2A: true
        default: false
        }
    }

    /// §3.3.4: a letter or `*`.
    static func beginsToken(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2A
    }

    /// §3.3.4: tchar, `:` and `/`.
    static func isToken(_ byte: UInt8) -> Bool { isTokenByte(byte) || byte == 0x3A || byte == 0x2F }

    /// §3.3.8 writes percent-encoding in lower case alone.
    static func lowerHex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
