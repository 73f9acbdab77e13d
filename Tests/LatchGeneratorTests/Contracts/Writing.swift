// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

/// Writes texts as Swift; the first one is asked for, all if `all` says so.
func written(
    _ text: String, with others: [String: String] = [:], all: Bool = false,
    _ change: (inout SwiftOptions) -> Void = { $0.layout = .perFile }
) throws -> GenerationResult {
    let files = others.merging(["test.proto": text]) { _, new in new }
    let compilation = Compiler { name in files[name].map { Array($0.utf8) } }
        .compile(all ? files.keys.sorted() : ["test.proto"])
    try #require(compilation.isComplete, "\(compilation.diagnostics)")
    var options = SwiftOptions()
    change(&options)
    return SwiftWriter(files: compilation.filesToGenerate, options: options).write()
}

/// The Swift text of a .proto file that begins with `syntax = "proto3";`, without its head.
func swift(_ text: String) throws -> String {
    let output = try written("syntax = \"proto3\";\n" + text)
    try #require(output.diagnostics.allSatisfy { $0.severity == .warning }, "\(output.diagnostics)")
    let file = try #require(output.files.first)
    // The head ends with the import of the runtime.
    return file.text.components(after: "import LatchRPC\n\n")
}

/// Returns the diagnostics about a text, each as `line:column: message`.
func problems(_ text: String, with others: [String: String] = [:], all: Bool = false) throws -> [String] {
    let output = try written("syntax = \"proto3\";\n" + text, with: others, all: all)
    expectEqual(output.files.isEmpty, !output.diagnostics.isEmpty)
    return output.diagnostics.map {
        "\(($0.position?.line ?? -1) + 1):\(($0.position?.column ?? -1) + 1): \($0.message)"
    }
}

extension String {
    fileprivate func components(after mark: String) -> String {
        guard let range = firstRange(of: mark) else { return self }
        return String(self[range.upperBound...])
    }
}
