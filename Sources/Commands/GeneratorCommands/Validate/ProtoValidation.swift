// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchGenerator
import LatchProto

/// What the compiler of .proto files, and the reader of their options, say of some files.
struct ProtoValidation: Sendable {
    let fileCount: Int
    let diagnostics: [Diagnostic]

    /// Judges the .proto files at paths: as files, and as what clients are generated from.
    init(_ paths: [String], includes: [String]) throws(GeneratorError) {
        let sources = try ProtoSources.find(paths, includes: includes)
        let (compilation, diagnostics) = sources.compile(builtIn: OptionFiles.bytes)
        var all = diagnostics
        if compilation.isComplete {
            // Generating finds what no compiler of .proto files looks for: names that collide, options that contradict.
            for language in GeneratedLanguage.all {
                let generation = language.generate(compilation.requested, GenerationOptions())
                all += generation.diagnostics.map(sources.located)
            }
        }
        fileCount = sources.names.count
        self.diagnostics = all
    }

    var errorCount: Int { diagnostics.count { $0.severity == .error } }
    var isValid: Bool { errorCount == 0 }

    /// For a script.
    var json: JSONObject {
        [
            "valid": .bool(isValid), "files": .integer(Int64(fileCount)), "errors": .integer(Int64(errorCount)),
            "warnings": .integer(Int64(diagnostics.count - errorCount)),
            "diagnostics": .array(diagnostics.map(\.json)),
        ]
    }
}
