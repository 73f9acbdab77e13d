// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding of bytes (RFC 3986 §2.1), for what has to compare or sign the parts of a target.
package enum PercentEncoding {
    /// Encodes everything but the unreserved characters (RFC 3986 §2.3) and those that `isKept` names.
    package static func encode(
        _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool = { _ in false }
    ) -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            if FormEncoding.isUnreserved(byte) || isKept(byte) {
                encoded.append(byte)
            } else {
                FormEncoding.appendEncoded(byte, to: &encoded)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The bytes that a text stands for; a percent sign without two digits stands for itself.
    ///
    /// - Parameter plusIsSpace: Whether `+` is a space, as in a form.
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            let digits = byte == 0x25 ? rest.prefix(2).compactMap(FormEncoding.digit) : []
            if digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest.removeFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
            }
        }
        return bytes
    }
}
