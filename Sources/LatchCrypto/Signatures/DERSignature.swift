// SPDX-License-Identifier: Apache-2.0

/// The two spellings of an ECDSA signature: raw, r and s at full length one after the other, as tokens carry it
/// (RFC 7518 §3.4), and DER, a SEQUENCE of two INTEGERs, as OpenSSL and certificates do (RFC 3279 §2.2.3).
enum DERSignature {
    private static let sequence: UInt8 = 0x30
    private static let integer: UInt8 = 0x02

    /// The DER spelling of a raw signature whose halves have equal length.
    static func encode(raw: some RandomAccessCollection<UInt8>) -> [UInt8] {
        var der: [UInt8] = []
        der.reserveCapacity(raw.count + 9)
        der += [sequence, 0]
        let half = raw.count / 2
        appendInteger(raw.prefix(half), to: &der)
        appendInteger(raw.dropFirst(half), to: &der)
        let length = UInt8(truncatingIfNeeded: der.count - 2)
        der[1] = length
        // P-521 needs the long form: 0x81 and one byte of length.
        if length >= 0x80 { der.insert(0x81, at: 1) }
        return der
    }

    /// The raw spelling of a DER signature, or nil where it is not DER of two numbers that fit.
    static func decode(_ der: some Collection<UInt8>, half: Int) -> [UInt8]? {
        var rest = ArraySlice(der)
        guard var content = takeElement(sequence, from: &rest), rest.isEmpty else { return nil }
        guard let r = takeElement(integer, from: &content), let s = takeElement(integer, from: &content),
            content.isEmpty, let rawR = magnitude(r, count: half), let rawS = magnitude(s, count: half)
        else { return nil }
        return rawR + rawS
    }

    private static func appendInteger(_ bytes: some Collection<UInt8>, to content: inout [UInt8]) {
        var digits = bytes.drop { $0 == 0 }[...]
        // X.690 §8.3.2: a positive number whose first bit is set gets a zero before it, and no other zero stands there.
        let zero = digits.first.map { $0 >= 0x80 } ?? true
        content.append(integer)
        content.append(UInt8(truncatingIfNeeded: digits.count + (zero ? 1 : 0)))
        if zero { content.append(0) }
        while let digit = digits.popFirst() { content.append(digit) }
    }

    private static func takeElement(_ tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, var length = bytes.popFirst().map(Int.init) else { return nil }
        if length == 0x81 {
            guard let long = bytes.popFirst(), long >= 0x80 else { return nil }
            length = Int(long)
        } else if length >= 0x80 {
            return nil
        }
        guard length > 0, bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }

    private static func magnitude(_ digits: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        var digits = digits
        guard let first = digits.first, first < 0x80 else { return nil }
        if first == 0, digits.count > 1 {
            digits = digits.dropFirst()
            guard let second = digits.first, second >= 0x80 else { return nil }
        }
        guard digits.count <= count else { return nil }
        return [UInt8](repeating: 0, count: count - digits.count) + digits
    }
}
