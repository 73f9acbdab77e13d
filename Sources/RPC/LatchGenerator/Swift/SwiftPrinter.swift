// SPDX-License-Identifier: Apache-2.0

/// Writes Swift text: lines with their indentation, blocks, and comments, into a buffer of bytes.
///
/// ```swift
/// var printer = SwiftPrinter()
/// printer.doc("A point.")
/// printer.block("public struct Point {") {
///     $0.line("public var x = 0")
/// }
/// ```
///
/// What it costs grows with what is written and with nothing else.
package struct SwiftPrinter: Sendable {
    private var bytes: [UInt8] = []
    private var depth = 0
    /// Whether an empty line is due before the next one.
    private var owesGap = false
    /// Whether nothing stands in the block yet, so that no gap belongs there.
    private var isAtStart = true

    /// A printer that has written nothing.
    package init() {}

    /// All that was written.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes a line with its indentation; an empty one without.
    package mutating func line(_ text: String = "") {
        var text = text
        text.withUTF8 { line($0, after: "") }
    }

    /// Writes a line of bytes, with something in front of them.
    private mutating func line(_ text: UnsafeBufferPointer<UInt8>, after mark: StaticString) {
        if owesGap, !isAtStart { bytes.append(0x0A) }
        owesGap = false
        isAtStart = false
        if !text.isEmpty || mark.utf8CodeUnitCount > 0 { indent() }
        bytes.append(contentsOf: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
        bytes.append(contentsOf: text)
        bytes.append(0x0A)
    }

    private mutating func indent() {
        var rest = depth * 4
        while rest > 0 {
            let count = min(rest, Self.spaces.utf8CodeUnitCount)
            bytes.append(contentsOf: UnsafeBufferPointer(start: Self.spaces.utf8Start, count: count))
            rest -= count
        }
    }

    private static let spaces: StaticString = "                                "

    /// Writes the lines of a text, each with the indentation of this place added to its own.
    package mutating func lines(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            while start <= utf8.count {
                var end = start
                while end < utf8.count, utf8[end] != 0x0A { end += 1 }
                line(UnsafeBufferPointer(rebasing: utf8[start..<end]), after: "")
                start = end + 1
            }
        }
    }

    /// Asks for one empty line before what comes next; none at the beginning and at the end of a block.
    package mutating func gap() { owesGap = true }

    /// Writes `head`, which opens the block, then what `body` writes, indented, then `end`; nil where `body` writes it.
    package mutating func block(
        _ head: String, until end: String? = "}", _ body: (inout SwiftPrinter) throws -> Void
    ) rethrows {
        line(head)
        let start = bytes.count
        depth += 1
        isAtStart = true
        try body(&self)
        depth -= 1
        owesGap = false
        isAtStart = false
        guard let end else { return }
        guard bytes.count > start else {
            // Nothing stands inside: both ends on one line.
            bytes.removeLast()
            bytes.append(contentsOf: "\(end)\n".utf8)
            return
        }
        line(end)
    }

    /// Writes a list with what stands around it: on one line where that has at most 120 columns, else with as many items
    /// on each line as there is room for.
    package mutating func list(_ items: [String], from head: String, to tail: String) {
        let limit = 120 - depth * 4
        let whole = items.joined(separator: ", ")
        guard head.utf8.count + whole.utf8.count + tail.utf8.count > limit else { return line(head + whole + tail) }
        block(head, until: tail) { printer in
            var row = ""
            for (index, item) in items.enumerated() {
                let item = index + 1 < items.count ? "\(item)," : item
                if row.isEmpty {
                    row = item
                } else if row.utf8.count + item.utf8.count + 5 <= limit {
                    row += " \(item)"
                } else {
                    printer.line(row)
                    row = item
                }
            }
            if !row.isEmpty { printer.line(row) }
        }
    }

    /// Writes a documentation comment; nothing for nil and for a text without words.
    package mutating func doc(_ text: String?) {
        guard var text else { return }
        text.withUTF8 { utf8 in
            DocComment.each(in: utf8) { range in
                line(UnsafeBufferPointer(rebasing: utf8[range]), after: range.isEmpty ? "///" : "/// ")
            }
        }
    }

    /// Writes the lines of a documentation comment.
    package mutating func doc(_ lines: [Substring]) {
        for var one in lines { one.withUTF8 { line($0, after: $0.isEmpty ? "///" : "/// ") } }
    }
}
