// SPDX-License-Identifier: Apache-2.0

/// Decodes percent-encoded UTF-8 (RFC 3986 §2.1); nil if an escape is invalid or the bytes are not UTF-8.
///
/// - Parameter plusIsSpace: Whether `+` stands for a space, as in forms and queries, but not in paths.
package func percentDecoded(_ encoded: Substring.UTF8View, plusIsSpace: Bool) -> String? {
    guard encoded.contains(where: { $0 == 0x25 || ($0 == 0x2B && plusIsSpace) }) else { return String(encoded) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var rest = encoded.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case 0x25:
            guard let high = rest.next().flatMap(hexadecimalDigit), let low = rest.next().flatMap(hexadecimalDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        case 0x2B where plusIsSpace: bytes.append(0x20)
        default: bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}

/// Returns the value of a hexadecimal digit in either case; nil for any other byte.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
}
