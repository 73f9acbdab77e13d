// SPDX-License-Identifier: Apache-2.0

/// The parser, which turns a .proto file into descriptors with unresolved names.
///
/// It follows the Protocol Buffers language specification. A statement with a syntax error is reported and skipped, so
/// that one run reports several errors.
final class Parser {
    /// The error that ends the parsing of a statement; its message was reported before it was thrown.
    struct ParseError: Error {}

    let source: SourceFile
    let diagnostics: Diagnostics
    let file: FileDescriptor
    let tokens: [Token]
    /// The index of the current token, whose text is `text`.
    private(set) var index = 0
    private(set) var text = ""
    /// The number of additional nesting levels of messages.
    var remainingDepth = 32
    var locations: LocationRecorder
    private var commentsAhead = Comments()

    init(_ source: SourceFile, _ diagnostics: Diagnostics, recordsLocations: Bool) {
        self.source = source
        self.diagnostics = diagnostics
        file = FileDescriptor(source)
        tokens = Lexer.tokens(of: source, diagnostics)
        locations = LocationRecorder(isRecording: recordsLocations)
        text = tokenText(0)
    }

    static func parse(_ source: SourceFile, _ diagnostics: Diagnostics, recordsLocations: Bool) -> FileDescriptor {
        let before = diagnostics.list.count
        let parser = Parser(source, diagnostics, recordsLocations: recordsLocations)
        parser.parseFile()
        // All tokens were read before the first was parsed, so the errors of both stages are sorted by position.
        diagnostics.sortByPosition(from: before)
        parser.file.locations = parser.locations.list
        parser.file.tokens = parser.tokens
        return parser.file
    }

    private func parseFile() {
        commentsAhead = CommentCollector.read(source.bytes, from: 0, before: tokens[0], isFirst: true)
        let root = locations.begin(at: token.position)
        defer { finish(root) }
        if isAt("syntax") || isAt("edition") {
            do { try parseSyntax(root) } catch { return }
        }
        while !isAtEnd {
            do { try parseStatement(root) } catch {
                skipStatement()
                if isAt("}") {
                    fail("there is a '}' without its '{'")
                    _ = advanceWithComments()
                }
            }
        }
    }
}

// MARK: Tokens

extension Parser {
    var token: Token { tokens[index] }
    var previous: Token { tokens[max(0, index - 1)] }
    var isAtEnd: Bool { token.kind == .end }

    private func tokenText(_ index: Int) -> String { source.text(of: tokens[index]) }

    func advance() {
        guard !isAtEnd else { return }
        index += 1
        text = tokenText(index)
    }

    /// Returns to an earlier token.
    func rewind(to index: Int) {
        self.index = index
        text = tokenText(index)
    }

    func isAt(_ word: String) -> Bool { text == word && token.kind != .string }

    func take(_ word: String) -> Bool {
        guard isAt(word) else { return false }
        advance()
        return true
    }

    func expect(_ word: String, _ message: String? = nil) throws(ParseError) {
        guard take(word) else { throw failure(message ?? "'\(word)' is missing here") }
    }

    func parseIdentifier(_ message: String) throws(ParseError) -> String {
        guard token.kind == .identifier else { throw failure(message) }
        defer { advance() }
        return text
    }

    /// Parses the name of a declaration; its location is part 1 of all declarations.
    func parseName(_ mark: LocationMark, _ message: String) throws(ParseError) -> (String, SourcePosition) {
        let (nameMark, position) = (begin(mark, 1), token.position)
        let name = try parseIdentifier(message)
        finish(nameMark)
        return (name, position)
    }

    /// Parses a name with any number of dots.
    func parseQualifiedName(_ message: String) throws(ParseError) -> String {
        var name = try parseIdentifier(message)
        while take(".") { name += try "." + parseIdentifier("a name is expected here") }
        return name
    }

    /// Parses one string literal, or several adjacent ones, and returns their bytes.
    func parseString(_ message: String) throws(ParseError) -> [UInt8] {
        guard token.kind == .string else { throw failure(message) }
        var bytes: [UInt8] = []
        while token.kind == .string {
            bytes += StringEscapes.unescaped(source.bytes(of: token))
            advance()
        }
        return bytes
    }

    func parseText(_ message: String) throws(ParseError) -> String {
        String(decoding: try parseString(message), as: UTF8.self)
    }

    /// Does the same, and reports whether the text lacks bytes of the source that are not UTF-8.
    func parseText(_ message: String, loses isRaw: inout Bool) throws(ParseError) -> String {
        let bytes = try parseString(message)
        isRaw = String(validating: bytes, as: UTF8.self) == nil
        return String(decoding: bytes, as: UTF8.self)
    }

    func fail(_ message: String, hint: String? = nil) {
        diagnostics.add(message, at: token.position, in: source, hint: hint)
    }

    func failure(_ message: String, hint: String? = nil) -> ParseError {
        fail(message, hint: hint)
        return ParseError()
    }
}

// MARK: Ends of declarations

extension Parser {
    /// Parses the `;` or brace that ends the head of a declaration; returns the comments of the declaration.
    @discardableResult
    func endDeclaration(_ symbol: String, of mark: LocationMark?) throws(ParseError) -> Comments {
        guard let comments = takeEnd(symbol, of: mark) else {
            let isLower = index > 0 && previous.line < token.line
            throw failure(
                "'\(symbol)' is missing here",
                hint: isLower ? "It may belong to the end of line \(previous.line + 1)." : nil)
        }
        return comments
    }

    /// Does the same if the symbol is the current token; otherwise returns nil.
    @discardableResult
    func takeEnd(_ symbol: String, of mark: LocationMark?) -> Comments? {
        guard isAt(symbol) else { return nil }
        var upcoming = advanceWithComments()
        var comments = Comments()
        comments.leading = commentsAhead.leading
        comments.trailing = upcoming.trailing
        if let mark {
            comments.detached = commentsAhead.detached
            locations.attach(comments, to: mark)
        } else if symbol != "}" {
            upcoming.detached = commentsAhead.detached + upcoming.detached
        }
        commentsAhead = upcoming
        return comments
    }

    private func advanceWithComments() -> Comments {
        let end = Int(token.end)
        advance()
        return CommentCollector.read(source.bytes, from: end, before: token, isFirst: false, previous: previous)
    }

    func begin(_ parent: LocationMark, _ path: Int32...) -> LocationMark {
        locations.begin(parent, path, at: token.position)
    }

    func finish(_ mark: LocationMark) {
        locations.finish(mark, at: index > 0 ? previous.endPosition : SourcePosition(line: 0, column: 0))
    }

    /// Parses the statements of a block up to its closing brace; `block` names the block in errors.
    func parseStatements(of block: String, _ parse: () throws(ParseError) -> Void) throws(ParseError) {
        while takeEnd("}", of: nil) == nil {
            guard !isAtEnd else { throw failure("the file ends inside \(block); a '}' is missing") }
            if takeEnd(";", of: nil) != nil { continue }
            do { try parse() } catch { skipStatement() }
        }
    }

    /// Skips the rest of a statement with a syntax error.
    func skipStatement() {
        while !isAtEnd {
            if takeEnd(";", of: nil) != nil { return }
            if take("{") { return skipBlock() }
            if isAt("}") { return }
            advance()
        }
    }

    private func skipBlock() {
        var depth = 1
        while !isAtEnd {
            if takeEnd("}", of: nil) != nil {
                depth -= 1
                if depth == 0 { return }
            } else if take("{") {
                depth += 1
            } else {
                advance()
            }
        }
    }
}

extension Parser {
    /// Parses a non-negative number that fits into an `Int32`.
    func parseInteger(_ message: String) throws(ParseError) -> Int32 {
        Int32(truncatingIfNeeded: try parseInteger(upTo: UInt64(Int32.max), message))
    }

    /// Parses a number that fits into an `Int32`, with or without a minus sign.
    func parseSignedInteger(_ message: String) throws(ParseError) -> Int32 {
        let isNegative = take("-")
        let value = try parseInteger(upTo: UInt64(Int32.max) + (isNegative ? 1 : 0), message)
        return Int32(truncatingIfNeeded: isNegative ? 0 &- value : value)
    }

    /// Parses a number up to a limit; a larger number is reported, and counts as 0.
    func parseInteger(upTo limit: UInt64, _ message: String) throws(ParseError) -> UInt64 {
        guard token.kind == .integer else { throw failure(message) }
        defer { advance() }
        guard let value = Self.integer(text), value <= limit else {
            fail("the number is too large; it is \(limit) at most")
            return 0
        }
        return value
    }

    /// Parses an integer, a floating-point number, `inf` or `nan`.
    func parseNumber(_ message: String) throws(ParseError) -> Double {
        switch token.kind {
        case .float:
            defer { advance() }
            return Double(text) ?? 0
        case .integer:
            defer { advance() }
            if let value = Self.integer(text) { return Double(value) }
            guard !text.hasPrefix("0"), let value = Double(text) else {
                fail("the number is too large")
                return 0
            }
            return value
        default:
            if take("inf") { return .infinity }
            if take("nan") { return .nan }
            throw failure(message)
        }
    }

    /// Returns the value of a token in base 8, 10 or 16; nil if it is too large or has an invalid digit.
    static func integer(_ text: String) -> UInt64? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            // The lexer has already reported the missing digits.
            return text.utf8.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16)
        }
        if text.hasPrefix("0"), text.utf8.count > 1 { return UInt64(text.dropFirst(), radix: 8) }
        return UInt64(text)
    }
}
