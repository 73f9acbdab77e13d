// SPDX-License-Identifier: Apache-2.0

extension PatternClass {
    /// The class behind a backslash (`\d`), which is ASCII as RE2's are; nil where the letter names none.
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

    /// The class of a name between `[:` and `:]`.
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

    /// The class of a general category (`L`, `Lu`); nil for scripts, which the standard library does not know.
    static func category(_ name: String) -> PatternClass? {
        if name == "Any" { return ranges("\0"..."\u{10FFFF}") }
        let found = categories.filter { $0.key == name || name.count == 1 && $0.key.hasPrefix(name) }
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
