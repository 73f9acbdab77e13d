// SPDX-License-Identifier: Apache-2.0

/// A token of a validation rule.
struct RuleToken {
    /// The kind of a token.
    enum Kind: Equatable {
        case name(String)
        case number(String)
        case text(String)
        case symbol(String)
        case end
    }

    let kind: Kind
    let offset: Int

    /// The token in the form of an error message.
    var description: String {
        switch kind {
        case .name(let text), .number(let text), .symbol(let text): "'\(text)'"
        case .text(let text): "the text '\(text)'"
        case .end: "the end"
        }
    }
}

/// An error in a rule, with its offset in bytes.
struct RuleError: Error {
    let message: String
    let offset: Int
    var hint: String?
}

extension RuleToken {
    /// Returns the tokens of a rule; the last one has the kind `end`.
    static func all(of rule: String) throws(RuleError) -> [RuleToken] {
        var tokens: [RuleToken] = []
        let bytes = Array(rule.utf8)
        var index = 0
        while true {
            while index < bytes.count, bytes[index].isBlank { index += 1 }
            guard index < bytes.count else { break }
            let start = index
            let kind = try kind(in: bytes, &index)
            tokens.append(RuleToken(kind: kind, offset: start))
        }
        return tokens + [RuleToken(kind: .end, offset: bytes.count)]
    }

    private static let symbols = [
        "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ",", ".", "-",
    ]

    private static func kind(in bytes: [UInt8], _ index: inout Int) throws(RuleError) -> Kind {
        let first = bytes[index]
        if first.isRuleLetter { return .name(word(in: bytes, &index) { $0.isRuleLetter || $0.isDigit }) }
        if first.isDigit {
            var digits = word(in: bytes, &index, while: \.isDigit)
            // A decimal point is part of a number only if a digit follows.
            while index + 1 < bytes.count, bytes[index] == UInt8(ascii: "."), bytes[index + 1].isDigit {
                index += 1
                digits += "." + word(in: bytes, &index, while: \.isDigit)
            }
            return .number(digits)
        }
        if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") { return .text(try text(in: bytes, &index)) }
        for symbol in symbols where bytes[index...].starts(with: symbol.utf8) {
            index += symbol.utf8.count
            return .symbol(symbol)
        }
        let rest = String(decoding: bytes[index...], as: UTF8.self)
        throw RuleError(
            message: "unexpected '\(rest.prefix(1))'", offset: index,
            hint: "a rule compares fields: request.email.contains('@') && request.password.length >= 8")
    }

    private static func word(in bytes: [UInt8], _ index: inout Int, while belongs: (UInt8) -> Bool) -> String {
        let start = index
        while index < bytes.count, belongs(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Reads a string in single or double quotes; a backslash escapes the next character.
    private static func text(in bytes: [UInt8], _ index: inout Int) throws(RuleError) -> String {
        let (start, quote) = (index, bytes[index])
        var content: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != quote {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
                // Only quotes and backslashes are escaped; other backslashes are part of a pattern.
                if bytes[index + 1] != quote, bytes[index + 1] != UInt8(ascii: "\\") { content.append(bytes[index]) }
                index += 1
            }
            content.append(bytes[index])
            index += 1
        }
        guard index < bytes.count else { throw RuleError(message: "the text does not end", offset: start) }
        index += 1
        return String(decoding: content, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isRuleLetter: Bool { isUpper || isLower || self == UInt8(ascii: "_") }
}
