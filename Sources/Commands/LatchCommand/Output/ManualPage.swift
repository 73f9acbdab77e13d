// SPDX-License-Identifier: Apache-2.0

/// The manual page of a command and all its subcommands, in roff's man macros.
package struct ManualPage {
    private let command: Command

    /// Creates the page of a command.
    package init(_ command: Command) { self.command = command }

    /// The page, for `man -l` or a folder of `MANPATH`.
    package var text: String {
        let root = command.root
        var lines = [
            ".TH \(Self.escaped(root.name.uppercased())) 1 \"\" \"\(Self.escaped(root.name)) \(Self.escaped(command.version))\"",
            ".nh", ".ad l", ".SH NAME", "\(Self.escaped(root.name)) \\- \(Self.escaped(root.summary))",
            ".SH SYNOPSIS", "\\fB\(Self.escaped(root.name))\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR]",
            ".SH OPTIONS",
        ]
        lines += options(of: root, and: [.version])
        for group in root.groups {
            lines.append(".SH \(Self.escaped(group.title.uppercased()))")
            lines += group.subcommands.flatMap { section($0, path: [root]) }
        }
        lines.append(".SH EXAMPLES")
        lines += examples(of: root)
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ subcommand: Subcommand, path: [Subcommand]) -> [String] {
        let path = path + [subcommand]
        let name = path.map(\.name).joined(separator: " ")
        var lines = [".SS \"\(Self.escaped(name))\"", Self.escaped(subcommand.summary).capitalizedSentence]
        if subcommand.body != nil {
            let words = subcommand.arguments.map { "\\fI\(Self.escaped($0.name))\\fR" + ($0.repeats ? " ..." : "") }
            lines += [".PP", (["\\fB\(Self.escaped(name))\\fR"] + words).joined(separator: " ") + " [\\fIOPTIONS\\fR]"]
        }
        if let discussion = subcommand.discussion {
            for paragraph in discussion.split(separator: "\n\n") { lines += [".PP", Self.escaped(String(paragraph))] }
        }
        for argument in subcommand.arguments {
            lines += [".TP", "\\fI\(Self.escaped(argument.name))\\fR", Self.escaped(argument.summary)]
        }
        lines += options(of: subcommand, and: [])
        if !subcommand.examples.isEmpty { lines += [".PP", "Examples:"] + examples(of: subcommand) }
        return lines + subcommand.subcommands.flatMap { section($0, path: path) }
    }

    private func options(of subcommand: Subcommand, and more: [Option]) -> [String] {
        (subcommand.allOptions + more).flatMap { option in
            let names = (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
            let value = option.value.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
            return [
                ".TP", names.map { "\\fB\(Self.escaped($0))\\fR" }.joined(separator: ", ") + value,
                Self.escaped(option.summary),
            ]
        }
    }

    private func examples(of subcommand: Subcommand) -> [String] {
        subcommand.examples.flatMap { example in
            [".PP", Self.escaped(example.value) + ":", ".PP", ".RS 4", ".nf", Self.escaped(example.key), ".fi", ".RE"]
        }
    }

    /// Returns text that roff prints unchanged: no line begins a request, and hyphens can be copied.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let start = line.first == "." || line.first == "'" ? "\\&" : ""
            return start
                + line.map { character in
                    switch character {
                    case "\\": "\\e"
                    case "-": "\\-"
                    case "\"": "\\(dq"
                    case "'": "\\(aq"
                    case "…": "..."
                    default: String(character)
                    }
                }.joined()
        }.joined(separator: "\n")
    }
}

extension String {
    /// The text as a sentence.
    fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".") }
}
