// SPDX-License-Identifier: Apache-2.0

extension TOMLParser {
    /// A string in double quotation marks, with escapes (TOML 1.0, "String").
    ///
    /// `at` is at the opening mark before, and behind the closing one after; the same holds for the other three kinds.
    mutating func basicString() throws(TOMLError) -> String {
        let start = at
        at += 1
        var text = String.UnicodeScalarView()
        while next != "\"" {
            try refuseLineEnd(of: start)
            text.append(next == "\\" ? try escape() : take())
        }
        at += 1
        return String(text)
    }

    /// A string in single quotation marks, in which nothing is an escape.
    mutating func literalString() throws(TOMLError) -> String {
        let start = at
        at += 1
        while next != "'" {
            try refuseLineEnd(of: start)
            at += 1
        }
        at += 1
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[(start + 1)..<(at - 1)])
        return String(text)
    }

    /// A string over several lines, with escapes.
    mutating func longBasicString() throws(TOMLError) -> String {
        try longString("\"") { parser throws(TOMLError) in
            guard parser.next == "\\" else { return parser.take() }
            return try parser.skipEscapedBreak() ? nil : parser.escape()
        }
    }

    /// A string over several lines, in which nothing is an escape.
    mutating func longLiteralString() throws(TOMLError) -> String {
        try longString("'") { parser throws(TOMLError) in parser.take() }
    }

    /// A string between three quotation marks; a line break right behind the first three is no part of it.
    ///
    /// CR LF within it becomes LF, so that a file means the same whichever system saved it.
    ///
    /// - Parameter element: Takes one scalar, or an escape; nil where what it took stands for nothing.
    private mutating func longString(
        _ mark: Unicode.Scalar, _ element: (inout TOMLParser) throws(TOMLError) -> Unicode.Scalar?
    ) throws(TOMLError) -> String {
        let start = at
        at += 3
        _ = skipNewline()
        var text = String.UnicodeScalarView()
        while !(next == mark && peek(1) == mark && peek(2) == mark) {
            guard !isAtEnd else { throw error("the string does not end", "End it with its three marks.", at: start) }
            if skipNewline() {
                text.append("\n")
            } else {
                try refuseControl()
                if let scalar = try element(&self) { text.append(scalar) }
            }
        }
        // Up to two marks may stand right before the three that end the string.
        for _ in 0..<2 where peek(3) == mark { text.append(take()) }
        at += 3
        return String(text)
    }

    /// Points at the mark that opened the string, which is where the mistake is.
    private func refuseLineEnd(of start: Int) throws(TOMLError) {
        guard !isAtEnd, next != "\n", !(next == "\r" && peek(1) == "\n") else {
            throw error("the string does not end on its line", "Close it with the mark that opened it.", at: start)
        }
        try refuseControl()
    }

    /// The next scalar, which is then behind us.
    private mutating func take() -> Unicode.Scalar {
        defer { at += 1 }
        return next
    }

    /// A backslash at the end of a line removes the break and all blanks that follow.
    private mutating func skipEscapedBreak() throws(TOMLError) -> Bool {
        let start = at
        at += 1
        skipBlanks()
        guard skipNewline() else {
            at = start
            return false
        }
        repeat { skipBlanks() } while skipNewline()
        return true
    }

    /// One escape; surrogates and numbers beyond Unicode name no character.
    private mutating func escape() throws(TOMLError) -> Unicode.Scalar {
        let start = at
        let letter = peek(1)
        at += 2
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

    /// The character of exactly so many hexadecimal digits.
    private mutating func scalar(digits: Int, of start: Int) throws(TOMLError) -> Unicode.Scalar {
        let first = at
        while at < first + digits, next.properties.isASCIIHexDigit { at += 1 }
        guard at == first + digits, let number = UInt32(text(from: first), radix: 16),
            let scalar = Unicode.Scalar(number)
        else {
            throw error("the escape names no character", "Write \\u and four hexadecimal digits.", at: start)
        }
        return scalar
    }
}
