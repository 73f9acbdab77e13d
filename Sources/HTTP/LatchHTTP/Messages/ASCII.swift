// SPDX-License-Identifier: Apache-2.0

import LatchCore

// Classes of ASCII bytes. HTTP is parsed as bytes: a separator followed by a combining accent is a single `Character`.

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
@inlinable
package func allBytes(of text: String, are isAllowed: (UInt8) -> Bool) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
        for byte in bytes where !isAllowed(byte) { return false }
        return true
    } ?? text.utf8.allSatisfy(isAllowed)
}

extension [UInt8] {
    /// Appends the UTF-8 of a text; a native string is copied in one step.
    @inlinable
    package mutating func append(utf8 text: String) {
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isCopied == nil { append(contentsOf: text.utf8) }
    }

    /// Appends the text that `write` writes, in one copy: for many short texts, growing an array costs more than the
    /// copy.
    package mutating func appendTexts(_ write: (inout TextWriter) -> Void) {
        withTexts(write) { append(contentsOf: $0) }
    }
}

extension String {
    /// Creates the value of a field from its bytes: UTF-8, or ISO-8859-1 if they are not valid UTF-8 (RFC 9110 §5.5).
    ///
    /// No byte is lost, and the first attempt succeeds for almost all values. If an ISO-8859-1 value is sent back, it
    /// is sent in UTF-8.
    package init(fieldValue bytes: UnsafeBufferPointer<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self = text
        } else {
            self.init(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
        }
    }

    /// Creates the text that `write` writes, in one allocation.
    package init(writing write: (inout TextWriter) -> Void) {
        self = withTexts(write) { String(decoding: $0, as: UTF8.self) }
    }
}

/// Calls `body` with the text that `write` writes, most of which needs no allocation.
package func withTexts<Result>(
    _ write: (inout TextWriter) -> Void, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { room in
        var writer = TextWriter(room)
        write(&writer)
        return writer.withBytes(body)
    }
}

/// A writer of short texts into the caller's memory; text that does not fit is kept separately.
package struct TextWriter: ~Copyable {
    @usableFromInline let room: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var count = 0
    /// All bytes before those in `room`.
    private var overflow: [UInt8] = []

    fileprivate init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    /// Appends a literal, without creating a string.
    @inlinable
    package mutating func append(literal text: StaticString) {
        // A string literal has a pointer; only the literal of a scalar would not have one.
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends the UTF-8 of a text.
    package mutating func append(_ text: String) {
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isCopied == nil { Array(text.utf8).withUnsafeBufferPointer { append(contentsOf: $0) } }
    }

    /// Appends a number in decimal.
    package mutating func append(_ number: Int) {
        guard number >= 0 else { return append(String(number)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, start) = (number, digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(0x30 + rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    @inlinable
    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= room.count - count else { return overflow(with: bytes) }
        guard let source = bytes.baseAddress, let start = room.baseAddress else { return }
        (start + count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    @usableFromInline
    mutating func overflow(with bytes: UnsafeBufferPointer<UInt8>) {
        overflow.append(contentsOf: room[..<take()])
        overflow.append(contentsOf: bytes)
    }

    /// Returns the number of bytes in `room`, and empties it.
    private mutating func take() -> Int {
        defer { count = 0 }
        return count
    }

    fileprivate mutating func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard !overflow.isEmpty else { return body(UnsafeBufferPointer(rebasing: room[..<count])) }
        overflow.append(contentsOf: room[..<take()])
        return overflow.withUnsafeBufferPointer(body)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all bytes are visible ASCII or spaces; eight are checked at a time.
    package var isPrintableASCII: Bool {
        let bytes = UnsafeRawBufferPointer(self)
        var (others, index): (UInt64, Int) = (0, 0)
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The high bit of each byte that is not printable; the byte after it may have the bit, too.
            others |= word | (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101)
            index += 8
        }
        let rest = bytes[index...].allSatisfy { (0x20...0x7E).contains($0) }
        return rest && others & 0x8080_8080_8080_8080 == 0
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
@inlinable package func trimmed<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Text.SubSequence {
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
    /// Whether two texts are equal except for the case of ASCII letters.
    func equalsIgnoringCase(_ other: String) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable(own.equalsIgnoringCase)
        }
        return (isEqual ?? nil) ?? lowercasedASCII().utf8.elementsEqual(other.lowercasedASCII().utf8)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes equal the UTF-8 of a text.
    @inlinable
    package func spells(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(holdsSameBytes) ?? elementsEqual(text.utf8)
    }

    /// Whether another buffer has the same bytes, except for the case of ASCII letters.
    fileprivate func equalsIgnoringCase(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (own, other) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        while index + 8 <= own.count {
            let word = asciiLowercased(own.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            guard word == asciiLowercased(other.loadUnaligned(fromByteOffset: index, as: UInt64.self)) else {
                return false
            }
            index += 8
        }
        return own[index...].elementsEqual(other[index...]) { asciiLowercased($0) == asciiLowercased($1) }
    }

    /// Whether another buffer has the same bytes, compared eight at a time.
    @inlinable
    package func holdsSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (own, other) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        while index + 8 <= own.count {
            let word = own.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
            index += 8
        }
        while index < own.count {
            guard own[index] == other[index] else { return false }
            index += 1
        }
        return true
    }
}
