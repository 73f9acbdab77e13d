// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
/// A DER SEQUENCE of INTEGERs, none negative, which is what PKCS #1 writes keys as.
enum NumberSequence {
    /// Encodes big-endian numbers in DER, without their leading zeros.
    static func encode(_ numbers: [[UInt8]]) -> [UInt8] {
        element(
            0x30,
            numbers.flatMap { number in
                let digits = number.drop { $0 == 0 }
                // X.690 §8.3.2: a number whose first bit is set gets a zero before it; zero itself is one zero.
                let needsZero = digits.first.map { $0 >= 0x80 } ?? true
                return element(0x02, (needsZero ? [0] : []) + digits)
            })
    }

    /// Decodes the numbers without leading zeros; returns nil if the bytes are not such a sequence.
    static func decode(_ der: [UInt8]) -> [[UInt8]]? {
        var rest = der[...]
        guard var content = take(0x30, from: &rest), rest.isEmpty else { return nil }
        var numbers: [[UInt8]] = []
        while !content.isEmpty {
            guard let digits = take(0x02, from: &content), let first = digits.first, first < 0x80 else { return nil }
            numbers.append(Array(digits.drop { $0 == 0 }))
        }
        return numbers
    }

    /// Encodes an element with its tag and a length of any size (X.690 §8.1.3).
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Takes one element off the front and gives its content, or nil where it does not fit.
    private static func take(_ tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
        }
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
#endif
