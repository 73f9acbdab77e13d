// SPDX-License-Identifier: Apache-2.0

package import LatchCommand
import LatchCore
import LatchGenerator

/// `examples`: .proto files to begin with, and how to generate from them.
package enum ExamplesVerb {
    static let write = Option.value("write", "DIR", "writes the files into a folder that has none of them")
    static let json = Option.flag("json", "one JSON array of all that is shown")

    /// The verb, as the program of that name has it.
    package static func verb(of program: String) -> Verb {
        let names = GeneratorExample.all.map(\.name).joined(separator: ", ")
        return Verb(
            name: "examples", summary: "shows .proto files to begin with",
            discussion: """
                There are: \(names).
                'options' are the files that declare the options of clients; this program has them built in, and
                protoc needs them.
                """,
            options: [write, json],
            operands: [.init(name: "NAME", summary: "one of the examples (a list of them)", isOptional: true)],
            examples: [
                .init(command: "\(program) examples", purpose: "which examples there are"),
                .init(command: "\(program) examples basic --write protos", purpose: "begin with one"),
            ],
            body: { invocation, shell in try run(invocation, shell, program) })
    }

    private static func run(_ invocation: Invocation, _ shell: Shell, _ program: String) throws -> ExitCode {
        var shown = GeneratorExample.all
        if let name = invocation.operand(0) {
            shown = GeneratorExample.all.filter { $0.name == name }
            guard !shown.isEmpty else {
                let names = GeneratorExample.all.map(\.name)
                let suggestion = Suggestion.sentence(for: name, among: names) { "'\($0)'" }
                throw CommandError.failed(
                    "There is no example '\(name)'.", hint: suggestion + "There are: \(names.joined(separator: ", ")).")
            }
        }
        if let folder = invocation[write] { return try write(shown, to: folder, shell) }
        if invocation.has(json) {
            shell.json(.array(shown.map(\.json)))
        } else if invocation.operand(0) != nil {
            for file in shown.flatMap(\.files) {
                shell.output.write("// \(file.path)\n\n\(file.text)")
                if file != shown.last?.files.last { shell.output.line("") }
            }
        } else {
            let width = shown.map(\.name.count).max() ?? 0
            for example in shown {
                let gap = String(repeating: " ", count: width - example.name.count + 2)
                shell.output.line("\(example.name)\(gap)\(example.summary)")
            }
            shell.output.line("\nShow one: \(program) examples NAME")
        }
        return .success
    }

    private static func write(_ examples: [GeneratorExample], to folder: String, _ shell: Shell) throws -> ExitCode {
        let files = examples.flatMap(\.files)
        do {
            var staged = StagedFiles()
            for file in files {
                let path = "\(folder)/\(file.path)"
                guard try AtomicFile(path).read() == nil else {
                    throw CommandError.failed("'\(path)' is there already.", hint: "Choose another folder.")
                }
                try staged.stage(Array(file.text.utf8), as: path)
            }
            try staged.commit()
        } catch let error as FileFailure {
            throw CommandError.failed(
                "'\(folder)' cannot be written: \(error.description)",
                hint: "Choose a place that this user may write to.")
        }
        for file in files { shell.output.line("\(folder)/\(file.path)") }
        return .success
    }
}
