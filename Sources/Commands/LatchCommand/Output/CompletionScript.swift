// SPDX-License-Identifier: Apache-2.0

/// A script that completes the words of a command in a shell: subcommands, options with their summaries, and files.
///
/// The script contains the whole tree, so that completion starts no process.
package struct CompletionScript {
    /// A shell in which programs can define completions.
    package enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    /// A subcommand and the words that select it.
    private struct Place {
        /// The words from the root: `latch admin list`.
        let path: String
        let subcommand: Subcommand
        let isRoot: Bool

        var options: [Option] { subcommand.allOptions + (isRoot ? [.version] : []) }
    }

    private let name: String
    private let places: [Place]

    /// Creates the completions of a command.
    package init(_ root: Subcommand) {
        name = root.name
        places = Self.places(root, path: root.name, isRoot: true)
    }

    private static func places(_ subcommand: Subcommand, path: String, isRoot: Bool = false) -> [Place] {
        [Place(path: path, subcommand: subcommand, isRoot: isRoot)]
            + subcommand.subcommands.flatMap { places($0, path: "\(path) \($0.name)") }
    }

    /// Returns the script for a shell.
    package func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// Whether an option's value with this placeholder is the path of a file or a folder.
    private static func isPath(_ placeholder: String) -> Bool {
        ["FILE", "DIR", "PATH", "STORE"].contains(placeholder)
    }

    /// Whether a word that is not an option can be the path of a file at a place.
    private static func takesPaths(_ place: Place) -> Bool {
        place.subcommand.arguments.contains { isPath($0.name) || $0.name == "PROTO" }
    }

    /// Returns an option as a shell's pattern: `--file` or `--file|-o`.
    private static func spellings(_ option: Option, separator: String) -> String {
        (["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])).joined(separator: separator)
    }

    /// Returns the lines that find the subcommand of the completed word, for bash and zsh.
    private func walk(words: String, first: Int, last: String) -> String {
        let steps = places.filter { !$0.isRoot }.map { "\"\($0.path)\"" }.joined(separator: " | ")
        return """
                local place=\(name) index
                for ((index = \(first); index < \(last); index++)); do
                    case "$place ${\(words)[index]}" in
                        \(steps)) place="$place ${\(words)[index]}" ;;
                    esac
                done
            """
    }

    private var bash: String {
        let values = places.flatMap { place in
            place.options.compactMap { option in
                option.value.map { placeholder in
                    let patterns = Self.spellings(option, separator: " ").split(separator: " ")
                        .map { "\"\(place.path) \($0)\"" }.joined(separator: " | ")
                    let reply =
                        Self.isPath(placeholder)
                        ? "local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$word\"))" : "COMPREPLY=()"
                    return "        \(patterns)) \(reply); return ;;"
                }
            }
        }
        let words = places.map { place in
            let names = place.subcommand.subcommands.map(\.name) + place.options.map { "--\($0.name)" }
            let files = Self.takesPaths(place) ? " files=yes" : ""
            return "        \"\(place.path)\") words=\"\(names.joined(separator: " "))\"\(files) ;;"
        }
        return """
            # Completions of \(name) for bash.
            _\(name)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=$((COMP_CWORD - 1)) words='' files=''
            \(walk(words: "COMP_WORDS", first: 1, last: "COMP_CWORD"))
                # Bash splits '--name=value' at its '='.
                if [[ $word == '=' ]]; then word=''; elif [[ ${COMP_WORDS[before]} == '=' ]]; then ((before--)); fi
                case "$place ${COMP_WORDS[before]}" in
            \(values.joined(separator: "\n"))
                esac
                case "$place" in
            \(words.joined(separator: "\n"))
                esac
                if [[ -n $files && $word != -* ]]; then
                    local IFS=$'\\n'
                    COMPREPLY=($(compgen -f -- "$word"))
                else
                    COMPREPLY=($(compgen -W "$words" -- "$word"))
                fi
            }
            complete -o filenames -F _\(name) \(name)

            """
    }

    private var zsh: String {
        let cases = places.map { place in
            let groups = place.subcommand.groups.map { group in
                let names = group.subcommands.map { "'\($0.name):\(Self.quoted($0.summary))'" }
                return "names=(\(names.joined(separator: " "))); _describe -t \(group.title) '\(group.title)' names"
            }
            let options = place.options.map { option in
                let both = option.short.map { "'(--\(option.name) -\($0))'{--\(option.name),-\($0)}" }
                let repeats = option.repeats ? "*" : ""
                let value = option.value.map { ":\($0):\(Self.isPath($0) ? "_files" : " ")" } ?? ""
                let start = option.repeats || both == nil ? "'\(repeats)--\(option.name)" : "\(both ?? "")'"
                return "\(start)[\(Self.quoted(option.summary, brackets: true))]\(value)'"
            }
            let rest = Self.takesPaths(place) ? ["'*: :_files'"] : []
            let actions =
                groups.isEmpty
                ? ["_arguments -s \((options + rest).joined(separator: " "))"]
                : [
                    "local -a names",
                    "if [[ $words[CURRENT] == -* ]]; then _arguments \(options.joined(separator: " "))",
                    "else",
                ] + groups.map { "    " + $0 } + ["fi"]
            return "        '\(place.path)')\n            " + actions.joined(separator: "\n            ") + " ;;"
        }
        return """
            #compdef \(name)
            # Completions of \(name) for zsh.
            _\(name)() {
            \(walk(words: "words", first: 2, last: "CURRENT"))
                # The rest is completed as if the subcommand were a separate command.
                local depth=${#${(z)place}}
                words=("$place" "${(@)words[depth + 1,-1]}")
                ((CURRENT -= depth - 1))
                case "$place" in
            \(cases.joined(separator: "\n"))
                esac
            }
            # Loaded by zsh on the first use, or read at the start of a session.
            if [[ ${funcstack[1]} == _\(name) ]]; then _\(name) "$@"; else compdef _\(name) \(name); fi

            """
    }

    private var fish: String {
        var lines = [
            "# Completions of \(name) for fish.",
            "function __\(name)_is_at",
            "    set -l place \(name)",
            "    for word in (commandline -opc)[2..-1]",
            "        switch \"$place $word\"",
            "            case \(places.filter { !$0.isRoot }.map { "'\($0.path)'" }.joined(separator: " "))",
            "                set place \"$place $word\"",
            "        end",
            "    end",
            "    test \"$place\" = \"$argv[1]\"",
            "end",
            "complete -c \(name) -f",
        ]
        for place in places {
            let start = "complete -c \(name) -n '__\(name)_is_at \"\(place.path)\"'"
            lines += place.subcommand.subcommands.map { "\(start) -a \($0.name) -d '\(Self.quoted($0.summary))'" }
            lines += place.options.map { option in
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.value.map { Self.isPath($0) ? " -r -F" : " -x" } ?? ""
                return "\(start) -l \(option.name)\(short)\(value) -d '\(Self.quoted(option.summary))'"
            }
            if Self.takesPaths(place) { lines.append("\(start) -F") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a summary for use inside single quotes, with a typographic apostrophe instead of `'`.
    private static func quoted(_ summary: String, brackets: Bool = false) -> String {
        String(
            summary.flatMap { character -> [Character] in
                switch character {
                case "'": ["’"]
                case "[", "]", ":", "\\": brackets || character == "\\" ? ["\\", character] : [character]
                default: [character]
                }
            })
    }
}
