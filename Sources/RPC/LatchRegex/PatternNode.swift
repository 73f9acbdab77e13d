// SPDX-License-Identifier: Apache-2.0

/// A node of a pattern's syntax tree.
indirect enum PatternNode: Sendable {
    case empty
    /// A character of a class.
    case one(PatternClass)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// A repetition with its bounds; nil means unbounded.
    case times(PatternNode, least: Int, greatest: Int?)
}

/// A zero-width assertion between two characters.
enum PatternAssertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    func holds(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
        switch self {
        case .textStart: before == nil
        case .textEnd: after == nil
        case .lineStart: before == nil || before == "\n"
        case .lineEnd: after == nil || after == "\n"
        case .wordBoundary: (before?.isPatternWord ?? false) != (after?.isPatternWord ?? false)
        case .noWordBoundary: (before?.isPatternWord ?? false) == (after?.isPatternWord ?? false)
        }
    }
}

/// A set of characters.
struct PatternClass: Sendable {
    /// A part of the set.
    indirect enum Part: Sendable {
        case range(ClosedRange<UInt32>)
        case categories(Set<Unicode.GeneralCategory>)
        case set(PatternClass)
    }

    var parts: [Part] = []
    var isNegated = false
    var ignoresCase = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        if has(scalar) { return !isNegated }
        if ignoresCase, let other = scalar.otherCase, has(other) { return !isNegated }
        return isNegated
    }

    private func has(_ scalar: Unicode.Scalar) -> Bool {
        parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar.value)
            case .categories(let categories): categories.contains(scalar.properties.generalCategory)
            case .set(let inner): inner.contains(scalar)
            }
        }
    }

    static func scalar(_ scalar: Unicode.Scalar) -> PatternClass {
        PatternClass(parts: [.range(scalar.value...scalar.value)])
    }

    static func ranges(_ ranges: ClosedRange<Unicode.Scalar>...) -> PatternClass {
        PatternClass(parts: ranges.map { .range($0.lowerBound.value...$0.upperBound.value) })
    }
}

extension Unicode.Scalar {
    var isPatternWord: Bool {
        switch self {
        case "0"..."9", "A"..."Z", "a"..."z", "_": true
        default: false
        }
    }

    /// The character in the other case, if it is a single character.
    fileprivate var otherCase: Unicode.Scalar? {
        let (lower, upper) = (properties.lowercaseMapping.unicodeScalars, properties.uppercaseMapping.unicodeScalars)
        if let one = lower.first, lower.count == 1, one != self { return one }
        if let one = upper.first, upper.count == 1, one != self { return one }
        return nil
    }
}

extension PatternClass {
    /// Returns the Perl class for a letter (`\d`), which is ASCII as in RE2; nil if there is none.
    static func perl(_ letter: Unicode.Scalar) -> PatternClass? {
        switch letter {
        case "d": return ranges("0"..."9")
        case "s": return ranges("\t"..."\n", "\u{0C}"..."\r", " "..." ")
        case "w": return ranges("0"..."9", "A"..."Z", "a"..."z", "_"..."_")
        case "D", "S", "W":
            var inner = perl(Unicode.Scalar(letter.value + 0x20) ?? letter)
            inner?.isNegated = true
            return inner
        default: return nil
        }
    }

    /// Returns the POSIX class for a name between `[:` and `:]`; nil if there is none.
    static func posix(_ name: String) -> PatternClass? {
        switch name {
        case "alnum": ranges("0"..."9", "A"..."Z", "a"..."z")
        case "alpha": ranges("A"..."Z", "a"..."z")
        case "ascii": ranges("\0"..."\u{7F}")
        case "blank": ranges("\t"..."\t", " "..." ")
        case "cntrl": ranges("\0"..."\u{1F}", "\u{7F}"..."\u{7F}")
        case "digit": ranges("0"..."9")
        case "graph": ranges("!"..."~")
        case "lower": ranges("a"..."z")
        case "print": ranges(" "..."~")
        case "punct": ranges("!"..."/", ":"..."@", "["..."`", "{"..."~")
        case "space": ranges("\t"..."\r", " "..." ")
        case "upper": ranges("A"..."Z")
        case "word": perl("w")
        case "xdigit": ranges("0"..."9", "A"..."F", "a"..."f")
        default: nil
        }
    }

    /// Returns the class for a general category (`L`, `Lu`).
    ///
    /// Returns nil for others, such as scripts, which the standard library does not support.
    static func category(_ name: String) -> PatternClass? {
        if name == "Any" { return ranges("\0"..."\u{10FFFF}") }
        let found = categories.filter { $0.key == name || name.utf8.count == 1 && $0.key.utf8.starts(with: name.utf8) }
        return found.isEmpty ? nil : PatternClass(parts: [.categories(Set(found.values))])
    }

    private static let categories: [String: Unicode.GeneralCategory] = [
        "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter, "Lm": .modifierLetter,
        "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark, "Me": .enclosingMark, "Nd": .decimalNumber,
        "Nl": .letterNumber, "No": .otherNumber, "Pc": .connectorPunctuation, "Pd": .dashPunctuation,
        "Ps": .openPunctuation, "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
        "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol, "So": .otherSymbol,
        "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator, "Cc": .control, "Cf": .format,
        "Co": .privateUse, "Cn": .unassigned,
    ]
}
