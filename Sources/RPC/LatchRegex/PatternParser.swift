// SPDX-License-Identifier: Apache-2.0

/// Reads a pattern in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax).
///
/// What only finds out where groups are (names, captures, laziness) is read and means nothing here. Refused is what RE2
/// refuses (back references, looking around), scripts (`\p{Greek}`) and `\C`.
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
        guard parser.index == parser.scalars.count else { throw parser.failure("a ')' is not opened") }
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
        guard try counts() == nil else { throw failure("two repetitions stand together") }
        return .times(node, least: least, greatest: greatest)
    }

    private mutating func counts() throws(PatternError) -> (least: Int, greatest: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard next == "{" else { return nil }
        // What does not read as counts is a brace.
        let start = index
        index += 1
        guard let least = number() else {
            index = start
            return nil
        }
        var greatest: Int? = least
        if take(",") { greatest = number() }
        guard take("}") else {
            index = start
            return nil
        }
        guard least <= 1000, greatest ?? 0 <= 1000, greatest ?? least >= least else {
            throw failure("a repetition is of 1000 times at most, and its greatest number is not below its least")
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

    /// One part; nil where only flags are set.
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
        case "*", "+", "?": throw failure("there is nothing to repeat")
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
                guard next != "=", next != "!" else { throw failure("looking around is not possible") }
                while let next, next.isPatternWord { index += 1 }
                guard take(">") else { throw failure("the name of a group does not end") }
            } else {
                try setFlags()
                // Flags without a part hold up to the end of the group around them.
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
            // It only swaps lazy and greedy, which find the same texts.
            case "U": break
            case "-" where value: value = false
            case "=", "!": throw failure("looking around is not possible")
            default: throw failure("'\(next)' is no flag")
            }
            index += 1
        }
    }
}
