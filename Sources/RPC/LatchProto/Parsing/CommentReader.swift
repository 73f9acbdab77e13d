// SPDX-License-Identifier: Apache-2.0

/// Finds out to what the comments between two tokens belong: what stands on the line of the first or directly below it
/// and alone is behind it, what stands directly above the second is in front of that, and all else is detached.
struct CommentReader {
    /// What was found.
    struct Found {
        var trailing: String?
        var detached: [String] = []
        var leading: String?
    }

    private var cursor: Cursor
    private let end: Int
    private let bytes: [UInt8]
    private var found = Found()
    /// The comment that was read last, which may still belong to either side.
    private var pending: String?
    private var pendingIsLine = false
    private var count = 0
    private var mayTrail = true

    private init(_ bytes: [UInt8], from start: Int, to end: Int, at place: Place) {
        self.bytes = bytes
        self.end = end
        cursor = Cursor(bytes, from: start, at: place)
    }

    /// Reads the comments from a byte up to a token.
    static func read(
        _ bytes: [UInt8], from start: Int, before token: Token, isFirst: Bool, previous: Token? = nil
    ) -> Found {
        // Nearly all gaps are a space or an end of a line and an indentation.
        guard bytes[start..<Int(token.start)].contains(UInt8(ascii: "/")) else { return Found() }
        let place = previous?.endPlace ?? Place(line: 0, column: 0)
        var reader = CommentReader(bytes, from: start, to: Int(token.start), at: place)
        reader.run(token, isFirst: isFirst, previousLine: isFirst ? -1 : place.line)
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
                trailingEnd = cursor.place.line
                readLineComment()
                flush()
            } else if isAtBlockComment {
                readBlockComment()
                trailingEnd = cursor.place.line
                skipSpaces()
                flush()
            } else if !cursor.take(UInt8(ascii: "\n")) {
                return
            }
        }
        readLines()
        settle(token, trailingEnd: trailingEnd, previousLine: previousLine)
    }

    /// What stands on the lines below the first token.
    private mutating func readLines() {
        while true {
            skipSpaces()
            if isAtLineComment {
                readLineComment()
            } else if isAtBlockComment {
                readBlockComment()
                skipSpaces()
                takeLineEnd()
            } else if cursor.offset < end, cursor.byte == UInt8(ascii: "\n") {
                cursor.advance()
                flush()
                mayTrail = false
            } else {
                return
            }
        }
    }

    /// Decides about the last comment, now that the second token is reached.
    private mutating func settle(_ token: Token, trailingEnd: Int32, previousLine: Int32) {
        let byte = bytes[Int(min(token.start, Int32(bytes.count - 1)))]
        let closes =
            token.kind == .end || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            || byte == UInt8(ascii: ")")
        if closes { flush() }
        if token.kind != .end, previousLine == token.line || trailingEnd == token.line { detachIfAlone() }
        if let pending { found.leading = pending }
    }

    /// The comment that is pending does not belong to the second token.
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

    /// Of a single comment between two tokens on one line nobody can say to which it belongs.
    private mutating func detachIfAlone() {
        guard count + (pending == nil ? 0 : 1) == 1 else { return }
        if let trailing = found.trailing {
            found.detached.insert(trailing, at: 0)
            found.trailing = nil
        }
        flush()
    }
}

extension CommentReader {
    private var isAtLineComment: Bool { isAt(UInt8(ascii: "/")) }
    private var isAtBlockComment: Bool { isAt(UInt8(ascii: "*")) }

    private func isAt(_ second: UInt8) -> Bool {
        cursor.offset + 1 < end && cursor.byte == UInt8(ascii: "/") && cursor.next == second
    }

    private mutating func skipSpaces() {
        while cursor.offset < end, cursor.byte.isBlank, cursor.byte != UInt8(ascii: "\n") { cursor.advance() }
    }

    private mutating func takeLineEnd() {
        if cursor.offset < end { _ = cursor.take(UInt8(ascii: "\n")) }
    }

    /// Comments of one line that follow one another are one.
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
