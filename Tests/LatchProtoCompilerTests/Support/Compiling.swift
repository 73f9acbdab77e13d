// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler
import Testing

/// Compiles a file together with the files that it imports.
func compile(_ text: String, with others: [String: String] = [:], locations: Bool = false) -> Compilation {
    let files = others.merging(["test.proto": text]) { _, new in new }
    return Compiler(recordsLocations: locations) { name in files[name].map { Array($0.utf8) } }.compile(["test.proto"])
}

/// Returns the descriptor of a valid file.
func file(_ text: String, with others: [String: String] = [:]) throws -> FileDescriptor {
    let compilation = compile(text, with: others)
    try #require(compilation.isComplete, "\(compilation.diagnostics)")
    return try #require(compilation.filesToGenerate.first)
}

/// Returns the positions of the errors in a text, as `line:column`, counted from one.
func errorPositions(_ text: String, with others: [String: String] = [:]) -> [String] {
    compile(text, with: others).diagnostics.filter { $0.severity == .error }.map {
        guard let position = $0.position else { return $0.file }
        return "\(position.line + 1):\(position.column + 1)"
    }
}
