// SPDX-License-Identifier: Apache-2.0

package import LatchCommand
import LatchCore
import LatchFoundation
import LatchGenerator
import LatchProtoCompiler

/// `descriptors`: compiles .proto files to a `FileDescriptorSet`, like `protoc --descriptor_set_out`.
package enum DescriptorsSubcommand {
    static let output = Option.value("output", "FILE", short: "o", "the file to write")
    static let imports = Option.flag("include-imports", "includes all imported files, before those that import them")
    static let sourceInfo = Option.flag("include-source-info", "includes source locations and comments")

    package static func subcommand(of program: String) -> Subcommand {
        Subcommand(
            name: "descriptors", summary: "compiles .proto files to a FileDescriptorSet",
            discussion: """
                A FILE is a path or an import path. Errors are shown as file:line:column: message;
                nothing is written then, and the exit code is 1.
                """,
            options: [GenerateSubcommand.include, output, imports, sourceInfo, GenerateSubcommand.allErrors],
            combinesShortNames: true,
            arguments: [.init(name: "FILE", summary: "a .proto file", repeats: true)],
            examples: [
                "\(program) descriptors -I protos protos/user.proto -o user.binpb --include-imports":
                    "compile a file with its imports for other tools"
            ],
            body: { invocation, shell in try run(invocation, shell) })
    }

    private static func run(_ invocation: Invocation, _ shell: Environment) throws -> ExitCode {
        guard let path = invocation[output] else {
            throw CommandError.usage("'descriptors' needs a file to write.", hint: "Give -o FILE.")
        }
        let includes = invocation.all(GenerateSubcommand.include)
        // Other arguments are import paths of included or built-in files.
        let (paths, names) = invocation.arguments.reduce(into: ([String](), [String]())) { lists, word in
            if FileManager.default.fileExists(atPath: word) { lists.0.append(word) } else { lists.1.append(word) }
        }
        let sources = try ProtoSources.find(paths, includes: includes)
        let hasLocations = invocation.has(sourceInfo)
        let (compilation, diagnostics) = sources.compile(
            sources.names + names, recordsLocations: hasLocations, builtIn: OptionFiles.bytes)
        let (shown, rest) = DiagnosticLimiter.shown(diagnostics, all: invocation.has(GenerateSubcommand.allErrors))
        for diagnostic in shown { shell.error.line(diagnostic.printed) }
        if let rest { shell.error.line(rest) }
        guard compilation.isComplete else { return .failure }
        let files = invocation.has(imports) ? compilation.files : compilation.filesToGenerate
        do {
            var staged = StagedFiles()
            try staged.stage(FileDescriptor.serializedSet(files, sourceInfo: hasLocations), as: path)
            try staged.commit()
        } catch {
            throw CommandError.failed(
                "'\(path)' cannot be written: \(error.description)", hint: "Choose a place that this user may write to."
            )
        }
        return .success
    }
}
