// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct DiscardedFileTests {
    private static let removed =
        "edition = \"2024\"; package a; option java_multiple_files = true; message M { int32 x = 1; }"
    private static let importer = "syntax = \"proto3\"; package b; import \"a.proto\"; message N { a.M y = 1; }"
    private static let unrelated = "syntax = \"proto3\"; package b; message N { Nope y = 1; }"

    private func compile(_ texts: [String: String], _ names: [String]) -> Compilation {
        Compiler { texts[$0].map { Array($0.utf8) } }.compile(names)
    }

    @Test(arguments: [["a.proto", "b.proto"], ["b.proto", "a.proto"], ["b.proto"]])
    func `A file with late errors is reported, and so are the files that import it`(names: [String]) {
        let compilation = compile(["a.proto": Self.removed, "b.proto": Self.importer], names)
        #expect(compilation.diagnostics.contains { $0.file == "a.proto" && $0.message.contains("java_multiple_files") })
        #expect(!compilation.isComplete)
        #expect(compilation.filesToGenerate.isEmpty)
        for file in compilation.files { #expect(file.messages.allSatisfy { $0.file === file }) }
    }

    @Test func `A file with late errors is reported with the errors of other files`() {
        let compilation = compile(["a.proto": Self.removed, "b.proto": Self.unrelated], ["a.proto", "b.proto"])
        expectEqual(compilation.diagnostics.filter { $0.severity == .error }.map(\.file), ["a.proto", "b.proto"])
    }

    @Test func `A file with late errors can use an option whose lifetime has ended`() {
        let options = """
            syntax = "proto2"; package o; import "google/protobuf/descriptor.proto";
            extend google.protobuf.FieldOptions { optional int32 old = 50001 [feature_support = {
              edition_introduced: EDITION_2023 edition_deprecated: EDITION_2023 deprecation_warning: "x"
              edition_removed: EDITION_2024 }]; }
            """
        let user = "edition = \"2024\"; package a; import \"opts.proto\"; message M { int32 x = 1 [(o.old) = 1]; }"
        let texts = ["a.proto": user, "b.proto": Self.unrelated, "opts.proto": options]
        let compilation = compile(texts, ["a.proto", "b.proto", "opts.proto"])
        expectEqual(compilation.diagnostics.filter { $0.severity == .error }.map(\.file), ["a.proto", "b.proto"])
        expectEqual(compilation.filesToGenerate.map(\.name), ["opts.proto"])
    }
}
