// SPDX-License-Identifier: Apache-2.0

/// A parser of patterns in RE2's syntax (https://github.com/google/re2/wiki/Syntax).
///
/// Syntax that only affects submatches (names, captures, laziness) is accepted and ignored. As in RE2, backreferences
/// and lookaround are refused. Scripts (`\p{Greek}`) and `\C` are also refused.
struct PatternParser {
    struct Flags {
        var ignoresCase = false
        var linesCount = false
        var dotMatchesNewline = false
    }

    let scalars: [Unicode.Scalar]
    var index = 0
    var flags = Flags()
    private var depth = 0

    static func parse(_ text: String) throws(PatternError) -> PatternNode {
        var parser = PatternParser(scalars: Array(text.unicodeScalars))
        let node = try parser.choice()
        guard parser.index == parser.scalars.count else { throw parser.failure("a ')' has no '('") }
        return node
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    func failure(_ reason: String) -> PatternError { PatternError(reason: reason, offset: index) }

    mutating func take(_ text: String) -> Bool {
        guard scalars[index...].starts(with: text.unicodeScalars) else { return false }
        index += text.unicodeScalars.count
        return true
    }

    private mutating func choice() throws(PatternError) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 200 else { throw failure("the pattern is nested too deeply") }
        var options = [try sequence()]
        while take("|") { options.append(try sequence()) }
        return options.count == 1 ? options[0] : .choice(options)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let next, next != "|", next != ")" {
            if take("\\Q") {
                while index < scalars.count, !take("\\E") {
                    parts.append(literal(scalars[index]))
                    index += 1
                }
                continue
            }
            guard let part = try atom() else { continue }
            parts.append(try repeated(part))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    // MARK: Repetition

    private mutating func repeated(_ node: PatternNode) throws(PatternError) -> PatternNode {
        guard let (least, greatest) = try counts() else { return node }
        _ = take("?")
        guard try counts() == nil else { throw failure("a repetition follows a repetition") }
        return .times(node, least: least, greatest: greatest)
    }

    private mutating func counts() throws(PatternError) -> (least: Int, greatest: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard next == "{" else { return nil }
        // Any other text after a brace makes the brace a literal.
        let start = index
        index += 1
        let least = number()
        let greatest = take(",") ? number() : least
        guard let least, take("}") else {
            index = start
            return nil
        }
        guard least <= 1000, greatest ?? 0 <= 1000, greatest ?? least >= least else {
            throw failure("a repetition count must be at most 1000, and the maximum not below the minimum")
        }
        return (least, greatest)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let next, ("0"..."9").contains(next), value ?? 0 <= 100_000 {
            value = (value ?? 0) * 10 + Int(next.value - 48)
            index += 1
        }
        return value
    }

    // MARK: Atoms

    /// Parses one atom; nil if it only sets flags.
    private mutating func atom() throws(PatternError) -> PatternNode? {
        guard let first = next else { return .empty }
        switch first {
        case "(": return try group()
        case "[": return .one(try bracketed())
        case "\\": return try escaped()
        default: index += 1
        }
        switch first {
        case ".":
            var dot = PatternClass.scalar("\n")
            dot.isNegated = true
            return .one(flags.dotMatchesNewline ? .ranges("\0"..."\u{10FFFF}") : dot)
        case "^": return .assertion(flags.linesCount ? .lineStart : .textStart)
        case "$": return .assertion(flags.linesCount ? .lineEnd : .textEnd)
        case "*", "+", "?": throw failure("a repetition has nothing to repeat")
        default: return literal(first)
        }
    }

    func literal(_ scalar: Unicode.Scalar) -> PatternNode {
        var one = PatternClass.scalar(scalar)
        one.ignoresCase = flags.ignoresCase
        return .one(one)
    }

    private mutating func group() throws(PatternError) -> PatternNode? {
        index += 1
        let outer = flags
        if take("?") {
            if take("P<") || take("<") {
                guard next != "=", next != "!" else { throw failure("lookaround is not supported") }
                _ = word()
                guard take(">") else { throw failure("a group name is not terminated") }
            } else {
                try setFlags()
                // Flags without an atom apply until the end of the enclosing group.
                if take(")") { return nil }
                guard take(":") else { throw failure("a group begins with '(?:', '(?P<name>' or flags") }
            }
        }
        let inner = try choice()
        guard take(")") else { throw failure("a ')' is missing") }
        flags = outer
        return inner
    }

    private mutating func setFlags() throws(PatternError) {
        var value = true
        while let next, next != ")", next != ":" {
            switch next {
            case "i": flags.ignoresCase = value
            case "m": flags.linesCount = value
            case "s": flags.dotMatchesNewline = value
            // Swapping lazy and greedy does not change the matches.
            case "U": break
            case "-" where value: value = false
            case "=", "!": throw failure("lookaround is not supported")
            default: throw failure("'\(next)' is not a flag")
            }
            index += 1
        }
    }
}

extension PatternParser {
    /// Parses an escape sequence.
    mutating func escaped() throws(PatternError) -> PatternNode {
        index += 1
        guard let letter = next else { throw failure("the pattern ends after '\\'") }
        if let assertion = Self.assertions[letter] {
            index += 1
            return .assertion(assertion)
        }
        if let named = try namedClass() { return .one(named) }
        return literal(try escapedScalar())
    }

    private static let assertions: [Unicode.Scalar: PatternAssertion] = [
        "A": .textStart, "z": .textEnd, "b": .wordBoundary, "B": .noWordBoundary,
    ]

    private static let controls: [Unicode.Scalar: Unicode.Scalar] = [
        "a": "\u{07}", "f": "\u{0C}", "n": "\n", "r": "\r", "t": "\t", "v": "\u{0B}",
    ]

    /// Consumes letters, digits and underscores.
    private mutating func word() -> String { text { $0.isPatternWord } }

    private mutating func text(while predicate: (Unicode.Scalar) -> Bool) -> String {
        let text = scalars[index...].prefix(while: predicate)
        index += text.count
        return String(String.UnicodeScalarView(text))
    }

    /// Parses `\d`, `\pL` or `\P{Lu}` from the letter on; nil if the letter begins no class.
    private mutating func namedClass() throws(PatternError) -> PatternClass? {
        guard let letter = next else { return nil }
        if let found = PatternClass.perl(letter) {
            index += 1
            return found
        }
        guard letter == "p" || letter == "P" else { return nil }
        index += 1
        var isNegated = letter == "P"
        var name = ""
        if take("{") {
            if take("^") { isNegated.toggle() }
            name = text { $0 != "}" }
            guard take("}") else { throw failure("a class name is not terminated") }
        } else if let next {
            name.unicodeScalars.append(next)
            index += 1
        }
        guard var found = PatternClass.category(name) else {
            throw failure("'\(name)' is not a Unicode category; scripts are not supported")
        }
        found.isNegated = isNegated
        found.ignoresCase = flags.ignoresCase
        return found
    }

    /// Parses an escaped character, from the letter after the backslash on.
    private mutating func escapedScalar() throws(PatternError) -> Unicode.Scalar {
        guard let letter = next else { throw failure("the pattern ends after '\\'") }
        index += 1
        if let control = Self.controls[letter] { return control }
        switch letter {
        case "x": return try hexadecimal()
        case "0"..."7":
            // A single digit other than 0 would be a backreference.
            let digits = digits(radix: 8, atMost: 2)
            guard letter == "0" || !digits.isEmpty else { throw failure("backreferences are not supported") }
            return try scalar("\(letter)\(digits)", radix: 8)
        default:
            guard letter.value < 0x80, !letter.isPatternWord || letter == "_" else {
                throw failure("'\\\(letter)' is not a known escape")
            }
            return letter
        }
    }

    private mutating func hexadecimal() throws(PatternError) -> Unicode.Scalar {
        let isBraced = take("{")
        let digits = digits(radix: 16, atMost: isBraced ? 8 : 2)
        guard isBraced ? !digits.isEmpty && take("}") : digits.utf8.count == 2 else {
            throw failure("'\\x' needs two digits")
        }
        return try scalar(digits, radix: 16)
    }

    private mutating func digits(radix: Int, atMost limit: Int) -> String {
        var digits = ""
        while let next, next.isASCII, digits.utf8.count < limit, let digit = Character(next).hexDigitValue,
            digit < radix
        {
            digits.unicodeScalars.append(next)
            index += 1
        }
        return digits
    }

    private func scalar(_ digits: String, radix: Int) throws(PatternError) -> Unicode.Scalar {
        let value = UInt32(digits, radix: radix) ?? .max
        guard let scalar = Unicode.Scalar(value) else { throw failure("there is no character \(value)") }
        return scalar
    }

    // MARK: Brackets

    /// Parses a bracket expression.
    mutating func bracketed() throws(PatternError) -> PatternClass {
        index += 1
        var result = PatternClass(ignoresCase: flags.ignoresCase)
        result.isNegated = take("^")
        var isFirst = true
        while isFirst || next != "]" {
            guard next != nil else { throw failure("a ']' is missing") }
            isFirst = false
            if let named = try classInBrackets() {
                result.parts.append(named)
                continue
            }
            let low = try scalarInBrackets()
            guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                result.parts.append(.range(low.value...low.value))
                continue
            }
            index += 1
            let high = try scalarInBrackets()
            guard low <= high else { throw failure("a range ends before it begins") }
            result.parts.append(.range(low.value...high.value))
        }
        index += 1
        return result
    }

    private mutating func classInBrackets() throws(PatternError) -> PatternClass.Part? {
        if take("[:") {
            let isNegated = take("^")
            let name = word()
            guard take(":]"), var found = PatternClass.posix(name) else { throw failure("'\(name)' is not a class") }
            found.isNegated = isNegated
            return .set(found)
        }
        guard next == "\\", index + 1 < scalars.count else { return nil }
        let letter = scalars[index + 1]
        guard PatternClass.perl(letter) != nil || letter == "p" || letter == "P" else { return nil }
        index += 1
        return try namedClass().map { .set($0) }
    }

    private mutating func scalarInBrackets() throws(PatternError) -> Unicode.Scalar {
        guard let first = next else { throw failure("a ']' is missing") }
        index += 1
        return first == "\\" ? try escapedScalar() : first
    }
}
