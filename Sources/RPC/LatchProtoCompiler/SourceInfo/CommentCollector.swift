// SPDX-License-Identifier: Apache-2.0

/// A collector of the comments between two tokens, which assigns each comment to one of them.
///
/// A comment on the line of the first token is its trailing comment. So is a single comment directly below it. A
/// comment directly above the second token is the second token's leading comment. All others are detached
/// (`SourceCodeInfo.Location`).
struct CommentCollector {
    private var cursor: Cursor
    private let end: Int
    private let bytes: [UInt8]
    private var found = Comments()
    /// The last comment, which may still belong to either token.
    private var pending: String?
    private var pendingIsLine = false
    private var count = 0
    private var mayTrail = true

    private init(_ bytes: [UInt8], from start: Int, to end: Int, at position: SourcePosition) {
        self.bytes = bytes
        self.end = end
        cursor = Cursor(bytes, from: start, at: position)
    }

    /// Returns the comments from a byte up to a token.
    static func read(
        _ bytes: [UInt8], from start: Int, before token: Token, isFirst: Bool, previous: Token? = nil
    ) -> Comments {
        // Nearly all gaps between tokens are a space, or a newline and an indentation.
        guard bytes[start..<Int(token.start)].contains(UInt8(ascii: "/")) else { return Comments() }
        let position = previous?.endPosition ?? SourcePosition(line: 0, column: 0)
        var reader = CommentCollector(bytes, from: start, to: Int(token.start), at: position)
        reader.run(token, isFirst: isFirst, previousLine: isFirst ? -1 : position.line)
        return reader.found
    }

    private mutating func run(_ token: Token, isFirst: Bool, previousLine: Int32) {
        var trailingEnd: Int32 = -1
        if isFirst {
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { for _ in 0..<3 { cursor.advance() } }
            mayTrail = false
        } else {
            skipSpaces()
            if isAtLineComment {
                trailingEnd = cursor.position.line
                readLineComment()
                flush()
            } else if isAtBlockComment {
                readBlockComment()
                trailingEnd = cursor.position.line
                skipSpaces()
                flush()
            } else if !cursor.take(UInt8(ascii: "\n")) {
                return
            }
        }
        readLines()
        settle(token, trailingEnd: trailingEnd, previousLine: previousLine)
    }

    /// Collects the comments on the lines below the first token.
    private mutating func readLines() {
        while true {
            skipSpaces()
            if isAtLineComment {
                readLineComment()
            } else if isAtBlockComment {
                readBlockComment()
                skipSpaces()
                if cursor.offset < end { _ = cursor.take(UInt8(ascii: "\n")) }
            } else if cursor.offset < end, cursor.byte == UInt8(ascii: "\n") {
                cursor.advance()
                flush()
                mayTrail = false
            } else {
                return
            }
        }
    }

    /// Assigns the last comment, once the second token is reached.
    private mutating func settle(_ token: Token, trailingEnd: Int32, previousLine: Int32) {
        let byte = bytes[Int(min(token.start, Int32(bytes.count - 1)))]
        if token.kind == .end || "}])".utf8.contains(byte) { flush() }
        if token.kind != .end, previousLine == token.line || trailingEnd == token.line { detachIfAlone() }
        if let pending { found.leading = pending }
    }

    /// Assigns the pending comment to the first token, or detaches it.
    private mutating func flush() {
        guard let comment = pending else { return }
        if mayTrail {
            found.trailing = comment
            mayTrail = false
        } else {
            found.detached.append(comment)
        }
        pending = nil
        count += 1
    }

    /// Detaches a single comment between two tokens on one line, because it may belong to either of them.
    private mutating func detachIfAlone() {
        guard count + (pending == nil ? 0 : 1) == 1 else { return }
        if let trailing = found.trailing {
            found.detached.insert(trailing, at: 0)
            found.trailing = nil
        }
        flush()
    }
}

extension CommentCollector {
    private var isAtLineComment: Bool { isAt(UInt8(ascii: "/")) }
    private var isAtBlockComment: Bool { isAt(UInt8(ascii: "*")) }

    private func isAt(_ second: UInt8) -> Bool {
        cursor.offset + 1 < end && cursor.byte == UInt8(ascii: "/") && cursor.next == second
    }

    private mutating func skipSpaces() {
        while cursor.offset < end, cursor.byte.isWhitespace, cursor.byte != UInt8(ascii: "\n") { cursor.advance() }
    }

    /// Reads a line comment, which continues the comment on the line above.
    private mutating func readLineComment() {
        if pending != nil, !pendingIsLine { flush() }
        let start = cursor.offset + 2
        cursor.skipLineComment()
        let text = String(decoding: bytes[start..<cursor.offset], as: UTF8.self)
        pending = (pending ?? "") + text
        pendingIsLine = true
    }

    private mutating func readBlockComment() {
        if pending != nil { flush() }
        cursor.advance()
        cursor.advance()
        var text: [UInt8] = []
        while cursor.offset < end {
            if cursor.take(UInt8(ascii: "\n")) {
                text.append(UInt8(ascii: "\n"))
                skipSpaces()
                guard cursor.take(UInt8(ascii: "*")) else { continue }
                if cursor.take(UInt8(ascii: "/")) { break }
            } else if cursor.byte == UInt8(ascii: "*"), cursor.next == UInt8(ascii: "/") {
                cursor.advance()
                cursor.advance()
                break
            } else {
                text.append(cursor.byte)
                cursor.advance()
            }
        }
        pending = String(decoding: text, as: UTF8.self)
        pendingIsLine = false
    }
}
