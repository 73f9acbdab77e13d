// SPDX-License-Identifier: Apache-2.0

package import LatchCommand
import LatchCore
import LatchGenerator

/// `examples`: shows example .proto files.
package enum ExamplesSubcommand {
    static let write = Option.value("write", "DIR", "writes the files to a folder, without overwriting any")
    static let json = Option.flag("json", "prints a JSON array")

    package static func subcommand(of program: String) -> Subcommand {
        let names = GeneratorExample.all.map(\.name).joined(separator: ", ")
        return Subcommand(
            name: "examples", summary: "shows example .proto files",
            discussion: """
                The examples: \(names).
                'options' contains the files that declare the options of clients; they are built into this program,
                and protoc needs them.
                """,
            options: [write, json],
            arguments: [.init(name: "NAME", summary: "the name of an example (lists all)", isOptional: true)],
            examples: [
                "\(program) examples": "list the examples",
                "\(program) examples basic --write protos": "start with an example",
            ],
            body: { invocation, shell in try run(invocation, shell, program) })
    }

    private static func run(_ invocation: Invocation, _ shell: Environment, _ program: String) throws -> ExitCode {
        var shown = GeneratorExample.all
        if let name = invocation.argument(0) {
            shown = GeneratorExample.all.filter { $0.name == name }
            guard !shown.isEmpty else {
                let names = GeneratorExample.all.map(\.name)
                let suggestion = Suggestion.sentence(for: name, among: names) { "'\($0)'" }
                throw CommandError.failed(
                    "There is no example '\(name)'.",
                    hint: suggestion + "Valid values: \(names.joined(separator: ", ")).")
            }
        }
        if let folder = invocation[write] { return try write(shown, to: folder, shell) }
        if invocation.has(json) {
            shell.json(.array(shown.map(\.json)))
        } else if invocation.argument(0) != nil {
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

    private static func write(_ examples: [GeneratorExample], to folder: String, _ shell: Environment) throws
        -> ExitCode
    {
        let files = examples.flatMap(\.files)
        do {
            var staged = StagedFiles()
            for file in files {
                let path = "\(folder)/\(file.path)"
                guard !OutputPlan.leadsThroughLink(file.path, in: folder) else {
                    throw CommandError.failed("'\(path)' is behind a link.", hint: "Choose another folder.")
                }
                guard FileStatus(of: path, followsLink: false) == nil else {
                    throw CommandError.failed("'\(path)' already exists.", hint: "Choose another folder.")
                }
                try staged.stage(Array(file.text.utf8), as: path)
            }
            try staged.commit()
        } catch let error as FileError {
            throw CommandError.failed(
                "'\(folder)' cannot be written: \(error.description)",
                hint: "Choose a writable folder.")
        }
        for file in files { shell.output.line("\(folder)/\(file.path)") }
        return .success
    }
}
