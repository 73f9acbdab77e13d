// SPDX-License-Identifier: Apache-2.0

/// Reads a command line by a tree of verbs.
///
/// Flags are written as GNU's are: `--name value`, `--name=value`, `-n value`; `--` ends them. What is not understood is
/// an error with a suggestion, never ignored.
package struct ArgumentParser {
    /// What a command line asks for.
    package enum Request {
        /// An explanation of the last verb of a path.
        case help([Verb])
        case version
        case run(Verb, Invocation)
    }

    /// From the root to the verb that the words so far lead to.
    private var path: [Verb]
    /// The words that have not been looked at.
    private var rest: ArraySlice<String>
    private var invocation = Invocation()

    private init(_ root: Verb, _ arguments: [String]) {
        path = [root]
        rest = arguments[...]
    }

    /// What `arguments`, without the program's own name, ask for.
    ///
    /// - Throws: `CommandError.usage`.
    package static func parse(_ arguments: [String], with root: Verb) throws(CommandError) -> Request {
        var parser = ArgumentParser(root, arguments)
        return try parser.parse()
    }

    private var verb: Verb { path[path.count - 1] }
    /// The verb as it is called: `latch serve`.
    private var name: String { path.map(\.name).joined(separator: " ") }
    private var seeHelp: String { "'\(name) --help' explains it." }

    /// One word after another: options of the verb so far, then the next verb, then its operands.
    ///
    /// An option belongs to the verb before it, so `latch --json demo` is an error and not a guess.
    ///
    /// - Throws: `CommandError.usage` at the first word that is not understood; nothing has been begun then, and words
    ///   behind it have not been looked at.
    private mutating func parse() throws(CommandError) -> Request {
        while let word = rest.popFirst() {
            if word == "--" {
                while let operand = rest.popFirst() { try add(operand: operand) }
            } else if word.hasPrefix("-"), word != "-" {
                if let request = try option(word) { return request }
            } else if !verb.verbs.isEmpty {
                if word == "help", path.count == 1 { return try helpOnVerbs() }
                try descend(to: word)
            } else {
                try add(operand: word)
            }
        }
        guard verb.body != nil else { throw missingVerb }
        if let missing = verb.operands.dropFirst(invocation.operands.count).first, !missing.isOptional {
            throw .usage("'\(name)' needs \(missing.name).", hint: seeHelp)
        }
        return .run(verb, invocation)
    }

    /// A group was called without what it groups.
    private var missingVerb: CommandError {
        let verbs = verb.verbs.map { "'\($0.name)'" }.joined(separator: ", ")
        return .usage("'\(name)' needs to know what to do: \(verbs).", hint: seeHelp)
    }

    /// `latch help serve` is `latch serve --help`.
    private mutating func helpOnVerbs() throws(CommandError) -> Request {
        while let word = rest.popFirst() { try descend(to: word) }
        return .help(path)
    }

    /// Goes on with the verb of that name, or suggests one that is spelt nearly so.
    private mutating func descend(to word: String) throws(CommandError) {
        guard let next = verb.verbs.first(where: { $0.name == word }) else {
            let suggestion = Suggestion.sentence(for: word, among: verb.verbs.map(\.name)) { "'\(name) \($0)'" }
            throw .usage(
                "'\(name)' does not know '\(word)'.", hint: suggestion + "'\(name) --help' lists what it knows.")
        }
        // A group that can be called by itself has flags of its own; they are none of the verb below it.
        guard invocation.isEmpty else {
            throw .usage(
                "'\(word)' stands behind flags that are not its own.",
                hint: "Write '\(name) \(word)' first, then its flags.")
        }
        path.append(next)
    }

    /// Takes a word that is no flag, if the verb has a use for one more.
    private mutating func add(operand: String) throws(CommandError) {
        guard invocation.operands.count < verb.operands.count || verb.operands.last?.repeats == true else {
            throw .usage("'\(name)' does not expect '\(operand)'.", hint: seeHelp)
        }
        invocation.add(operand: operand)
    }

    /// A flag with its value; the request itself where it is one for help or the version, whatever follows.
    ///
    /// Help and version come first of all that is asked for, but not before what stands in front of them: a mistake
    /// there is still told.
    private mutating func option(_ word: String) throws(CommandError) -> Request? {
        if verb.joinsLetters, !word.hasPrefix("--"), word.utf8.count > 2, word.utf8.dropFirst(2).first != 0x3D {
            return try letters(word.dropFirst())
        }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return try add(known(parts[0]), as: parts[0], given: parts.count > 1 ? parts[1] : nil)
    }

    /// Letters behind one dash: flags one after another, the last of which may have its value joined to it.
    private mutating func letters(_ letters: Substring) throws(CommandError) -> Request? {
        var rest = letters
        while let letter = rest.popFirst() {
            let option = try known("-\(letter)")
            let joined = option.value == nil || rest.isEmpty ? nil : String(rest)
            if let request = try add(option, as: "-\(letter)", given: joined) { return request }
            if option.value != nil { return nil }
        }
        return nil
    }

    /// Keeps a flag with its value.
    private mutating func add(
        _ option: Option, as text: String, given: String?
    ) throws(CommandError) -> Request? {
        guard option.repeats || !invocation.has(option) else {
            throw .usage("'\(text)' stands twice.", hint: "Give it once.")
        }
        let value = try value(of: option, as: text, given: given)
        if option == .help { return .help(path) }
        if option == .version { return .version }
        invocation.add(option, value: value)
        return nil
    }

    /// The flag by its long name or its letter; names are not shortened, for a later version may have two that begin
    /// so.
    private func known(_ text: String) throws(CommandError) -> Option {
        // The version is the program's: a verb below the root has none of its own.
        let options = verb.allOptions + (path.count == 1 ? [.version] : [])
        if let option = options.first(where: { text == "--\($0.name)" }) { return option }
        if let option = options.first(where: { option in option.letter.map { text == "-\($0)" } ?? false }) {
            return option
        }
        if text.hasPrefix("--"), let meanwhile = verb.later[String(text.dropFirst(2))] {
            throw .usage("'\(text)' comes in a later version.", hint: meanwhile)
        }
        let suggestion = Suggestion.sentence(for: text, among: options.map { "--\($0.name)" }) { "'\($0)'" }
        throw .usage("'\(name)' has no option '\(text)'.", hint: suggestion + "'\(name) --help' lists them.")
    }

    /// The value of a flag from behind its `=` or from the next word; nil where it takes none.
    ///
    /// The empty text is a value when it stands behind `=` or as a word of its own: a shell's unset variable is refused
    /// by the setting, which knows what to say, and not here.
    private mutating func value(
        of option: Option, as text: String, given: String?
    ) throws(CommandError) -> String? {
        guard let kind = option.value else {
            guard given == nil else { throw .usage("'\(text)' takes no value.", hint: "Write '\(text)' alone.") }
            return nil
        }
        if let given { return given }
        // A flag is hardly ever meant as a value; who means it writes `--name=--value`.
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw .usage("'\(text)' needs a value.", hint: "Write '\(text) \(kind)'.")
        }
        return rest.removeFirst()
    }
}
