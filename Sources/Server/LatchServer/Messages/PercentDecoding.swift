// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Decodes percent-encoded UTF-8 (RFC 3986 §2.1); nil if an escape is invalid or the bytes are not UTF-8.
///
/// - Parameter plusIsSpace: Whether `+` means a space, as in forms and queries, but not in paths.
package func percentDecoded(_ encoded: Substring.UTF8View, plusIsSpace: Bool) -> String? {
    let isPlain = encoded.withContiguousStorageIfAvailable { bytes in
        bytes.allSatisfy { $0 != 0x25 && ($0 != 0x2B || !plusIsSpace) }
    }
    if isPlain == true { return String(encoded) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var rest = encoded.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case 0x25:
            guard let high = rest.next().flatMap(Hex.value), let low = rest.next().flatMap(Hex.value)
            else { return nil }
            bytes.append(high << 4 | low)
        case 0x2B where plusIsSpace: bytes.append(0x20)
        default: bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}
