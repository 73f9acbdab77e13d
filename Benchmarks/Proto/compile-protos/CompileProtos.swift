// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProto

/// Compiles .proto files into a descriptor set.
///
///     compile-protos [-I DIR]… [--include-imports] [--include-source-info] -o OUT FILE…
@main struct CompileProtos {
    static func main() throws {
        var (folders, output, names) = ([String](), "", [String]())
        var (withImports, withSource) = (false, false)
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "-I": folders.append(arguments.popFirst() ?? "")
            case "-o": output = arguments.popFirst() ?? ""
            case "--include-imports": withImports = true
            case "--include-source-info": withSource = true
            default: names.append(argument)
            }
        }
        let compiler = Compiler(recordsLocations: withSource) { name in
            for folder in folders {
                if let data = FileManager.default.contents(atPath: folder + "/" + name) { return Array(data) }
            }
            return nil
        }
        let compilation = compiler.compile(names)
        for diagnostic in compilation.diagnostics {
            FileHandle.standardError.write(Data("\(diagnostic)\n".utf8))
        }
        guard compilation.isComplete else { exit(1) }
        let files = withImports ? compilation.files : compilation.requested
        try Data(FileDescriptor.serializedSet(files, sourceInfo: withSource)).write(to: URL(fileURLWithPath: output))
    }
}
