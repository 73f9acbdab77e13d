// SPDX-License-Identifier: Apache-2.0

/// A parser of command lines for a tree of subcommands.
///
/// Options follow GNU's conventions: `--name value`, `--name=value`, `-n value`; `--` ends them. An unknown word is an
/// error with a suggestion, and never ignored.
package struct ArgumentParser {
    /// The result of parsing.
    package enum Request {
        /// A request for the help of the last subcommand of a path.
        case help([Subcommand])
        case version
        case run(Subcommand, Invocation)
    }

    /// The path from the root to the subcommand selected so far.
    private var path: [Subcommand]
    /// The words that have not been parsed yet.
    private var rest: ArraySlice<String>
    private var invocation = Invocation()

    private init(_ root: Subcommand, _ arguments: [String]) {
        path = [root]
        rest = arguments[...]
    }

    /// Parses `arguments`, which do not include the program's name.
    ///
    /// - Throws: `CommandError.usage`.
    package static func parse(_ arguments: [String], with root: Subcommand) throws(CommandError) -> Request {
        var parser = ArgumentParser(root, arguments)
        return try parser.parse()
    }

    private var subcommand: Subcommand { path[path.count - 1] }
    /// The subcommand as the user calls it: `latch serve`.
    private var name: String { path.map(\.name).joined(separator: " ") }
    private var seeHelp: String { "See '\(name) --help'." }

    /// Parses word by word: options of the current subcommand, then the next subcommand, then its arguments.
    ///
    /// An option belongs to the subcommand before it, so `latch --json demo` is an error and not a guess.
    ///
    /// - Throws: `CommandError.usage` at the first word that cannot be parsed. At that point nothing has run.
    private mutating func parse() throws(CommandError) -> Request {
        while let word = rest.popFirst() {
            if word == "--" {
                while let argument = rest.popFirst() { try add(argument: argument) }
            } else if word.hasPrefix("-"), word != "-", !isIdentifier(word) {
                if let request = try option(word) { return request }
            } else if !subcommand.subcommands.isEmpty {
                if word == "help", path.count == 1 { return try helpOnSubcommands() }
                // As in Git and Go; the only call without an option that has no subcommand.
                if word == "version", path.count == 1, rest.isEmpty { return .version }
                try descend(to: word)
            } else {
                try add(argument: word)
            }
        }
        guard subcommand.body != nil else { throw missingSubcommand }
        if let missing = subcommand.arguments.dropFirst(invocation.arguments.count).first, !missing.isOptional {
            throw .usage("'\(name)' needs \(missing.name).", hint: seeHelp)
        }
        return .run(subcommand, invocation)
    }

    /// The error for a group that was called without a subcommand.
    private var missingSubcommand: CommandError {
        let names = subcommand.subcommands.map { "'\($0.name)'" }.joined(separator: ", ")
        return .usage("'\(name)' needs a subcommand: \(names).", hint: seeHelp)
    }

    /// Parses `latch help serve`, which means `latch serve --help`.
    private mutating func helpOnSubcommands() throws(CommandError) -> Request {
        while let word = rest.popFirst() { try descend(to: word) }
        return .help(path)
    }

    /// Selects the subcommand with that name, or suggests one with a similar spelling.
    private mutating func descend(to word: String) throws(CommandError) {
        guard let next = subcommand.subcommands.first(where: { $0.name == word }) else {
            let names = subcommand.subcommands.map(\.name)
            let suggestion = Suggestion.sentence(for: word, among: names) { "'\(name) \($0)'" }
            throw .usage(
                "'\(name)' has no subcommand '\(word)'.", hint: suggestion + "'\(name) --help' lists them.")
        }
        // If a group can be called by itself, its options do not apply to its subcommands.
        guard invocation.isEmpty else {
            throw .usage(
                "'\(word)' follows options that are not its own.",
                hint: "Write '\(name) \(word)' first, then its options.")
        }
        path.append(next)
    }

    /// Adds a positional argument, if the subcommand accepts another one.
    private mutating func add(argument: String) throws(CommandError) {
        guard invocation.arguments.count < subcommand.arguments.count || subcommand.arguments.last?.repeats == true
        else {
            throw .usage("'\(name)' does not expect '\(argument)'.", hint: seeHelp)
        }
        invocation.add(argument: argument)
    }

    /// Whether a word is the expected identifier, although it begins with a dash.
    ///
    /// One in 64 base64url identifiers begins with a dash. A user who copies one does not know that it needs `--` in
    /// front.
    private func isIdentifier(_ word: String) -> Bool {
        guard subcommand.arguments.dropFirst(invocation.arguments.count).first?.isIdentifier == true,
            word.utf8.count >= 20,
            word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        else { return false }
        return !subcommand.allOptions.contains { "--\($0.name)" == word }
    }

    /// Parses an option with its value; returns the request for `--help` or `--version`.
    ///
    /// Those two win over all words after them, but a mistake before them is still an error.
    private mutating func option(_ word: String) throws(CommandError) -> Request? {
        if subcommand.combinesShortNames, !word.hasPrefix("--"), word.utf8.count > 2,
            word.utf8.dropFirst(2).first != UInt8(ascii: "=")
        {
            return try shortNames(word.dropFirst())
        }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return try add(known(parts[0]), as: parts[0], given: parts.count > 1 ? parts[1] : nil)
    }

    /// Parses short names after one dash; the value of the last one may follow it.
    private mutating func shortNames(_ names: Substring) throws(CommandError) -> Request? {
        var rest = names
        while let short = rest.popFirst() {
            let option = try known("-\(short)")
            let joined = option.value == nil || rest.isEmpty ? nil : String(rest)
            if let request = try add(option, as: "-\(short)", given: joined) { return request }
            if option.value != nil { return nil }
        }
        return nil
    }

    private mutating func add(_ option: Option, as text: String, given: String?) throws(CommandError) -> Request? {
        guard option.repeats || !invocation.has(option) else {
            throw .usage("'\(text)' is given twice.", hint: "Give it once.")
        }
        let value = try value(of: option, as: text, given: given)
        if option == .help { return .help(path) }
        if option == .version { return .version }
        invocation.add(option, value: value)
        return nil
    }

    /// Returns the option with a long or short name.
    ///
    /// Long names cannot be abbreviated, because a later version may add another option with the same beginning.
    private func known(_ text: String) throws(CommandError) -> Option {
        let options = subcommand.allOptions + (path.count == 1 ? [.version] : [])
        if let option = options.first(where: { text == "--\($0.name)" }) { return option }
        if let option = options.first(where: { option in option.short.map { text == "-\($0)" } ?? false }) {
            return option
        }
        if text.hasPrefix("--"), let alternative = subcommand.plannedOptions[String(text.dropFirst(2))] {
            throw .usage("'\(text)' is not supported yet.", hint: alternative)
        }
        let suggestion = Suggestion.sentence(for: text, among: options.map { "--\($0.name)" }) { "'\($0)'" }
        let mayBeArgument = !text.hasPrefix("--") && invocation.arguments.count < subcommand.arguments.count
        let separator = mayBeArgument ? " Write '--' before an argument that begins with '-'." : ""
        throw .usage(
            "'\(name)' has no option '\(text)'.", hint: suggestion + "'\(name) --help' lists them." + separator)
    }

    /// Returns the value of an option, after its `=` or from the next word; nil if the option has no value.
    ///
    /// An empty text after `=` or an empty word is a value: the setting itself reports it better.
    private mutating func value(of option: Option, as text: String, given: String?) throws(CommandError) -> String? {
        guard let placeholder = option.value else {
            guard given == nil else { throw .usage("'\(text)' takes no value.", hint: "Write '\(text)' alone.") }
            return nil
        }
        if let given { return given }
        // The next word is rarely a value if it looks like an option; '--name=--value' passes such a value.
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw .usage("'\(text)' needs a value.", hint: "Write '\(text) \(placeholder)'.")
        }
        return rest.removeFirst()
    }
}
