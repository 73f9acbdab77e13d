// SPDX-License-Identifier: Apache-2.0

import LatchCore

// Classes of ASCII bytes. HTTP is parsed by bytes: a separator followed by a combining accent is a single `Character`.

/// Whether a byte is a tchar (RFC 9110 §5.6.2).
///
/// A bit for each of the 128 bytes of ASCII: every byte of every field name is tested.
@inlinable
package func isTokenByte(_ byte: UInt8) -> Bool {
    let bits: UInt64 = byte < 0x40 ? 0x03FF_6CFA_0000_0000 : byte < 0x80 ? 0x57FF_FFFF_C7FF_FFFE : 0
    return bits >> (byte & 0x3F) & 1 == 1
}

/// Whether a byte is a DIGIT (RFC 5234 appendix B.1).
@inlinable
package func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// Whether a byte is optional whitespace, a space or a tab (RFC 9110 §5.6.3).
@inlinable
package func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// Whether all bytes of a text are allowed; a native string is read in place.
@inline(__always)
package func allBytes(of text: String, are isAllowed: (UInt8) -> Bool) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
        for byte in bytes where !isAllowed(byte) { return false }
        return true
    } ?? text.utf8.allSatisfy(isAllowed)
}

extension [UInt8] {
    /// Appends the UTF-8 of a text; that of a native string is copied at once.
    @inline(__always)
    package mutating func append(utf8 text: String) {
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isCopied == nil { append(contentsOf: text.utf8) }
    }
}

/// Whether a byte is an ASCII letter or digit.
func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
}

/// Returns the text without leading and trailing spaces and tabs (RFC 9110 §5.6.3).
package func trimmed<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Text.SubSequence {
    guard let last = text.lastIndex(where: { !isBlank($0) }) else { return text[text.endIndex...] }
    return text[...last].drop(while: isBlank)
}

/// Whether a host is an IPv6 address in brackets (RFC 3986 §3.2.2); only its characters are checked.
func isIPv6Literal(_ host: some StringProtocol) -> Bool {
    let bytes = host.utf8
    guard bytes.count > 3, bytes.first == 0x5B, bytes.suffix(1).first == 0x5D else { return false }
    let address = bytes.dropFirst().prefix(bytes.count - 2)
    return address.allSatisfy { Hex.value(of: $0) != nil || $0 == 0x3A || $0 == 0x2E }
}

extension String {
    /// Whether two texts are equal but for the case of ASCII letters.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { asciiLowercased($0) == asciiLowercased($1) }
    }
}
