// SPDX-License-Identifier: Apache-2.0

package import LatchCore

extension TOMLParser {
    /// Arrays within arrays are recursion, and a file must not choose how deep it goes.
    private static let maximumDepth = 16

    /// Any value that is known here, told apart by its first character.
    ///
    /// - Parameter depth: How many arrays it stands in; 0 for the value of a key.
    mutating func value(depth: Int) throws(TOMLError) -> JSONValue {
        switch next {
        case "\"": return .string(peek(1) == "\"" && peek(2) == "\"" ? try longBasicString() : try basicString())
        case "'": return .string(peek(1) == "'" && peek(2) == "'" ? try longLiteralString() : try literalString())
        case "[": return try array(depth: depth)
        case "{": throw error("inline tables are not known here", "Write a table, '[name]', with its keys below.")
        default: return try word()
        }
    }

    /// An array over any number of lines, a comma after the last element being allowed.
    private mutating func array(depth: Int) throws(TOMLError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("it is nested too deeply", "Nest fewer arrays.") }
        at += 1
        var elements: [JSONValue] = []
        while true {
            try skipLines()
            if next == "]" { break }
            elements.append(try value(depth: depth + 1))
            try skipLines()
            guard next == "," else { break }
            at += 1
        }
        guard next == "]" else { throw error("',' or ']' is missing in an array", "Write '[ 1, 2, 3 ]'.") }
        at += 1
        return .array(elements)
    }

    /// Blanks, comments and line breaks, which may stand anywhere within an array.
    private mutating func skipLines() throws(TOMLError) {
        repeat {
            skipBlanks()
            try skipComment()
        } while skipNewline()
    }

    /// A value without quotation marks: a boolean or a number.
    ///
    /// `inf` and `nan` are numbers of TOML and are given as such; no setting takes them, so they are refused there.
    private mutating func word() throws(TOMLError) -> JSONValue {
        let start = at
        while Self.isWord(next) { at += 1 }
        let text = text(from: start)
        switch text {
        case "": throw error("a value is missing", "Write 'key = value'; text stands in quotation marks.")
        case "true": return true
        case "false": return false
        case "inf", "+inf": return .number(.infinity)
        case "-inf": return .number(-.infinity)
        case "nan", "+nan", "-nan": return .number(.nan)
        default: break
        }
        if let number = Self.integer(text) { return .integer(number) }
        if let number = Self.float(text) { return .number(number) }
        throw notAValue(text, at: start)
    }

    /// Guesses what was meant, without quoting it.
    private func notAValue(_ text: String, at start: Int) -> TOMLError {
        if text.contains(":") || text.split(separator: "-").count == 3 {
            return error("dates and times are not known here", "Put it in quotation marks.", at: start)
        }
        // The text itself may be a secret whose quotation marks were forgotten.
        guard text.utf8.first.map({ Self.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }) ?? false
        else {
            return error(
                "this is neither a number nor 'true' or 'false'", "Text stands in quotation marks: \"…\".", at: start)
        }
        return error(
            "this number is malformed or too large",
            "Write 10, 0x1F, 1_000 or 1.5, without zeros in front; integers have 64 bits.", at: start)
    }

    /// What can stand in a number, a boolean, or a date, which is then refused as such.
    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "+", ".", ":": true
        default: false
        }
    }
}

extension TOMLParser {
    /// A TOML integer; nil for anything else, among them numbers with zeros in front and those beyond 64 bits.
    ///
    /// `_` may stand between two digits; a sign in front of 0x, 0o and 0b is not TOML.
    package static func integer(_ text: String) -> Int64? {
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where text.hasPrefix(prefix) {
            let digits = text.dropFirst(2)
            guard digits.first != "+", digits.first != "-" else { return nil }
            return plain(digits, isDigit: { $0.isHexDigit }).flatMap { Int64($0, radix: radix) }
        }
        let sign = text.first == "+" || text.first == "-" ? 1 : 0
        guard let digits = plain(text.dropFirst(sign), isDigit: { "0"..."9" ~= $0 }), isWhole(digits) else {
            return nil
        }
        return Int64((text.first == "-" ? "-" : "") + digits)
    }

    /// A TOML float; nil for anything else, among them a dot without digits on both sides.
    package static func float(_ text: String) -> Double? {
        let sign = text.first == "+" || text.first == "-" ? 1 : 0
        let parts = text.dropFirst(sign).split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, mantissa.count <= 2, parts.count + mantissa.count > 2 else { return nil }
        var digits = mantissa.map { plain($0, isDigit: { "0"..."9" ~= $0 }) }
        guard let whole = digits[0], isWhole(whole) else { return nil }
        if parts.count == 2 {
            let sign = parts[1].first == "+" || parts[1].first == "-" ? 1 : 0
            digits.append(plain(parts[1].dropFirst(sign), isDigit: { "0"..."9" ~= $0 }))
        }
        guard !digits.contains(nil) else { return nil }
        return Double(text.filter { $0 != "_" })
    }

    /// Digits without the underscores that may stand between two of them.
    private static func plain(_ text: Substring, isDigit: (Character) -> Bool) -> String? {
        let groups = text.split(separator: "_", omittingEmptySubsequences: false)
        guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return nil }
        return groups.joined()
    }

    /// Without zeros in front, which other languages would read as octal.
    private static func isWhole(_ digits: String) -> Bool { digits == "0" || digits.first != "0" }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
