// SPDX-License-Identifier: Apache-2.0

extension PatternParser {
    /// What a backslash begins.
    mutating func escaped() throws(PatternError) -> PatternNode {
        index += 1
        guard let letter = next else { throw failure("nothing is behind the last '\\'") }
        switch letter {
        case "A": return assertion(.textStart)
        case "z": return assertion(.textEnd)
        case "b": return assertion(.wordBoundary)
        case "B": return assertion(.noWordBoundary)
        default: break
        }
        if let named = try namedClass() { return .one(named) }
        return literal(try escapedScalar())
    }

    private mutating func assertion(_ assertion: PatternAssertion) -> PatternNode {
        index += 1
        return .assertion(assertion)
    }

    /// `\d`, `\pL` or `\P{Lu}`, at the letter; nil where the letter begins none.
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
            while let next, next != "}" {
                name.unicodeScalars.append(next)
                index += 1
            }
            guard take("}") else { throw failure("the name of a class does not end") }
        } else if let next {
            name.unicodeScalars.append(next)
            index += 1
        }
        guard var found = PatternClass.category(name) else {
            throw failure("'\(name)' is no category of Unicode; scripts are not known")
        }
        found.isNegated = isNegated
        found.ignoresCase = flags.ignoresCase
        return found
    }

    /// One character behind a backslash, at its letter.
    private mutating func escapedScalar() throws(PatternError) -> Unicode.Scalar {
        guard let letter = next else { throw failure("nothing is behind the last '\\'") }
        index += 1
        switch letter {
        case "a": return "\u{07}"
        case "f": return "\u{0C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{0B}"
        case "x": return try hexadecimal()
        case "0": return try octal(0)
        case "1"..."7":
            // A single digit would be a back reference.
            guard let next, ("0"..."7").contains(next) else { throw failure("back references are not possible") }
            return try octal(letter.value - 48)
        default:
            guard letter.value < 0x80, !letter.isPatternWord || letter == "_" else {
                throw failure("'\\\(letter)' means nothing")
            }
            return letter
        }
    }

    private mutating func octal(_ first: UInt32) throws(PatternError) -> Unicode.Scalar {
        var value = first
        for _ in 0..<2 {
            guard let next, ("0"..."7").contains(next) else { break }
            value = value * 8 + next.value - 48
            index += 1
        }
        return try scalar(value)
    }

    private mutating func hexadecimal() throws(PatternError) -> Unicode.Scalar {
        let isBraced = take("{")
        var (value, digits) = (UInt32(0), 0)
        while let digit = next.flatMap(Self.digit), digits < (isBraced ? 8 : 2) {
            value = value << 4 | digit
            digits += 1
            index += 1
        }
        guard digits > 0, isBraced ? take("}") : digits == 2 else { throw failure("'\\x' is followed by two digits") }
        return try scalar(value)
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt32? {
        switch scalar {
        case "0"..."9": scalar.value - 48
        case "a"..."f": scalar.value - 87
        case "A"..."F": scalar.value - 55
        default: nil
        }
    }

    private func scalar(_ value: UInt32) throws(PatternError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw failure("there is no character \(value)") }
        return scalar
    }

    // MARK: Brackets

    /// A class between brackets.
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
            var name = ""
            while let next, next.isPatternWord {
                name.unicodeScalars.append(next)
                index += 1
            }
            guard take(":]"), var found = PatternClass.posix(name) else { throw failure("'\(name)' is no class") }
            found.isNegated = isNegated
            return .of(found)
        }
        guard next == "\\", index + 1 < scalars.count else { return nil }
        let letter = scalars[index + 1]
        guard PatternClass.perl(letter) != nil || letter == "p" || letter == "P" else { return nil }
        index += 1
        return try namedClass().map { .of($0) }
    }

    private mutating func scalarInBrackets() throws(PatternError) -> Unicode.Scalar {
        guard let first = next else { throw failure("a ']' is missing") }
        index += 1
        return first == "\\" ? try escapedScalar() : first
    }
}

extension PatternClass.Part {
    /// A class within another.
    fileprivate static func of(_ inner: PatternClass) -> PatternClass.Part {
        var opposite = inner
        opposite.isNegated.toggle()
        return .except(opposite)
    }
}
