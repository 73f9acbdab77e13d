// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProtoCompiler

/// Compiles .proto files into a descriptor set, or each of many by itself.
///
///     compile-protos [-I DIR]… [--include-imports] [--include-source-info] -o OUT FILE…
///     compile-protos [-I DIR]… [--include-imports] [--include-source-info] --each
///
/// With `--each` it reads lines of two names from standard input, of a file and of its output, and writes beside each output
/// what was said, with the ending `.err`. Nothing is kept from one file to the next.
@main struct CompileProtos {
    private var folders: [String] = []
    private var output = ""
    private var names: [String] = []
    private var withImports = false
    private var withSource = false
    private var isEach = false

    static func main() throws {
        let program = CompileProtos(CommandLine.arguments.dropFirst())
        guard program.isEach else {
            let (set, text) = program.compile(program.names)
            FileHandle.standardError.write(Data(text.utf8))
            guard let set else { exit(1) }
            return try set.write(to: URL(fileURLWithPath: program.output))
        }
        while let line = readLine() {
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count == 2 else { continue }
            let (set, text) = program.compile([parts[0]])
            try set?.write(to: URL(fileURLWithPath: parts[1]))
            try Data(text.utf8).write(to: URL(fileURLWithPath: parts[1] + ".err"))
        }
    }

    private init(_ arguments: ArraySlice<String>) {
        var arguments = arguments
        while let argument = arguments.popFirst() {
            switch argument {
            case "-I": folders.append(arguments.popFirst() ?? "")
            case "-o": output = arguments.popFirst() ?? ""
            case "--include-imports": withImports = true
            case "--include-source-info": withSource = true
            case "--each": isEach = true
            default: names.append(argument)
            }
        }
    }

    /// The descriptor set, nil where the files are wrong, and what there is to say.
    private func compile(_ names: [String]) -> (set: Data?, text: String) {
        let compiler = Compiler(recordsLocations: withSource) { name in
            for folder in folders {
                if let data = FileManager.default.contents(atPath: folder + "/" + name) { return Array(data) }
            }
            return nil
        }
        let compilation = compiler.compile(names)
        let text = compilation.diagnostics.map { "\($0)\n" }.joined()
        guard compilation.isComplete else { return (nil, text) }
        let files = withImports ? compilation.files : compilation.filesToGenerate
        return (Data(FileDescriptor.serializedSet(files, sourceInfo: withSource)), text)
    }
}
