// SPDX-License-Identifier: Apache-2.0

/// Reads JSON's tokens where they lie, one after another, with no tree of values between text and message.
///
/// What parsers disagree about is refused: blanks that are none, needless zeros, lone surrogates, bytes that are no
/// UTF-8 (RFC 8259). The bytes must outlive the reader, which is made inside of `withUnsafeBufferPointer` only.
struct JSONReader {
    /// The whole text.
    let bytes: UnsafeBufferPointer<UInt8>
    /// Where the next byte is read, and what an error names; never beyond the end.
    var position = 0
    /// How many arrays and objects may still be opened; it bounds the recursion, and with it the stack.
    var depth: Int

    /// A reader at the first byte.
    init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The next byte; 0, which no token begins with, at the end.
    @inline(__always) var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Goes past the blanks of RFC 8259 §2, and gives the byte after them.
    @inline(__always) mutating func peekToken() -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return 0
    }

    /// Goes past the byte if it is the next token.
    @inline(__always) mutating func take(_ byte: UInt8) -> Bool {
        guard peekToken() == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    /// Goes past the byte, which must be the next token.
    @inline(__always) mutating func expect(_ byte: UInt8, _ what: StaticString) throws(ProtoError) {
        guard take(byte) else { throw malformed(what) }
    }

    /// Goes past a word such as `null`, at whose first letter the reader stands.
    mutating func expectWord(_ word: StaticString) throws(ProtoError) {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count,
            (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
        else { throw malformed("an unknown word stands where a value is expected") }
        position += count
    }

    /// Goes past `null` if it is the next token.
    @inline(__always) mutating func takeNull() throws(ProtoError) -> Bool {
        guard peekToken() == UInt8(ascii: "n") else { return false }
        try expectWord("null")
        return true
    }

    /// `true` or `false`.
    mutating func readBool() throws(ProtoError) -> Bool {
        switch peekToken() {
        case UInt8(ascii: "t"):
            try expectWord("true")
            return true
        case UInt8(ascii: "f"):
            try expectWord("false")
            return false
        default: throw malformed("true or false is expected")
        }
    }

    /// Makes sure that nothing follows the value.
    mutating func expectEnd() throws(ProtoError) {
        _ = peekToken()
        guard position == bytes.count else { throw malformed("something follows the value") }
    }

    /// An error that names the place of the next byte.
    func malformed(_ what: StaticString) -> ProtoError { .malformedJSON("\(what)", at: position) }
}

extension JSONReader {
    /// Opens an object or an array.
    @inline(__always) mutating func open(_ bracket: UInt8, _ what: StaticString) throws(ProtoError) {
        try expect(bracket, what)
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
    }

    /// Goes past the comma before the next element, or past the bracket after the last one.
    ///
    /// - Returns: Whether there is another element.
    @inline(__always) mutating func next(isFirst: inout Bool, closing bracket: UInt8) throws(ProtoError) -> Bool {
        let byte = peekToken()
        if byte == bracket, position < bytes.count {
            position += 1
            depth += 1
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw malformed("a comma or a closing bracket is expected") }
        position += 1
        return true
    }

    /// Opens an object.
    @inline(__always) mutating func openObject() throws(ProtoError) {
        try open(UInt8(ascii: "{"), "an object is expected")
    }

    /// Goes to the next member's name; nil after the last one.
    @inline(__always) mutating func nextName(isFirst: inout Bool) throws(ProtoError) -> JSONString? {
        guard try next(isFirst: &isFirst, closing: UInt8(ascii: "}")) else { return nil }
        let name = try scanString("a member's name is expected, in quotes")
        try expect(UInt8(ascii: ":"), "a colon is expected")
        return name
    }

    /// Opens an array.
    @inline(__always) mutating func openArray() throws(ProtoError) {
        try open(UInt8(ascii: "["), "an array is expected")
    }

    /// Goes to the next element; false after the last one.
    @inline(__always) mutating func nextElement(isFirst: inout Bool) throws(ProtoError) -> Bool {
        try next(isFirst: &isFirst, closing: UInt8(ascii: "]"))
    }

    /// Goes past one value of any kind, which must be sound JSON all the same.
    mutating func skipValue() throws(ProtoError) {
        switch peekToken() {
        case UInt8(ascii: "{"): try skipObject()
        case UInt8(ascii: "["):
            try openArray()
            var isFirst = true
            while try nextElement(isFirst: &isFirst) { try skipValue() }
        case UInt8(ascii: "\""): _ = try string(scanString())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try readBool()
        case UInt8(ascii: "n"): try expectWord("null")
        default: _ = try scanNumber()
        }
    }

    private mutating func skipObject() throws(ProtoError) {
        try openObject()
        var isFirst = true
        while let name = try nextName(isFirst: &isFirst) {
            _ = try string(name)
            try skipValue()
        }
    }
}
