// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A recursive-descent parser of TOML texts.
package struct TOMLParser {
    /// The scalar after the last one.
    private static let end: Unicode.Scalar = "\0"

    private let scalars: [Unicode.Scalar]
    /// The index of the next scalar.
    private var position = 0
    /// The index of the first scalar of each line.
    private let lineStarts: [Int]

    /// Creates a parser of a text.
    package init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        lineStarts = [0] + scalars.indices.filter { scalars[$0] == "\n" }.map { $0 + 1 }
        self.scalars = scalars
    }

    /// The next scalar; `end` at the end.
    private var next: Unicode.Scalar { peek(0) }

    /// Returns the scalar at a distance; `end` at the end.
    private func peek(_ distance: Int) -> Unicode.Scalar {
        position + distance < scalars.count ? scalars[position + distance] : Self.end
    }

    /// Whether the end is reached, which `next` cannot distinguish from a NUL in the text.
    private var isAtEnd: Bool { position >= scalars.count }

    /// Parses line by line: a header, a key-value pair, a comment, or nothing.
    ///
    /// It stops at the first error.
    mutating func parse(into document: inout TOMLDocument) throws(TOMLError) {
        var table: [String] = []
        // Windows editors mark a file as UTF-8.
        if next == "\u{FEFF}" { position += 1 }
        while true {
            skipBlanks()
            if isAtEnd { return }
            switch next {
            case "#", "\n", "\r": break
            case "[": table = try header(into: &document)
            default: try pair(in: table, into: &document)
            }
            try endLine()
        }
    }

    /// Parses a table's name in brackets, on a separate line.
    ///
    /// In double brackets it names an array of tables.
    private mutating func header(into document: inout TOMLDocument) throws(TOMLError) -> [String] {
        let start = position
        position += 1
        let isArray = next == "["
        if isArray { position += 1 }
        skipBlanks()
        let path = try key()
        guard next == "]" else { throw error("the table's name does not end with ']'", "Write '[name]' on one line.") }
        position += 1
        if isArray {
            guard next == "]" else {
                throw error("the name of tables does not end with ']]'", "Write '[[name]]' on one line.")
            }
            position += 1
            if let problem = document.append(path, line: location(start).line) {
                throw error(problem, "Give each list of tables its name, and at most 1000 tables.", at: start)
            }
            return path
        }
        if let problem = document.open(path) { throw error(problem, "Write each table once.", at: start) }
        return path
    }

    /// Parses a key and its value; later messages name the line of the key.
    private mutating func pair(in table: [String], into document: inout TOMLDocument) throws(TOMLError) {
        let start = position
        let key = try key()
        guard next == "=" else { throw error("'=' is missing after the key", "Write 'key = value' on one line.") }
        position += 1
        skipBlanks()
        let value = try value(depth: 0)
        if let problem = document.set(value, key, in: table, line: location(start).line) {
            throw error(problem, "Give each key one value, in one place.", at: start)
        }
    }

    /// The maximum number of parts of a key; each part is a table within the previous one.
    private static let maximumParts = 100

    /// Parses a key, dotted or not, and the blanks after it.
    private mutating func key() throws(TOMLError) -> [String] {
        var parts: [String] = []
        while true {
            skipBlanks()
            guard parts.count < Self.maximumParts else {
                throw error("the key has too many parts", "Write at most \(Self.maximumParts) parts with dots.")
            }
            parts.append(try keyPart())
            skipBlanks()
            guard next == "." else { return parts }
            position += 1
        }
    }

    /// Parses one part of a key, bare or quoted; a bare one is never empty.
    private mutating func keyPart() throws(TOMLError) -> String {
        if next == "\"" || next == "'" { return try string() }
        let start = position
        while Self.isBare(next) { position += 1 }
        guard position > start else {
            throw error("a key is missing", "A key has letters, digits, '_' and '-'; put any other in quotation marks.")
        }
        return text(from: start)
    }

    /// Parses the end of a line, with blanks and a comment.
    private mutating func endLine() throws(TOMLError) {
        skipBlanks()
        try skipComment()
        guard !isAtEnd else { return }
        guard skipNewline() else { throw error("there is more on this line", "Write one value on each line.") }
    }

    /// Returns whether a bare key may contain a scalar: ASCII letters, digits, hyphen, underscore (TOML 1.0, "Keys").
    private static func isBare(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}

extension TOMLParser {
    /// Skips spaces and tabs, TOML's only white space.
    private mutating func skipBlanks() { while next == " " || next == "\t" { position += 1 } }

    /// Skips LF or CR LF and returns whether there was one.
    private mutating func skipNewline() -> Bool {
        if next == "\n" { position += 1 } else if next == "\r", peek(1) == "\n" { position += 2 } else { return false }
        return true
    }

    /// Skips a comment, in which control characters are also errors.
    private mutating func skipComment() throws(TOMLError) {
        guard next == "#" else { return }
        while !isAtEnd, next != "\n", !(next == "\r" && peek(1) == "\n") {
            try rejectControl()
            position += 1
        }
    }

    /// Rejects control characters other than tabs and line breaks.
    private func rejectControl() throws(TOMLError) {
        guard next.value >= 0x20 && next.value != 0x7F || next == "\t" else {
            throw error("there is a control character", "Write it as an escape in a string, such as \"\\u0007\".")
        }
    }

    /// Returns the text from `start` to the current position.
    private func text(from start: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<position])
        return String(text)
    }

    /// Returns the line and column of an index; columns count scalars.
    package func location(_ index: Int) -> TOMLError.Location {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= index { low = middle } else { high = middle }
        }
        return .init(line: low + 1, column: index - lineStarts[low] + 1)
    }

    /// Returns an error at an index or the current position.
    private func error(_ message: String, _ hint: String, at index: Int? = nil) -> TOMLError {
        TOMLError(location: location(index ?? position), message: message, hint: hint)
    }
}

extension TOMLParser {
    /// The maximum nesting of arrays, which bounds the recursion.
    private static let maximumDepth = 16

    /// Parses any supported value, selected by its first character.
    ///
    /// - Parameter depth: The number of enclosing arrays.
    private mutating func value(depth: Int) throws(TOMLError) -> JSONValue {
        switch next {
        case "\"", "'": return .string(try string(isMultiLine: peek(1) == next && peek(2) == next))
        case "[": return try array(depth: depth)
        case "{":
            throw error(
                "inline tables are not supported",
                "Write a table with its keys below: '[name]', or '[[name]]' for each of a list.")
        default: return try word()
        }
    }

    /// Parses an array over any number of lines; a trailing comma is allowed.
    private mutating func array(depth: Int) throws(TOMLError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("it is nested too deeply", "Nest fewer arrays.") }
        position += 1
        var elements: [JSONValue] = []
        while true {
            try skipLines()
            if next == "]" { break }
            elements.append(try value(depth: depth + 1))
            try skipLines()
            guard next == "," else { break }
            position += 1
        }
        guard next == "]" else { throw error("',' or ']' is missing in an array", "Write '[ 1, 2, 3 ]'.") }
        position += 1
        return .array(elements)
    }

    /// Skips blanks, comments and line breaks within an array.
    private mutating func skipLines() throws(TOMLError) {
        repeat {
            skipBlanks()
            try skipComment()
        } while skipNewline()
    }

    /// Parses a value without quotation marks: a boolean or a number, `inf` and `nan` included.
    private mutating func word() throws(TOMLError) -> JSONValue {
        let start = position
        while Self.isWord(next) { position += 1 }
        let text = text(from: start)
        switch text {
        case "": throw error("a value is missing", "Write 'key = value', with text in quotation marks.")
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

    /// Returns an error that guesses the intended value but does not quote it.
    private func notAValue(_ text: String, at start: Int) -> TOMLError {
        if text.utf8.contains(UInt8(ascii: ":")) || text.utf8.split(separator: UInt8(ascii: "-")).count == 3 {
            return error("dates and times are not supported", "Put it in quotation marks.", at: start)
        }
        // The text may be a secret without its quotation marks.
        guard let first = text.utf8.first, "+-0123456789".utf8.contains(first) else {
            return error(
                "this is neither a number nor 'true' or 'false'", "Put text in quotation marks: \"…\".", at: start)
        }
        return error(
            "this number is malformed or too large",
            "Write 10, 0x1F, 1_000 or 1.5, without zeros in front; integers have 64 bits.", at: start)
    }

    /// Returns whether a number, a boolean or a date may contain a scalar.
    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        isBare(scalar) || scalar == "+" || scalar == "." || scalar == ":"
    }
}

extension TOMLParser {
    /// Parses a TOML integer; nil for anything else, such as leading zeros and numbers beyond 64 bits.
    package static func integer(_ text: String) -> Int64? {
        let digits = text.filter { $0 != "_" }
        if text.wholeMatch(of: /[+\-]?(0|[1-9](_?[0-9])*)/) != nil { return Int64(digits) }
        guard text.wholeMatch(of: /0[xob][0-9A-Fa-f](_?[0-9A-Fa-f])*/) != nil else { return nil }
        return Int64(digits.dropFirst(2), radix: text.hasPrefix("0x") ? 16 : text.hasPrefix("0o") ? 8 : 2)
    }

    /// Parses a TOML float; nil for anything else, such as a dot without digits on both sides.
    private static func float(_ text: String) -> Double? {
        let float = /[+\-]?(0|[1-9](_?[0-9])*)(\.[0-9](_?[0-9])*)?([eE][+\-]?[0-9](_?[0-9])*)?/
        guard text.wholeMatch(of: float) != nil, text.contains(where: ".eE".contains) else { return nil }
        return Double(text.filter { $0 != "_" })
    }
}

extension TOMLParser {
    /// Parses a string (TOML 1.0, "String"): basic with escapes between `"`, literal between `'`.
    ///
    /// A multi-line string is between three marks. A line break directly after the first three is not part of it. CR LF
    /// becomes LF, so that a file means the same on all systems.
    private mutating func string(isMultiLine: Bool = false) throws(TOMLError) -> String {
        let (start, mark) = (position, next)
        position += isMultiLine ? 3 : 1
        if isMultiLine { _ = skipNewline() }
        var text = String.UnicodeScalarView()
        while next != mark || isMultiLine && (peek(1) != mark || peek(2) != mark) {
            if isMultiLine {
                guard !isAtEnd else {
                    throw error("the string does not end", "End it with its three marks.", at: start)
                }
                if skipNewline() {
                    text.append("\n")
                    continue
                }
                try rejectControl()
            } else {
                try rejectLineEnd(of: start)
            }
            if mark == "'" || next != "\\" {
                text.append(take())
            } else if !isMultiLine || !skipEscapedBreak() {
                text.append(try escape())
            }
        }
        // Up to two marks may precede the three that end the string.
        if isMultiLine { for _ in 0..<2 where peek(3) == mark { text.append(take()) } }
        position += isMultiLine ? 3 : 1
        return String(text)
    }

    /// Rejects the end of the line within a string; the error points at the opening mark.
    private func rejectLineEnd(of start: Int) throws(TOMLError) {
        guard !isAtEnd, next != "\n", !(next == "\r" && peek(1) == "\n") else {
            throw error("the string does not end on its line", "Close it with the mark that opened it.", at: start)
        }
        try rejectControl()
    }

    /// Takes the next scalar.
    private mutating func take() -> Unicode.Scalar {
        defer { position += 1 }
        return next
    }

    /// Skips a backslash at the end of a line with the break and all following blanks; returns whether there was one.
    private mutating func skipEscapedBreak() -> Bool {
        let start = position
        position += 1
        skipBlanks()
        guard skipNewline() else {
            position = start
            return false
        }
        repeat { skipBlanks() } while skipNewline()
        return true
    }

    /// Parses one escape; surrogates and numbers beyond Unicode are errors.
    private mutating func escape() throws(TOMLError) -> Unicode.Scalar {
        let start = position
        let letter = peek(1)
        position += 2
        switch letter {
        case "\"", "\\": return letter
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "f": return "\u{C}"
        case "r": return "\r"
        case "u": return try scalar(digits: 4, of: start)
        case "U": return try scalar(digits: 8, of: start)
        default:
            throw error(
                "there is no such escape", "Write '\\\\' for a backslash, or the text in single quotation marks.",
                at: start)
        }
    }

    /// Parses a character with exactly the given count of hexadecimal digits.
    private mutating func scalar(digits: Int, of start: Int) throws(TOMLError) -> Unicode.Scalar {
        let first = position
        while position < first + digits, next.properties.isASCIIHexDigit { position += 1 }
        guard position == first + digits, let number = UInt32(text(from: first), radix: 16),
            let scalar = Unicode.Scalar(number)
        else {
            throw error("the escape names no character", "Write \\u and four hexadecimal digits.", at: start)
        }
        return scalar
    }
}
