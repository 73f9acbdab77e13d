// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchGenerator
import LatchProtoCompiler

/// Writes .proto files as Swift, and says how long it took.
///
///     generate-swift [-I DIR]… [--per-file] [--drop-path] [--internal] [--packages] [--module M] [--prefix P] [--times N] [-o DIR] FILE…
///
/// The time is that of the fastest of N runs, reading and writing of files left out.
@main struct GenerateSwift {
    static func main() throws {
        var (folders, output, names, times) = ([String](), String?.none, [String](), 1)
        var options = SwiftOptions()
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "-I": folders.append(arguments.popFirst() ?? "")
            case "-o": output = arguments.popFirst()
            case "--per-file": options.layout = .perFile
            case "--internal": options.visibility = .internal
            case "--drop-path": options.fileNaming = .dropPath
            case "--packages": options.prefixesPackages = true
            case "--module": options.moduleName = arguments.popFirst()
            case "--prefix": options.typePrefix = arguments.popFirst() ?? ""
            case "--times": times = arguments.popFirst().flatMap { Int($0) } ?? 1
            default: names.append(argument)
            }
        }
        var bytes: [String: [UInt8]] = [:]
        let compiler = Compiler { name in
            if let known = bytes[name] { return known }
            for folder in folders {
                guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
                bytes[name] = Array(data)
                return bytes[name]
            }
            return nil
        }
        var result = (files: [GeneratedFile](), fastest: (compile: Duration.seconds(999), write: Duration.seconds(999)))
        for _ in 0..<max(times, 1) {
            let start = ContinuousClock.now
            let compilation = compiler.compile(names)
            let middle = ContinuousClock.now
            let written = SwiftWriter(files: compilation.filesToGenerate, options: options).write()
            let end = ContinuousClock.now
            for diagnostic in compilation.diagnostics + written.diagnostics {
                FileHandle.standardError.write(Data("\(diagnostic)\n".utf8))
            }
            guard compilation.isComplete, !written.files.isEmpty else { exit(1) }
            result.files = written.files
            result.fastest.compile = min(result.fastest.compile, middle - start)
            result.fastest.write = min(result.fastest.write, end - middle)
        }
        let size = result.files.reduce(0) { $0 + $1.text.utf8.count }
        print(
            "compile \(result.fastest.compile)  write \(result.fastest.write)  files \(result.files.count)  bytes \(size)"
        )
        guard let output else { return }
        for file in result.files {
            let url = URL(fileURLWithPath: output).appendingPathComponent(file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.text.utf8).write(to: url)
        }
    }
}
