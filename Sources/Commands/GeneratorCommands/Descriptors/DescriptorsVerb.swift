// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchCommand
import LatchCore
import LatchGenerator
import LatchProto

/// `descriptors`: .proto files become a `FileDescriptorSet`, as `protoc --descriptor_set_out` makes it.
package enum DescriptorsVerb {
    static let output = Option.value("output", "FILE", letter: "o", "the file to write")
    static let imports = Option.flag("include-imports", "adds all files that they import, in front of them")
    static let sourceInfo = Option.flag("include-source-info", "says where everything stands, with the comments")

    /// The verb, as the program of that name has it.
    package static func verb(of program: String) -> Verb {
        Verb(
            name: "descriptors", summary: "compiles .proto files to a FileDescriptorSet",
            discussion: """
                A FILE is a path, or the name under which another file would import it. Errors are told as
                file:line:column: what, the first of each file; nothing is written then, and the exit code is 1.
                """,
            options: [GenerateVerb.include, output, imports, sourceInfo, GenerateVerb.allErrors], joinsLetters: true,
            operands: [.init(name: "FILE", summary: "a .proto file", repeats: true)],
            examples: [
                .init(
                    command: "\(program) descriptors -I protos protos/user.proto -o user.binpb --include-imports",
                    purpose: "what other tools read instead of .proto files")
            ],
            body: { invocation, shell in try run(invocation, shell) })
    }

    private static func run(_ invocation: Invocation, _ shell: Shell) throws -> ExitCode {
        guard let path = invocation[output] else {
            throw CommandError.usage("'descriptors' needs a file to write.", hint: "Give -o FILE.")
        }
        let includes = invocation.all(GenerateVerb.include)
        // What is no path may be the name of a file below an include, or of one that is built in.
        let (paths, names) = invocation.operands.reduce(into: ([String](), [String]())) { lists, word in
            if FileManager.default.fileExists(atPath: word) { lists.0.append(word) } else { lists.1.append(word) }
        }
        let sources = try ProtoSources.find(paths, includes: includes)
        let hasLocations = invocation.has(sourceInfo)
        let (compilation, diagnostics) = sources.compile(
            sources.names + names, recordsLocations: hasLocations, builtIn: OptionFiles.bytes)
        let (shown, rest) = DiagnosticBounds.shown(diagnostics, all: invocation.has(GenerateVerb.allErrors))
        for diagnostic in shown { shell.error.line(diagnostic.printed) }
        if let rest { shell.error.line(rest) }
        guard compilation.isComplete else { return .failure }
        let files = invocation.has(imports) ? compilation.files : compilation.requested
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
