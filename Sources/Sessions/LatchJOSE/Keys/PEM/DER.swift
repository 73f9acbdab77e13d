// SPDX-License-Identifier: Apache-2.0

/// The few elements of ASN.1 that keys are written in (X.690, distinguished encoding).
enum DER {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let identifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30
    /// The tags `[0]` and `[1]`, constructed.
    static let contexts: (UInt8, UInt8) = (0xA0, 0xA1)

    /// Encodes an element with its tag and the shortest form of its length (X.690 §10.1).
    static func element(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Encodes a non-negative big-endian number (X.690 §8.3), without leading zeros except before a set bit.
    static func number(_ digits: [UInt8]) -> [UInt8] {
        let digits = digits.drop { $0 == 0 }
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        return element(integer, (needsZero ? [0] : []) + digits)
    }

    /// Encodes a bit string of whole bytes.
    static func bits(_ bytes: [UInt8]) -> [UInt8] { element(bitString, [0] + bytes) }
}

/// Reads elements one after the other, and nothing that has a second spelling.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    /// Whether everything is read.
    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next element.
    var tag: UInt8? { rest.first }

    /// Takes one element off the front and gives its content.
    mutating func take(_ tag: UInt8) throws(JOSEError) -> ArraySlice<UInt8> {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { throw .malformedDER }
        let length = first < 0x80 ? Int(first) : try longLength(bytes: Int(first & 0x7F))
        guard rest.count >= length else { throw .malformedDER }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }

    /// Takes an element that holds others.
    mutating func enter(_ tag: UInt8 = DER.sequence) throws(JOSEError) -> DERReader { DERReader(try take(tag)) }

    /// Takes a number that is not negative, without leading zeros; X.690 §8.3.2 gives it one spelling.
    mutating func number() throws(JOSEError) -> [UInt8] {
        let digits = try take(DER.integer)
        guard let first = digits.first, first < 0x80 else { throw .malformedDER }
        guard first == 0 else { return Array(digits) }
        guard digits.count == 1 || digits[digits.startIndex + 1] >= 0x80 else { throw .malformedDER }
        return Array(digits.dropFirst())
    }

    /// Takes a string of bits that fills its bytes.
    mutating func bits() throws(JOSEError) -> [UInt8] {
        let content = try take(DER.bitString)
        guard content.first == 0 else { throw .malformedDER }
        return Array(content.dropFirst())
    }

    /// Refuses what is left over.
    func end() throws(JOSEError) { guard isAtEnd else { throw .malformedDER } }

    /// Reads a length in long form, which X.690 §10.1 only permits where the short form does not suffice.
    private mutating func longLength(bytes count: Int) throws(JOSEError) -> Int {
        guard (1...3).contains(count), rest.count >= count else { throw .malformedDER }
        let digits = rest.prefix(count)
        rest = rest.dropFirst(count)
        let length = digits.reduce(0) { $0 << 8 | Int($1) }
        guard digits.first != 0, length >= 0x80 else { throw .malformedDER }
        return length
    }
}

extension JOSEError {
    fileprivate static var malformedDER: JOSEError {
        .unsuitableKey("its DER is damaged, or not in its one right form")
    }
}
