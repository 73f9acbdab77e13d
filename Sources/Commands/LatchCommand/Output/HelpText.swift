// SPDX-License-Identifier: Apache-2.0

/// The help of a subcommand: summary, usage, options and examples.
package struct HelpText {
    /// The maximum length of a line.
    private static let width = 88

    private let path: [Subcommand]

    /// - Parameter path: The path from the root to the subcommand, never empty.
    package init(_ path: [Subcommand]) { self.path = path }

    private var subcommand: Subcommand { path[path.count - 1] }
    private var name: String { path.map(\.name).joined(separator: " ") }

    /// The whole text, with a line break at its end.
    package var text: String {
        var sections = ["\(name): \(subcommand.summary)", "usage: " + usage]
        if let discussion = subcommand.discussion { sections.append(discussion) }
        if !subcommand.subcommands.isEmpty {
            sections.append(table("subcommands:", subcommand.subcommands.map { ($0.name, $0.summary) }))
        }
        if !subcommand.arguments.isEmpty {
            sections.append(table("arguments:", subcommand.arguments.map { ($0.name, $0.summary) }))
        }
        sections.append(table("options:", options))
        if !subcommand.examples.isEmpty { sections.append(examples) }
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// The call with all options, for copying.
    private var usage: String {
        guard subcommand.subcommands.isEmpty else {
            return subcommand.body == nil ? "\(name) SUBCOMMAND [OPTIONS]" : "\(name) [SUBCOMMAND] [OPTIONS]"
        }
        let arguments = subcommand.arguments.map {
            ($0.isOptional ? "[\($0.name)]" : $0.name) + ($0.repeats ? "…" : "")
        }
        let words = arguments + subcommand.options.map { "[\($0.spelling)]\($0.repeats ? "…" : "")" }
        return Self.wrapped([name] + words, indent: 7 + name.count + 1)
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
        let lines = subcommand.examples.map { "  # \($0.value)\n  \($0.key)" }
        return (["examples:"] + lines).joined(separator: "\n")
    }

    /// Returns a table of two columns; the second column wraps.
    private func table(_ title: String, _ rows: [(String, String)]) -> String {
        let column = (rows.map(\.0.count).max() ?? 0) + 4
        let lines = rows.map { left, right in
            let start = "  " + left + String(repeating: " ", count: column - left.count - 2)
            return start + Self.wrapped(right.split(separator: " ").map(String.init), indent: column)
        }
        return ([title] + lines).joined(separator: "\n")
    }

    /// Returns the words in lines, all but the first indented.
    ///
    /// A word longer than a line gets a separate line and is not cut, because users may copy a path or a URL.
    ///
    /// - Parameter indent: The indentation of every line; the caller has already indented the first.
    package static func wrapped(_ words: [String], indent: Int) -> String {
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
