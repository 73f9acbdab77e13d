// SPDX-License-Identifier: Apache-2.0

/// The ASN.1 elements that encode keys and signatures (X.690, distinguished encoding rules).
package enum DER {
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let identifier: UInt8 = 0x06
    package static let sequence: UInt8 = 0x30
    /// The tags `[0]` and `[1]`, constructed.
    package static let contexts: (UInt8, UInt8) = (0xA0, 0xA1)

    /// Encodes an element with its tag and the shortest form of its length (X.690 §10.1).
    package static func element(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Encodes a non-negative big-endian number (X.690 §8.3), without leading zeros except before a set bit.
    package static func number(_ digits: some Collection<UInt8>) -> [UInt8] {
        let digits = digits.drop { $0 == 0 }
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        return element(integer, (needsZero ? [0] : []) + digits)
    }

    /// Encodes a sequence of numbers, as in PKCS #1 keys and ECDSA signatures.
    package static func numbers(_ numbers: [[UInt8]]) -> [UInt8] { element(sequence, numbers.flatMap { number($0) }) }

    /// Encodes a bit string of whole bytes.
    package static func bits(_ bytes: [UInt8]) -> [UInt8] { element(bitString, [0] + bytes) }
}

/// An error of bytes that are not DER.
package struct DERError: Error {}

/// A reader of consecutive elements, which rejects every encoding except the distinguished one.
package struct DERReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    /// Whether everything is read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next element.
    package var tag: UInt8? { rest.first }

    /// Reads an element, and returns its content.
    package mutating func take(_ tag: UInt8) throws(DERError) -> ArraySlice<UInt8> {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { throw DERError() }
        let length = first < 0x80 ? Int(first) : try longLength(bytes: Int(first & 0x7F))
        guard rest.count >= length else { throw DERError() }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }

    /// Reads an element that contains others.
    package mutating func enter(_ tag: UInt8 = DER.sequence) throws(DERError) -> DERReader { DERReader(try take(tag)) }

    /// Reads a non-negative number, and returns it without leading zeros; X.690 §8.3.2 gives it one encoding.
    package mutating func number() throws(DERError) -> [UInt8] {
        let digits = try take(DER.integer)
        guard let first = digits.first, first < 0x80 else { throw DERError() }
        guard first == 0 else { return Array(digits) }
        guard digits.count == 1 || digits[digits.startIndex + 1] >= 0x80 else { throw DERError() }
        return Array(digits.dropFirst())
    }

    /// Reads a sequence that contains only numbers, and nothing after it.
    package mutating func numbers() throws(DERError) -> [[UInt8]] {
        var content = try enter()
        try end()
        var numbers: [[UInt8]] = []
        while !content.isAtEnd { numbers.append(try content.number()) }
        return numbers
    }

    /// Reads a bit string of whole bytes.
    package mutating func bits() throws(DERError) -> [UInt8] {
        let content = try take(DER.bitString)
        guard content.first == 0 else { throw DERError() }
        return Array(content.dropFirst())
    }

    /// Rejects remaining bytes.
    package func end() throws(DERError) { guard isAtEnd else { throw DERError() } }

    /// Reads a length in the long form, which X.690 §10.1 permits only if the short form is not sufficient.
    private mutating func longLength(bytes count: Int) throws(DERError) -> Int {
        guard (1...3).contains(count), rest.count >= count else { throw DERError() }
        let digits = rest.prefix(count)
        rest = rest.dropFirst(count)
        let length = digits.reduce(0) { $0 << 8 | Int($1) }
        guard digits.first != 0, length >= 0x80 else { throw DERError() }
        return length
    }
}
