// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A parser of the rules of a field (see `MessageRules`).
struct RuleParser {
    /// An unknown rule or value.
    struct Unknown: Error {
        let word: String
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ line: Substring) { bytes = Array(line.utf8) }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpaces() { while next == UInt8(ascii: " ") { index += 1 } }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Reads up to the next space, bracket, quote or equals sign.
    mutating func word() -> String {
        skipSpaces()
        let start = index
        while let next, !" =()[]\"".utf8.contains(next) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Parses rules up to the end or a closing parenthesis.
    mutating func fieldRules() throws(Unknown) -> FieldRules {
        var rules = FieldRules()
        while true {
            skipSpaces()
            guard next != nil, !take(")") else { return rules }
            let word = word()
            guard !word.isEmpty else { throw Unknown(word: "\(next.map { String(Unicode.Scalar($0)) } ?? "")") }
            switch word {
            case "required": rules.isRequired = true
            case "ignore":
                guard take("=") else { throw Unknown(word: word) }
                rules.ignores = self.word() == "always" ? .always : .ifZeroValue
            case "items", "keys", "values":
                guard take("(") else { throw Unknown(word: word) }
                rules.elements[word] = try fieldRules()
            default: try rule(word, into: &rules)
            }
        }
    }

    private mutating func rule(_ word: String, into rules: inout FieldRules) throws(Unknown) {
        guard let dot = word.utf8.firstIndex(of: UInt8(ascii: ".")) else { throw Unknown(word: word) }
        rules.family = String(word[..<dot])
        let name = String(word[word.utf8.index(after: dot)...])
        var values: [RuleValue] = []
        if take("=") {
            if take("[") {
                while !take("]") {
                    guard next != nil else { throw Unknown(word: word) }
                    values.append(try value(of: rules.family, name))
                    _ = take(",")
                }
            } else {
                values.append(try value(of: rules.family, name))
            }
        }
        guard rules.add(name, values) else { throw Unknown(word: word) }
    }

    // MARK: Values

    private mutating func value(of family: String, _ name: String) throws(Unknown) -> RuleValue {
        if next == UInt8(ascii: "\"") {
            let text = RuleStringLiteral.read(bytes, &index)
            guard family == "bytes", name != "pattern" else { return .text(text) }
            guard let data = RuleStringLiteral.data(text) else { throw Unknown(word: name) }
            return .bytes(data)
        }
        let start = index
        while let next, !" ,])".utf8.contains(next) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let value = Self.value(text, of: family, name) else { throw Unknown(word: text) }
        return value
    }

    private static func value(_ text: String, of family: String, _ name: String) -> RuleValue? {
        if ["len", "bytes", "items", "pairs"].contains(
            name.unicodeScalars.split(separator: "_").last.map { String($0) })
        {
            return UInt64(text).map { .unsigned($0) }
        }
        switch family {
        case "float", "double": return Double(text).map { .real($0) }
        case "bool": return Bool(text).map { .bool($0) }
        case "uint32", "uint64", "fixed32", "fixed64": return UInt64(text).map { .unsigned($0) }
        case "duration", "timestamp":
            let parts = text.unicodeScalars.split(separator: ":").map { Substring($0) }
            guard parts.count == 2, let seconds = Int64(parts[0]), let nanoseconds = Int64(parts[1]) else { return nil }
            return .time(seconds, nanoseconds)
        default: return Int64(text).map { .signed($0) }
        }
    }
}

enum RuleStringLiteral {
    /// Parses a literal: a backslash escapes the next character, `\n` is a line feed and `\u{…}` a code point.
    static func read(_ bytes: [UInt8], _ index: inout Int) -> String {
        var text: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                text.append(bytes[index])
                index += 1
                continue
            }
            index += 1
            let letter = bytes[index]
            index += 1
            switch letter {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "u"): text += Array(String(scalar(bytes, &index)).utf8)
            default: text.append(letter)
            }
        }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    private static func scalar(_ bytes: [UInt8], _ index: inout Int) -> Character {
        let digits = bytes[index...].dropFirst().prefix { $0 != UInt8(ascii: "}") }
        index += digits.count + 2
        let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
        return Character(Unicode.Scalar(value) ?? "\u{FFFD}")
    }

    /// Returns a string as a literal, in the form of violation paths.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Decodes hexadecimal digits.
    static func data(_ text: String) -> Data? {
        let digits = text.utf8.compactMap(hexValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}
