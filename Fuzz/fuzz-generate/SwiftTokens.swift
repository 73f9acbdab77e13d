// SPDX-License-Identifier: Apache-2.0

/// The code of a Swift file as its lexer sees it: without comments and blanks, with `""` for the content of literals.
///
/// A line comment ends at LF or CR, comments in `/*` nest, and an interpolation is code.
struct SwiftTokens {
    private(set) var all: [UInt8] = []
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if starts(with: "//") {
                rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
            } else if starts(with: "/*") {
                skipBlockComment()
            } else if let delimiter = literalDelimiter() {
                skipLiteral(delimiter)
            } else if byte <= 0x20 {
                // Blanks separate tokens; how many there are says nothing.
                rest = rest.drop { $0 <= 0x20 }
                if all.last != 0x20 { all.append(0x20) }
            } else {
                all.append(byte)
                rest.removeFirst()
            }
        }
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { rest.starts(with: $0) }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                rest = rest.dropFirst(2)
            } else if starts(with: "*/") {
                depth -= 1
                rest = rest.dropFirst(2)
            } else if rest.popFirst() == nil {
                return all.append(contentsOf: "unterminated comment".utf8)
            }
        } while depth > 0
    }

    /// The number signs and quotation marks that begin a literal here; nil where none does.
    private func literalDelimiter() -> (signs: Int, quotes: Int)? {
        let signs = rest.prefix { $0 == 0x23 }.count
        let behind = rest.dropFirst(signs)
        guard behind.first == 0x22 else { return nil }
        return (signs, behind.starts(with: "\"\"\"".utf8) ? 3 : 1)
    }

    private mutating func skipLiteral(_ delimiter: (signs: Int, quotes: Int)) {
        let signs = [UInt8](repeating: 0x23, count: delimiter.signs)
        let end = [UInt8](repeating: 0x22, count: delimiter.quotes) + signs
        rest = rest.dropFirst(end.count)
        while !rest.starts(with: end) {
            guard let byte = rest.popFirst() else { return all.append(contentsOf: "unterminated literal".utf8) }
            if delimiter.quotes == 1, byte == 0x0A || byte == 0x0D { all.append(contentsOf: "broken literal".utf8) }
            guard byte == 0x5C, rest.starts(with: signs) else { continue }
            rest = rest.dropFirst(signs.count)
            if rest.first == 0x28 { all.append(contentsOf: "interpolation".utf8) }
            if !rest.isEmpty { rest.removeFirst() }
        }
        rest = rest.dropFirst(end.count)
        all.append(contentsOf: "\"\"".utf8)
    }
}
