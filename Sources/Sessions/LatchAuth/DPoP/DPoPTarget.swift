// SPDX-License-Identifier: Apache-2.0

internal import LatchHTTP

/// An address without query and fragment, in the one spelling in which two can be compared (RFC 9449 §4.3).
struct DPoPTarget: Equatable {
    let origin: HTTPOrigin
    let path: [UInt8]

    init(_ origin: HTTPOrigin, path: Substring) {
        self.origin = origin
        self.path = Self.normalized(path)
    }

    /// An address of its text; nil where it cannot be requested.
    init?(_ text: String) {
        do {
            let parts = try HTTPOrigin.split(text)
            self.init(parts.origin, path: parts.path.prefix { $0 != "?" })
        } catch {
            return nil
        }
    }

    /// RFC 3986 §6.2.2: hexadecimal digits in upper case, and no encoding where none is needed.
    ///
    /// Segments of dots stay as they are: an address that has them is compared as it is written, which refuses where it
    /// might accept.
    private static func normalized(_ path: Substring) -> [UInt8] {
        var normalized: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard byte == 0x25, digits.count == 2 else {
                normalized.append(byte)
                continue
            }
            rest.removeFirst(2)
            let encoded = UInt8(digits[0] << 4 | digits[1])
            normalized += PercentEncoding.encode([encoded]).utf8
        }
        return normalized
    }
}
