// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchGenerator
import LatchProtoCompiler
import Testing

@Suite struct DriftTests {
    static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    static func output(_ names: [String], _ options: SwiftOptions) throws -> [GeneratedFile] {
        let compilation = Compiler { name in
            FileManager.default.contents(atPath: tests.appendingPathComponent("Protos/\(name)").path).map { Array($0) }
        }.compile(names)
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        let output = SwiftWriter(files: compilation.filesToGenerate, options: options).write()
        #expect(output.diagnostics.isEmpty, "\(output.diagnostics)")
        return output.files
    }

    static let names = ["all_kinds", "older_kinds", "edition_kinds", "calls"].map { "kinds/\($0).proto" }

    @Test func `Generated and committed code is up to date`() throws {
        var options = SwiftOptions()
        options.layout = .perFile
        let files = try Self.output(Self.names, options)
        expectEqual(
            files.map(\.path).sorted(), Self.names.map { $0.replacing(".proto", with: ".latch.swift") }.sorted())
        let names = try Self.output(["kinds/names.proto"], options)
        for (module, file) in files.map({ ("GeneratedModels", $0) }) + names.map({ ("GeneratedNames", $0) }) {
            let url = Self.tests.appendingPathComponent("\(module)/\(file.path)")
            try expectEqual(
                String(contentsOf: url, encoding: .utf8), file.text, "\(file.path) has drifted: generate it again"
            )
        }
    }

    @Test func `Generated and committed code is the same for internal declarations`() throws {
        var options = SwiftOptions()
        options.layout = .perFile
        options.visibility = .internal
        options.fileNaming = .dropPath
        options.typePrefix = "Own"
        let files = try Self.output(["kinds/all_kinds.proto", "kinds/calls.proto"], options)
        for file in files {
            let url = Self.tests.appendingPathComponent("GeneratedTests/Internal/\(file.path)")
            try expectEqual(
                String(contentsOf: url, encoding: .utf8), file.text, "\(file.path) has drifted: generate it again"
            )
        }
    }

    @Test func `Generated and committed code does not depend on the order of the files`() throws {
        let once = try Self.output(Self.names, SwiftOptions())
        try expectEqual(Self.output(Self.names, SwiftOptions()), once)
        let other = try Self.output(Self.names.reversed(), SwiftOptions())
        expectEqual(Set(other.map(\.text)), Set(once.map(\.text)))
    }
}
