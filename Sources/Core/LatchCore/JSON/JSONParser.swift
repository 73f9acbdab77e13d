// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON text from its first byte to its last.
///
/// What is ambiguous between parsers is refused here: duplicate names, lone surrogates, bytes that are no UTF-8, numbers
/// out of range, anything after the value (RFC 8259 §4, §6, §8, and the reason why RFC 8725 §2.4 warns of it).
struct JSONParser {
    /// The text, whose size has been checked.
    let bytes: [UInt8]
    /// How many arrays and objects may be open at once; it bounds the recursion, and with it the stack.
    let maximumDepth: Int
    /// Where the next byte is read, and what an error names.
    var position = 0

    /// A parser at the first byte.
    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        maximumDepth = limits.depth
    }

    /// Reads all of the text: one value, blanks around it, and nothing else.
    mutating func parse() throws(JSONError) -> JSONValue {
        skipSpace()
        let value = try parseValue(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw .malformed("something follows the value", at: position) }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        switch peek {
        case UInt8(ascii: "{"): return .object(try parseObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try parseArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default: throw .malformed("a value is expected", at: position)
        }
    }

    /// RFC 8259 §4; a name that stands twice is refused, since parsers differ in which value they take.
    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= maximumDepth else { throw .tooDeep(at: position) }
        position += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return JSONObject() }
        // The whole of a message mostly fits and is then laid out once; within it, room would cost more than the text.
        var object = depth == 1 ? JSONObject(capacity: 10) : JSONObject()
        while true {
            guard peek == UInt8(ascii: "\"") else { throw .malformed("a name is expected", at: position) }
            let place = position
            let name = try parseString()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw .malformed("a colon is expected", at: position) }
            skipSpace()
            guard object.insert(name, try parseValue(depth: depth)) else { throw .duplicateName(at: place) }
            skipSpace()
            if take(UInt8(ascii: "}")) { return object }
            guard take(UInt8(ascii: ",")) else { throw .malformed("a comma or a brace is expected", at: position) }
            skipSpace()
        }
    }

    /// RFC 8259 §5; a comma before the bracket is refused.
    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw .tooDeep(at: position) }
        position += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return [] }
        var array: [JSONValue] = []
        if depth <= 2 { array.reserveCapacity(4) }
        while true {
            array.append(try parseValue(depth: depth))
            skipSpace()
            if take(UInt8(ascii: "]")) { return array }
            guard take(UInt8(ascii: ",")) else { throw .malformed("a comma or a bracket is expected", at: position) }
            skipSpace()
        }
    }

    /// RFC 8259 §3: the three literal names are in lower case.
    ///
    /// What follows one is judged by whoever reads on.
    private mutating func parseWord(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let matches = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw .malformed("a value is expected", at: position) }
        position += word.utf8CodeUnitCount
        return value
    }
}

extension JSONParser {
    /// The byte at hand, or 0, which no token begins with.
    var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Goes past `byte` if it is the next one.
    ///
    /// `byte` must not be 0, which `peek` has at the end.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    /// RFC 8259 §2: blank, tab, line feed and carriage return, and none of Unicode's other spaces.
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}
