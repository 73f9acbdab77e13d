// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchGenerator
import LatchProtoCompiler
import Testing

@Suite struct GeneratedRulesTests {
    private static let committed = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Generated/checked.latch.swift")

    @Test func `Rules of buf.validate are generated as they are committed`() throws {
        let output = try generate(CheckedProto.text)
        #expect(output.diagnostics.isEmpty, "\(output.diagnostics)")
        let text = try #require(output.files.first?.text)
        if ProcessInfo.processInfo.environment["LATCH_REGENERATE"] != nil {
            try Data(text.utf8).write(to: Self.committed)
        }
        expectEqual(String(decoding: try Data(contentsOf: Self.committed), as: UTF8.self), text)
    }

    /// The descriptors as a protoc plugin receives them, without source text.
    @Test func `Rules of buf.validate are the same with only descriptors`() throws {
        let compilation = compile(CheckedProto.text)
        let linked = Compiler.link(
            compilation.files.map { $0.serialized(sourceInfo: true) }, filesToGenerate: ["checked.proto"])
        try #require(linked.isComplete, "\(linked.diagnostics)")
        let output = SwiftWriter(files: linked.filesToGenerate, options: perFile).write()
        #expect(output.diagnostics.isEmpty)
        try expectEqual(generate(CheckedProto.text).files, output.files)
    }
}
