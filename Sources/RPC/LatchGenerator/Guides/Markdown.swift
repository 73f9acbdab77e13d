// SPDX-License-Identifier: Apache-2.0

/// An encoder of untrusted text for guides: comments, rules and file names of .proto files remain plain text.
///
/// Code spans and lists are kept. HTML, links, images, headings, tables, fences and DocC's directives are escaped
/// (CommonMark 0.31.2).
enum Markdown {
    /// Returns a text of several lines.
    static func block(_ text: String) -> String { lines(of: text).map(encoded).joined(separator: "\n") }

    /// Returns a text on one line, for a list or a table cell.
    static func line(_ text: String) -> String {
        encoded(lines(of: text).filter { !$0.isEmpty }.reduce(into: []) { $0 += ($0.isEmpty ? [] : [" "]) + $1 })
    }

    /// Returns a code span.
    static func code(_ text: String) -> String {
        code(Array(lines(of: text).joined(separator: [" "])))
    }

    /// Returns the lines; hidden characters become U+FFFD, and deep indentation, which would be code, is reduced.
    private static func lines(of text: String) -> [[Unicode.Scalar]] {
        var (lines, isAfterReturn): ([[Unicode.Scalar]], Bool) = ([[]], false)
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar.value {
            case 0x0A where isAfterReturn: break
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: lines.append([])
            case 0x09: lines[lines.count - 1].append(" ")
            case _ where scalars.isHidden(at: index): lines[lines.count - 1].append("\u{FFFD}")
            default: lines[lines.count - 1].append(scalar)
            }
            isAfterReturn = scalar.value == 0x0D
        }
        return lines.map { line in
            let depth = line.prefix { $0 == " " }.count
            return depth == line.count ? [] : Array(line.dropFirst(max(0, depth - 3)))
        }
    }

    private static func encoded(_ line: [Unicode.Scalar]) -> String {
        var (result, index, isStart) = (String.UnicodeScalarView(), 0, true)
        while index < line.count {
            let scalar = line[index]
            if scalar == "`" {
                let count = line[index...].prefix { $0 == "`" }.count
                if let end = closing(count, in: line, from: index + count) {
                    result.append(contentsOf: code(Array(line[(index + count)..<end])).unicodeScalars)
                    index = end + count
                } else {
                    for _ in 0..<count { result.append(contentsOf: "\\`".unicodeScalars) }
                    index += count
                }
                isStart = false
                continue
            }
            if isStart, let end = endOfMarker(in: line, from: index), !isRule(line[index...]) {
                result.append(contentsOf: line[index..<end])
                index = end
                continue
            }
            let next = index + 1 < line.count ? line[index + 1] : " "
            let isEscaped =
                switch scalar {
                case "\\", "<", "[", "]", "&", "|", "~": true
                case "#", ">", "=": isStart
                // Below a line of text, such a line turns both into a table with one column (GitHub Flavored Markdown
                // 0.29 §4.10).
                case ":": isStart && line[index...].allSatisfy { "-: ".unicodeScalars.contains($0) }
                case "-", "+", "*", "_": isStart && (next != " " || isRule(line[index...]))
                // This is a DocC directive and not an address.
                case "@": index == 0 || line[index - 1] == " "
                default: false
                }
            if isEscaped { result.append("\\") }
            result.append(scalar)
            isStart = isStart && scalar == " "
            index += 1
        }
        return String(result)
    }

    /// Returns the end of a list marker, after which another block can begin (CommonMark 0.31.2 §5.2); nil if there is
    /// none.
    private static func endOfMarker(in line: [Unicode.Scalar], from start: Int) -> Int? {
        let digits = line[start...].prefix { ("0"..."9").contains($0) }.count
        let end = start + digits
        guard end < line.count, (digits > 0 ? ".)" : "-+*").unicodeScalars.contains(line[end]) else { return nil }
        return end + 1 < line.count && line[end + 1] == " " ? end + 1 : nil
    }

    /// Whether a line is a thematic break, or underlines the heading in the line before (CommonMark 0.31.2 §4.1 and
    /// §4.3).
    private static func isRule(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        let marks = line.filter { $0 != " " }
        return marks.first.map { mark in "-_*=".unicodeScalars.contains(mark) && marks.allSatisfy { $0 == mark } }
            ?? false
    }

    /// Returns the start of the backticks that end a code span; nil if the span does not end, and for a fence.
    private static func closing(_ count: Int, in line: [Unicode.Scalar], from start: Int) -> Int? {
        guard count < 3 else { return nil }
        var index = start
        while index < line.count {
            let run = line[index...].prefix { $0 == "`" }.count
            if run == count { return index > start ? index : nil }
            index += max(run, 1)
        }
        return nil
    }

    private static func code(_ content: [Unicode.Scalar]) -> String {
        // The content must not contain a run of as many backticks.
        let runs = Set(content.split { $0 != "`" }.map(\.count))
        let fence = String(repeating: "`", count: (1...).first { !runs.contains($0) } ?? 1)
        let pad = content.first == "`" || content.last == "`" || content.isEmpty ? " " : ""
        var text = String.UnicodeScalarView()
        for scalar in content {
            // In a table cell, a bar ends the cell even inside code.
            if scalar == "|" { text.append("\\") }
            text.append(scalar)
        }
        return fence + pad + String(text) + pad + fence
    }
}
