// SPDX-License-Identifier: Apache-2.0

/// The help of a subcommand: summary, usage, options and examples.
package struct HelpText {
    /// The width in a file or a pipe.
    package static let standardWidth = 88
    /// The widths on a terminal: longer lines are hard to read, and shorter ones hold too few words.
    private static let terminalWidths = 40...100

    private let path: [Subcommand]
    private let width: Int
    private let isOnTerminal: Bool
    private let style: TextStyle

    /// - Parameters:
    ///   - path: The path from the root to the subcommand, never empty.
    ///   - terminalWidth: The width of the terminal; nil for a file or a pipe.
    package init(_ path: [Subcommand], terminalWidth: Int? = nil, style: TextStyle = .plain) {
        self.path = path
        self.style = style
        isOnTerminal = terminalWidth != nil
        width =
            terminalWidth.map { min(max($0, Self.terminalWidths.lowerBound), Self.terminalWidths.upperBound) }
            ?? Self.standardWidth
    }

    private var subcommand: Subcommand { path[path.count - 1] }
    private var name: String { path.map(\.name).joined(separator: " ") }

    /// The whole text, with a line break at its end.
    package var text: String {
        var sections = [summary, style.heading("usage:") + " " + usage]
        if let discussion = subcommand.discussion { sections.append(isOnTerminal ? rewrapped(discussion) : discussion) }
        sections += tables(subcommand.groups.map { ($0.title, $0.subcommands.map { ($0.name, $0.summary) }) })
        if !subcommand.arguments.isEmpty {
            sections += tables([("arguments", subcommand.arguments.map { ($0.name, $0.summary) })])
        }
        sections += tables([("options", options)])
        if !subcommand.examples.isEmpty { sections.append(examples) }
        return sections.joined(separator: "\n\n") + "\n"
    }

    private var summary: String {
        let summary = subcommand.summary
        guard isOnTerminal else { return "\(name): \(summary)" }
        let lines = Self.wrapped(Self.words("\(name): \(summary)"), indent: 0, width: width)
        // A line break within a long name leaves it without its style.
        let name = name + ":"
        return lines.utf8.starts(with: name.utf8) ? style.heading(name) + lines.dropFirst(name.count) : lines
    }

    /// The call with all options, for copying.
    private var usage: String {
        let words = usageWords
        let start = "usage: ".count + name.count + 1
        let longest = words.map(\.count).max() ?? 0
        guard isOnTerminal, !words.isEmpty, start + max(longest, width / 2) > width else {
            return Self.wrapped([name] + words, indent: start, width: width)
        }
        // The name leaves too little of the line.
        let call = Self.wrapped(Self.words(name), indent: "usage: ".count, width: width)
        return call + "\n" + String(repeating: " ", count: 4) + Self.wrapped(words, indent: 4, width: width)
    }

    /// The words after the name in a call.
    private var usageWords: [String] {
        guard subcommand.subcommands.isEmpty else {
            return [subcommand.body == nil ? "SUBCOMMAND" : "[SUBCOMMAND]", "[OPTIONS]"]
        }
        let arguments = subcommand.arguments.map {
            ($0.isOptional ? "[\($0.name)]" : $0.name) + ($0.repeats ? "…" : "")
        }
        return arguments + subcommand.options.map { "[\($0.spelling)]\($0.repeats ? "…" : "")" }
    }

    /// The options with their summaries; only the root has the version.
    private var options: [(String, String)] {
        var rows = subcommand.allOptions.map { option in
            (option.spelling + (option.short.map { ", -\($0)" } ?? ""), option.summary)
        }
        if path.count == 1 { rows.append((Option.version.spelling, Option.version.summary)) }
        return rows
    }

    /// The examples, each with its purpose as a shell comment, so that the block can be pasted.
    private var examples: String {
        let lines = subcommand.examples.map { call, purpose in
            guard isOnTerminal else { return "  # \(purpose)\n  \(call)" }
            let comment = Self.wrapped(Self.words(purpose), indent: 4, width: width)
                .split(separator: "\n").map { "  # " + $0.drop { $0 == " " } }.joined(separator: "\n")
            return style.dim(comment) + "\n" + brokenCall(call)
        }
        return ([style.heading("examples:")] + lines).joined(separator: "\n")
    }

    /// Returns tables of two columns, the second column at the same place in all of them; it wraps.
    ///
    /// On a terminal, a long name has a separate line.
    private func tables(_ tables: [(title: String, rows: [(String, String)])]) -> [String] {
        let most = isOnTerminal ? max(width / 3, 16) : Int.max
        let names = tables.flatMap { $0.rows.map(\.0.count) }.filter { $0 <= most }
        let column = (names.max() ?? 4) + 4
        return tables.map { title, rows in
            let lines = rows.map { left, right in
                let start = "  " + left
                let gap =
                    left.count <= most
                    ? String(repeating: " ", count: column - start.count)
                    : "\n" + String(repeating: " ", count: column)
                return start + gap + Self.wrapped(Self.words(right), indent: column, width: width)
            }
            return ([style.heading(title + ":")] + lines).joined(separator: "\n")
        }
    }

    // MARK: Lines

    /// Returns paragraphs in lines of the terminal's width; indented lines stay.
    private func rewrapped(_ text: String) -> String {
        text.split(separator: "\n\n").map { paragraph in
            var blocks: [String] = []
            var words: [String] = []
            func endBlock() {
                if !words.isEmpty { blocks.append(Self.wrapped(words, indent: 0, width: width)) }
                words = []
            }
            for line in paragraph.split(separator: "\n") {
                guard line.utf8.first == UInt8(ascii: " ") else {
                    words += Self.words(String(line))
                    continue
                }
                endBlock()
                blocks.append(String(line))
            }
            endBlock()
            return blocks.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// Returns a call within the width, with a backslash before each line break, as a shell reads it.
    private func brokenCall(_ call: String) -> String {
        var lines = [""]
        for word in Self.shellWords(call) {
            let line = lines[lines.count - 1]
            let indent = lines.count == 1 ? 2 : 6
            // Two columns for the backslash.
            if !line.isEmpty, indent + line.count + 1 + word.count + 2 > width {
                lines[lines.count - 1] += " \\"
                lines.append(word)
            } else {
                lines[lines.count - 1] = line.isEmpty ? word : line + " " + word
            }
        }
        return "  " + lines.joined(separator: "\n      ")
    }

    /// Splits a call at the spaces outside quotation marks and parentheses.
    private static func shellWords(_ call: String) -> [String] {
        var words = [""]
        var quotes: Character?
        var depth = 0
        for character in call {
            if character == quotes {
                quotes = nil
            } else if quotes == nil {
                switch character {
                case "'", "\"": quotes = character
                case "(": depth += 1
                case ")": depth -= 1
                default: break
                }
            }
            if character == " ", quotes == nil, depth == 0 {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// Returns the words in lines, all but the first indented.
    ///
    /// A word longer than a line gets a separate line and is not cut, because users may copy a path or a URL.
    ///
    /// - Parameter indent: The indentation of every line; the caller has already indented the first.
    package static func wrapped(_ words: [String], indent: Int, width: Int = standardWidth) -> String {
        var lines = [""]
        for word in words {
            let line = lines[lines.count - 1]
            let used = lines.count == 1 ? indent : 0
            if !line.isEmpty, used + line.count + 1 + word.count > width {
                lines.append(String(repeating: " ", count: indent) + word)
            } else {
                lines[lines.count - 1] = line.isEmpty ? word : line + " " + word
            }
        }
        return lines.joined(separator: "\n")
    }
}
