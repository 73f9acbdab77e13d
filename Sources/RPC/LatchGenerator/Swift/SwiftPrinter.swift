// SPDX-License-Identifier: Apache-2.0

/// A printer of Swift code: indented lines, blocks and comments in a buffer of bytes.
///
/// ```swift
/// var printer = SwiftPrinter()
/// printer.doc("A point.")
/// printer.block("public struct Point {") {
///     $0.line("public var x = 0")
/// }
/// ```
///
/// Its cost is linear in the size of the output.
struct SwiftPrinter: Sendable {
    private var bytes: [UInt8] = []
    private var depth = 0
    /// Whether an empty line comes before the next one.
    private var needsGap = false
    /// Whether the block is empty so far, so that no empty line comes next.
    private var isAtStart = true

    /// Creates an empty printer.
    init() {}

    /// The printed text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Prints an indented line; an empty one without indentation.
    mutating func line(_ text: String = "") {
        var text = text
        text.withUTF8 { line($0, after: "") }
    }

    /// Prints a line of bytes after a marker.
    private mutating func line(_ text: UnsafeBufferPointer<UInt8>, after marker: StaticString) {
        if needsGap, !isAtStart { bytes.append(0x0A) }
        needsGap = false
        isAtStart = false
        if !text.isEmpty || marker.utf8CodeUnitCount > 0 { indent() }
        bytes.append(contentsOf: UnsafeBufferPointer(start: marker.utf8Start, count: marker.utf8CodeUnitCount))
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

    /// Prints the lines of a text, indented relative to the current block.
    mutating func lines(_ text: String) {
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

    /// Requests an empty line before the next one, except at the start and at the end of a block.
    mutating func gap() { needsGap = true }

    /// Prints a block: `head`, the indented output of `body`, and `end`, which is nil where `body` prints it.
    mutating func block(
        _ head: String, until end: String? = "}", _ body: (inout SwiftPrinter) throws -> Void
    ) rethrows {
        line(head)
        let start = bytes.count
        depth += 1
        isAtStart = true
        try body(&self)
        depth -= 1
        needsGap = false
        isAtStart = false
        guard let end else { return }
        guard bytes.count > start else {
            // An empty block has both ends on one line.
            bytes.removeLast()
            bytes.append(contentsOf: "\(end)\n".utf8)
            return
        }
        line(end)
    }

    /// Prints a list between `head` and `tail`: on one line of at most 120 columns, else with as many items on each line as
    /// fit.
    mutating func list(_ items: [String], from head: String, to tail: String) {
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

    /// Prints a documentation comment; nothing for nil and for an empty text.
    mutating func doc(_ text: String?) {
        guard var text else { return }
        text.withUTF8 { utf8 in
            DocComment.each(in: utf8) { range in
                line(UnsafeBufferPointer(rebasing: utf8[range]), after: range.isEmpty ? "///" : "/// ")
            }
        }
    }

    /// Prints the lines of a documentation comment.
    mutating func doc(_ lines: [Substring]) {
        for var one in lines { one.withUTF8 { line($0, after: $0.isEmpty ? "///" : "/// ") } }
    }
}
