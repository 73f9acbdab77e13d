// SPDX-License-Identifier: Apache-2.0

/// Walks through a TOML text, scalar by scalar.
package struct TOMLParser {
    /// The scalar after the last one.
    static let end: Unicode.Scalar = "\0"

    let scalars: [Unicode.Scalar]
    /// Where the next scalar stands.
    var at = 0
    /// Where each line begins.
    private let lineStarts: [Int]

    /// Splits the text once into scalars, and notes where lines begin.
    package init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        lineStarts = [0] + scalars.indices.filter { scalars[$0] == "\n" }.map { $0 + 1 }
        self.scalars = scalars
    }

    /// The scalar to be read; `end` behind the last one.
    var next: Unicode.Scalar { peek(0) }

    /// The scalar so far ahead; `end` behind the last one.
    ///
    /// A real NUL in the text is refused where it stands.
    func peek(_ distance: Int) -> Unicode.Scalar {
        at + distance < scalars.count ? scalars[at + distance] : Self.end
    }

    /// Whether all has been read.
    ///
    /// `next` alone cannot tell: a NUL in the text looks like the end.
    var isAtEnd: Bool { at >= scalars.count }

    /// Expressions line by line: a header, a pair, a comment, or nothing.
    ///
    /// Stops at the first mistake: what follows one is guessed at by a parser, and a person mends one at a time.
    mutating func parse(into document: inout TOMLDocument) throws(TOMLError) {
        var table: [String] = []
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

    /// A table's name in brackets, on a line of its own.
    private mutating func header(into document: inout TOMLDocument) throws(TOMLError) -> [String] {
        let start = at
        at += 1
        guard next != "[" else {
            throw error("arrays of tables are not known here", "Write one table, '[name]'.", at: start)
        }
        skipBlanks()
        let path = try key()
        guard next == "]" else { throw error("the table's name does not end with ']'", "Write '[name]' on one line.") }
        at += 1
        if let problem = document.open(path) { throw error(problem, "Write each table once.", at: start) }
        return path
    }

    /// A key and its value.
    ///
    /// The line of the key, and not that of a value that goes over several, is what messages name later.
    private mutating func pair(in table: [String], into document: inout TOMLDocument) throws(TOMLError) {
        let start = at
        let key = try key()
        guard next == "=" else { throw error("'=' is missing after the key", "Write 'key = value' on one line.") }
        at += 1
        skipBlanks()
        let value = try value(depth: 0)
        if let problem = document.set(value, key, in: table, line: place(start).line) {
            throw error(problem, "Give each key one value, in one place.", at: start)
        }
    }

    /// A key, dotted or not, and the blanks behind it.
    private mutating func key() throws(TOMLError) -> [String] {
        var parts: [String] = []
        while true {
            skipBlanks()
            parts.append(try keyPart())
            skipBlanks()
            guard next == "." else { return parts }
            at += 1
        }
    }

    /// One part of a key, bare or quoted; a bare one is never empty.
    private mutating func keyPart() throws(TOMLError) -> String {
        if next == "\"" { return try basicString() }
        if next == "'" { return try literalString() }
        let start = at
        while Self.isBare(next) { at += 1 }
        guard at > start else {
            throw error("a key is missing", "A key has letters, digits, '_' and '-'; put any other in quotation marks.")
        }
        return text(from: start)
    }

    /// Only blanks and a comment may stand between a value and the end of its line.
    private mutating func endLine() throws(TOMLError) {
        skipBlanks()
        try skipComment()
        guard !isAtEnd else { return }
        guard skipNewline() else { throw error("there is more on this line", "Write one value on each line.") }
    }

    /// TOML 1.0, "Keys": ASCII letters, digits, hyphen and underscore.
    private static func isBare(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}

extension TOMLParser {
    /// Spaces and tabs, which is all that TOML calls white space.
    mutating func skipBlanks() { while next == " " || next == "\t" { at += 1 } }

    /// LF or CR LF; a CR alone ends no line.
    mutating func skipNewline() -> Bool {
        if next == "\n" { at += 1 } else if next == "\r", peek(1) == "\n" { at += 2 } else { return false }
        return true
    }

    /// From `#` to the end of the line, in which control characters are refused as well.
    mutating func skipComment() throws(TOMLError) {
        guard next == "#" else { return }
        while !isAtEnd, next != "\n", !(next == "\r" && peek(1) == "\n") {
            try refuseControl()
            at += 1
        }
    }

    /// Control characters stand nowhere in TOML but as tabs and line breaks.
    func refuseControl() throws(TOMLError) {
        guard next.value >= 0x20 && next.value != 0x7F || next == "\t" else {
            throw error("a control character stands here", "Write it as an escape in a string, such as \"\\u0007\".")
        }
    }

    /// What stands between `start` and here.
    func text(from start: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<at])
        return String(text)
    }

    /// Line and column of an index, by halving, so that errors cost nothing until there is one.
    ///
    /// Columns count scalars: a letter whose accent is a scalar of its own counts twice.
    package func place(_ index: Int) -> TOMLError.Place {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= index { low = middle } else { high = middle }
        }
        return .init(line: low + 1, column: index - lineStarts[low] + 1)
    }

    /// An error at an index, or here.
    func error(_ message: String, _ hint: String, at index: Int? = nil) -> TOMLError {
        TOMLError(place: place(index ?? at), message: message, hint: hint)
    }
}
