// SPDX-License-Identifier: Apache-2.0

/// Reads the text format's tokens where they lie (protobuf.dev, "Text Format Language Specification").
///
/// The bytes must outlive the reader, which is made inside of `withUnsafeBufferPointer` only.
struct TextReader {
    /// The whole text.
    let bytes: UnsafeBufferPointer<UInt8>
    /// Where the next byte is read, and what an error names; never beyond the end.
    var position = 0
    /// How many messages may still be opened; it bounds the recursion, and with it the stack.
    var depth: Int

    /// A reader at the first byte.
    init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The next byte; 0, which no token begins with, at the end.
    var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Whether all has been read.
    var isAtEnd: Bool { position >= bytes.count }

    /// An error that names the place of the next byte.
    func malformed(_ what: StaticString) -> ProtoError { .malformedText("\(what)", at: position) }

    /// Goes past blanks and comments, and gives the byte after them.
    @discardableResult
    mutating func peekToken() -> UInt8 {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09...0x0D: position += 1
            case UInt8(ascii: "#"):
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            case let byte: return byte
            }
        }
        return 0
    }

    /// Goes past the byte if it is the next token.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peekToken() == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    /// Goes past the byte, which must be the next token.
    mutating func expect(_ byte: UInt8, _ what: StaticString) throws(ProtoError) {
        guard take(byte) else { throw malformed(what) }
    }

    /// Goes past one separator of fields, which may be left out.
    mutating func takeSeparator() {
        if !take(UInt8(ascii: ",")) { _ = take(UInt8(ascii: ";")) }
    }

    /// Opens a message; both kinds of brackets do.
    ///
    /// - Returns: The bracket that closes it.
    mutating func openMessage() throws(ProtoError) -> UInt8 {
        let closing: UInt8
        if take(UInt8(ascii: "{")) {
            closing = UInt8(ascii: "}")
        } else if take(UInt8(ascii: "<")) {
            closing = UInt8(ascii: ">")
        } else {
            throw malformed("a message in brackets is expected")
        }
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
        return closing
    }

    /// Goes past the bracket, if the message ends here.
    mutating func closesMessage(_ closing: UInt8) throws(ProtoError) -> Bool {
        guard !take(closing) else {
            depth += 1
            return true
        }
        guard !isAtEnd else { throw malformed("a message has no end") }
        return false
    }
}

extension TextReader {
    /// Whether a byte can begin an identifier.
    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    /// Whether a byte is a decimal digit.
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Reads an identifier; nil where none is next.
    mutating func takeIdentifier() -> String? {
        guard Self.isLetter(peekToken()) else { return nil }
        let start = position
        while Self.isLetter(peek) || Self.isDigit(peek) { position += 1 }
        return text(start..<position)
    }

    /// The text between two places.
    func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// Reads what stands in brackets instead of a field's name: an extension's name, or the URL of an Any's type.
    ///
    /// Blanks and comments may stand anywhere in it and do not count; only a URL has a slash.
    mutating func readBracketedName() throws(ProtoError) -> String {
        try expect(UInt8(ascii: "["), "a name in brackets is expected")
        var name: [UInt8] = []
        while true {
            let byte = peekToken()
            guard byte != UInt8(ascii: "]") else { break }
            guard try isNameByte(byte) else { throw malformed("a name in brackets has a foreign character") }
            name.append(byte)
            position += 1
        }
        position += 1
        guard Self.isSoundName(name) else { throw malformed("a name in brackets is not a type's, nor its URL") }
        return String(decoding: name, as: UTF8.self)
    }

    /// RFC 3986's unreserved characters and sub-delimiters, slashes, and escapes of two digits.
    private func isNameByte(_ byte: UInt8) throws(ProtoError) -> Bool {
        guard byte == UInt8(ascii: "%") else {
            return Self.isLetter(byte) || Self.isDigit(byte) || "-.~!$&()*+,;=/".utf8.contains(byte)
        }
        guard position + 2 < bytes.count, hexValue(bytes[position + 1]) != nil, hexValue(bytes[position + 2]) != nil
        else { throw malformed("an escape in a URL needs two digits") }
        return true
    }

    /// Whether the last part is a full name, and where it is not the only one, something stands before it.
    private static func isSoundName(_ name: [UInt8]) -> Bool {
        let last = name.lastIndex(of: UInt8(ascii: "/"))
        if let last, last == 0 { return false }
        let parts = name[(last.map { $0 + 1 } ?? 0)...].split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            part.first.map(isLetter) == true && part.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }
}
