// SPDX-License-Identifier: Apache-2.0

/// The explanation of a verb: what it does, how it is called, and an example.
package struct HelpText {
    /// Where lines are broken; a terminal of 80 columns may wrap the longest of them, a pipe does not care.
    private static let width = 88

    private let path: [Verb]

    /// - Parameter path: From the root to the verb; never empty.
    package init(_ path: [Verb]) { self.path = path }

    private var verb: Verb { path[path.count - 1] }
    private var name: String { path.map(\.name).joined(separator: " ") }

    /// The whole text, with a line break at its end.
    package var text: String {
        var sections = ["\(name): \(verb.summary)", "usage: " + usage]
        if let discussion = verb.discussion { sections.append(discussion) }
        if !verb.verbs.isEmpty { sections.append(table("verbs:", verb.verbs.map { ($0.name, $0.summary) })) }
        if !verb.operands.isEmpty { sections.append(table("words:", verb.operands.map { ($0.name, $0.summary) })) }
        sections.append(table("options:", options))
        if !verb.examples.isEmpty { sections.append(examples) }
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// The call in one line, with all flags: what a person copies.
    private var usage: String {
        guard verb.verbs.isEmpty else {
            return verb.body == nil ? "\(name) VERB [OPTIONS]" : "\(name) [VERB] [OPTIONS]"
        }
        let operands = verb.operands.map { ($0.isOptional ? "[\($0.name)]" : $0.name) + ($0.repeats ? "…" : "") }
        let words = operands + verb.options.map { "[\($0.spelling)]\($0.repeats ? "…" : "")" }
        return Self.wrapped([name] + words, indent: 7 + name.count + 1)
    }

    /// Flags with their summaries; the version belongs to the root alone.
    private var options: [(String, String)] {
        var rows = verb.allOptions.map { option in
            (option.spelling + (option.letter.map { ", -\($0)" } ?? ""), option.summary)
        }
        if path.count == 1 { rows.append((Option.version.spelling, Option.version.summary)) }
        return rows
    }

    /// Each with its purpose as a remark of the shell, so that the block can be pasted.
    private var examples: String {
        let lines = verb.examples.map { "  # \($0.purpose)\n  \($0.command)" }
        return (["examples:"] + lines).joined(separator: "\n")
    }

    /// Two columns, the second one wrapped below itself.
    private func table(_ title: String, _ rows: [(String, String)]) -> String {
        let column = (rows.map(\.0.count).max() ?? 0) + 4
        let lines = rows.map { left, right in
            let start = "  " + left + String(repeating: " ", count: column - left.count - 2)
            return start + Self.wrapped(right.split(separator: " ").map(String.init), indent: column)
        }
        return ([title] + lines).joined(separator: "\n")
    }

    /// The words in lines that end before the width, all but the first indented.
    ///
    /// A word that is longer than a line stands alone and is not cut: it may be a path or a URL to be copied.
    ///
    /// - Parameter indent: Columns in front of every line, the first of which the caller has filled.
    private static func wrapped(_ words: [String], indent: Int) -> String {
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
