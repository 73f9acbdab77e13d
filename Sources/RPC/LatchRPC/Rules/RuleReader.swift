// SPDX-License-Identifier: Apache-2.0

/// Reads the rules of a field (see `MessageRules`).
struct RuleReader {
    /// What is not known.
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

    /// What stands up to the next space, bracket or equals sign.
    mutating func word() -> String {
        skipSpaces()
        let start = index
        while let next, !" =()[]\"".utf8.contains(next) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// The rules up to the end or to a closing parenthesis.
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
                rules.ignores = self.word() == "always" ? .always : .zero
            case "items", "keys", "values":
                guard take("(") else { throw Unknown(word: word) }
                let inner = [try fieldRules()]
                if word == "items" {
                    rules.items = inner
                } else if word == "keys" {
                    rules.keys = inner
                } else {
                    rules.values = inner
                }
            default: try rule(word, into: &rules)
            }
        }
    }

    private mutating func rule(_ word: String, into rules: inout FieldRules) throws(Unknown) {
        guard let dot = word.firstIndex(of: ".") else { throw Unknown(word: word) }
        rules.family = String(word[..<dot])
        let name = String(word[word.index(after: dot)...])
        var values: [RuleOperand] = []
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
        guard try rules.add(name, values) else { throw Unknown(word: word) }
    }

    // MARK: Values

    private mutating func value(of family: String, _ name: String) throws(Unknown) -> RuleOperand {
        if next == UInt8(ascii: "\"") {
            let text = EscapedRuleText.read(bytes, &index)
            guard family == "bytes", name != "pattern" else { return .text(text) }
            guard let data = EscapedRuleText.data(text) else { throw Unknown(word: name) }
            return .bytes(data)
        }
        let start = index
        while let next, !" ,])".utf8.contains(next) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let value = Self.value(text, of: family, name) else { throw Unknown(word: text) }
        return value
    }

    private static func value(_ text: String, of family: String, _ name: String) -> RuleOperand? {
        if [
            "len", "min_len", "max_len", "len_bytes", "min_bytes", "max_bytes", "min_items", "max_items", "min_pairs",
            "max_pairs",
        ].contains(name) {
            return UInt64(text).map { .unsigned($0) }
        }
        switch family {
        case "float", "double": return Double(text).map { .real($0) }
        case "bool": return Bool(text).map { .bool($0) }
        case "uint32", "uint64", "fixed32", "fixed64": return UInt64(text).map { .unsigned($0) }
        case "duration", "timestamp":
            let parts = text.split(separator: ":")
            guard parts.count == 2, let seconds = Int64(parts[0]), let nanoseconds = Int64(parts[1]) else { return nil }
            return .moment(seconds, nanoseconds)
        default: return Int64(text).map { .signed($0) }
        }
    }
}
