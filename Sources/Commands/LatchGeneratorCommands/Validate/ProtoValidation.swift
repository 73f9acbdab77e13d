// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProtoCompiler

/// A check of .proto files and of the clients generated from them.
struct ProtoValidation: Sendable {
    let fileCount: Int
    let diagnostics: [Diagnostic]

    /// Checks the .proto files at paths.
    init(_ paths: [String], includes: [String]) throws(GeneratorError) {
        let sources = try ProtoSources.find(paths, includes: includes)
        let (compilation, diagnostics) = sources.compile(builtIn: OptionFiles.bytes)
        var all = diagnostics
        if compilation.isComplete {
            // Generation finds errors that the compiler does not, such as colliding names and contradicting options.
            let result = SwiftGenerator.generate(compilation.filesToGenerate, GenerationOptions())
            all += result.diagnostics.map(sources.located)
        }
        fileCount = sources.names.count
        self.diagnostics = all
    }

    var errorCount: Int { diagnostics.count { $0.severity == .error } }
    var isValid: Bool { errorCount == 0 }

    /// The counts and the result as text.
    var verdict: String {
        let warnings = (diagnostics.count - errorCount).counted("warning")
        return "\(errorCount.counted("error")), \(warnings): \(isValid ? "valid" : "not valid")"
    }

    /// The result as JSON.
    var json: JSONObject {
        [
            "valid": .bool(isValid), "files": .integer(Int64(fileCount)), "errors": .integer(Int64(errorCount)),
            "warnings": .integer(Int64(diagnostics.count - errorCount)),
            "diagnostics": .array(diagnostics.map(\.json)),
        ]
    }
}
