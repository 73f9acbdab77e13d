// SPDX-License-Identifier: Apache-2.0

/// The two formats of an ECDSA signature: raw, r and s at full length one after the other, as in tokens (RFC 7518
/// §3.4), and DER, a SEQUENCE of two INTEGERs, as in OpenSSL and certificates (RFC 3279 §2.2.3).
enum DERSignature {
    /// The tag of a SEQUENCE (X.690 §8.9), constructed.
    private static let sequence: UInt8 = 0x30
    /// The tag of an INTEGER (X.690 §8.3).
    private static let integer: UInt8 = 0x02

    /// Encodes a raw signature, whose halves have equal length, in DER.
    ///
    /// It stands on the path of every verification, so it takes one concrete kind of bytes and allocates once.
    static func encode(raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let half = raw.count / 2
        return [UInt8](unsafeUninitializedCapacity: raw.count + 9) { der, count in
            der[0] = sequence
            count = 2
            appendInteger(raw[..<half], to: der, &count)
            appendInteger(raw[half...], to: der, &count)
            let length = count - 2
            guard length >= 0x80 else { return der[1] = UInt8(truncatingIfNeeded: length) }
            // P-521 needs the long form: 0x81 and one byte of length.
            for place in stride(from: count, to: 2, by: -1) { der[place] = der[place - 1] }
            (der[1], der[2]) = (0x81, UInt8(truncatingIfNeeded: length))
            count += 1
        }
    }

    /// Decodes a DER signature to its raw form; returns nil if it is not strict DER of two numbers that fit.
    static func decode(_ der: [UInt8], half: Int) -> [UInt8]? {
        var rest = ArraySlice(der)
        guard var content = takeElement(sequence, from: &rest), rest.isEmpty else { return nil }
        guard let r = takeElement(integer, from: &content), let s = takeElement(integer, from: &content),
            content.isEmpty, let rawR = magnitude(r, count: half), let rawS = magnitude(s, count: half)
        else { return nil }
        return rawR + rawS
    }

    /// Writes a positive number at `count` and moves `count` behind it; three bytes more than its digits at most.
    private static func appendInteger(
        _ bytes: Slice<UnsafeBufferPointer<UInt8>>, to der: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
    ) {
        var first = bytes.startIndex
        while first < bytes.endIndex, bytes[first] == 0 { first += 1 }
        // X.690 §8.3.2: a positive number whose first bit is set gets a zero before it, and no other zero stands there.
        let zero = first == bytes.endIndex || bytes[first] >= 0x80
        der[count] = integer
        der[count + 1] = UInt8(truncatingIfNeeded: bytes.endIndex - first + (zero ? 1 : 0))
        count += 2
        if zero {
            der[count] = 0
            count += 1
        }
        for place in first..<bytes.endIndex {
            der[count] = bytes[place]
            count += 1
        }
    }

    /// Takes one element off the front and gives its content, or nil where tag or length are not DER.
    ///
    /// One byte of length, or 0x81 and one of 128 or more: nothing here is longer, and X.690 §10.1 forbids longer
    /// spellings.
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

    /// Returns a positive number in `count` bytes; nil if it is negative, too long, or not in its shortest form.
    ///
    /// X.690 §8.3.2 allows a leading zero only before a set bit. Accepting others would give one signature many
    /// spellings.
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
