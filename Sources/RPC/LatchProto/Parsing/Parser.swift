// SPDX-License-Identifier: Apache-2.0

/// Reads a .proto file into descriptors, which nothing is resolved of yet (Protocol Buffers language specification).
///
/// A statement that cannot be read is reported and skipped, so that one run finds what is wrong with several.
final class Parser {
    /// A statement was given up; why was reported.
    struct Abandoned: Error {}

    let source: SourceText
    let diagnostics: Diagnostics
    let file: FileDescriptor
    let tokens: [Token]
    /// The token that is looked at, and its text.
    private(set) var index = 0
    private(set) var text = ""
    /// How deep messages may still stand in one another.
    var depthLeft = 32
    var locations: Locations
    private var commentsAhead = CommentReader.Found()

    init(_ source: SourceText, _ diagnostics: Diagnostics, recordsLocations: Bool) {
        self.source = source
        self.diagnostics = diagnostics
        file = FileDescriptor(source)
        tokens = Lexer.tokens(of: source, diagnostics)
        locations = Locations(isRecording: recordsLocations)
        text = tokenText(0)
    }

    /// The file as it is written.
    static func parse(_ source: SourceText, _ diagnostics: Diagnostics, recordsLocations: Bool) -> FileDescriptor {
        let before = diagnostics.list.count
        let parser = Parser(source, diagnostics, recordsLocations: recordsLocations)
        parser.parseFile()
        // Tokens are all cut out before the first is looked at; people read from top to bottom.
        diagnostics.sortByPlace(from: before)
        parser.file.locations = parser.locations.list
        parser.file.tokens = parser.tokens
        return parser.file
    }

    private func parseFile() {
        commentsAhead = CommentReader.read(source.bytes, from: 0, before: tokens[0], isFirst: true)
        let root = locations.begin(at: token.place)
        defer { finish(root) }
        if isAt("syntax") || isAt("edition") {
            do { try syntaxStatement(root) } catch { return }
        }
        while !isAtEnd {
            do { try topLevelStatement(root) } catch {
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

    private func tokenText(_ index: Int) -> String {
        let token = tokens[index]
        return String(decoding: source.bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
    }

    func advance() {
        guard !isAtEnd else { return }
        index += 1
        text = tokenText(index)
    }

    /// Goes back to read something again.
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

    func expect(_ word: String, _ message: String? = nil) throws(Abandoned) {
        guard take(word) else { throw abandon(message ?? "'\(word)' is missing here") }
    }

    func identifier(_ message: String) throws(Abandoned) -> String {
        guard token.kind == .identifier else { throw abandon(message) }
        defer { advance() }
        return text
    }

    /// The bytes of one string, or of several that stand side by side.
    func string(_ message: String) throws(Abandoned) -> [UInt8] {
        guard token.kind == .string else { throw abandon(message) }
        var bytes: [UInt8] = []
        while token.kind == .string {
            bytes += Escapes.bytes(of: source.bytes[Int(token.start)..<Int(token.end)])
            advance()
        }
        return bytes
    }

    func stringText(_ message: String) throws(Abandoned) -> String {
        String(decoding: try string(message), as: UTF8.self)
    }

    func fail(_ message: String, hint: String? = nil) {
        diagnostics.add(message, at: token.place, in: source, hint: hint)
    }

    func abandon(_ message: String, hint: String? = nil) -> Abandoned {
        fail(message, hint: hint)
        return Abandoned()
    }
}

// MARK: Ends of declarations

extension Parser {
    /// Reads the `;` or brace that ends the head of a declaration, and the comments that belong to it.
    @discardableResult
    func endDeclaration(_ symbol: String, of mark: Locations.Mark?) throws(Abandoned) -> Comments {
        guard let comments = takeEnd(symbol, of: mark) else {
            let isLower = index > 0 && previous.line < token.line
            throw abandon(
                "'\(symbol)' is missing here",
                hint: isLower ? "It may belong to the end of line \(previous.line + 1)." : nil)
        }
        return comments
    }

    /// The same, where the symbol may be another; nil then.
    @discardableResult
    func takeEnd(_ symbol: String, of mark: Locations.Mark?) -> Comments? {
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

    private func advanceWithComments() -> CommentReader.Found {
        let end = Int(token.end)
        advance()
        return CommentReader.read(source.bytes, from: end, before: token, isFirst: false, previous: previous)
    }

    func begin(_ parent: Locations.Mark, _ path: Int32...) -> Locations.Mark {
        locations.begin(parent, path, at: token.place)
    }

    func finish(_ mark: Locations.Mark) {
        locations.finish(mark, at: index > 0 ? previous.endPlace : Place(line: 0, column: 0))
    }

    /// Goes on behind the statement that could not be read.
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
