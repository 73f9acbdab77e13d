// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchGenerator
import LatchProtoCompiler
import LatchTesting
import TestTags
import Testing

@Suite(.tags(.optionSpellings), .enabled(Comment(rawValue: Protoc.hint)) { await Protoc.install() })
struct OptionFileTests {
    @Test(arguments: [
        ("user-service", "userservice/v1/user_service.proto"), ("task-manager", "taskmanager/v1/task_service.proto"),
    ])
    func `The option files make protoc accept an example with the same descriptors`(example: String, name: String)
        async throws
    {
        let examples = URL(filePath: #filePath).appending(path: "../../../../Examples").standardized.path
        try await withTemporaryFolder { folder in
            for file in OptionFiles.names {
                let path = URL(filePath: "\(folder)/\(file)")
                try FileManager.default.createDirectory(
                    at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(OptionFiles.bytes(of: file) ?? []).write(to: path)
            }
            let root = try #require(await Protoc.folder.value)
            let folders = [folder, "\(examples)/\(example)/Protos", "\(root)/include"]
            let theirs = try await Protoc.compile([name], in: folders)
            let (ours, compilation) = Protoc.compileOurselves([name], in: folders)
            let (their, our) = (try #require(theirs.set, "\(theirs.text)"), try #require(ours.set, "\(ours.text)"))
            let differences = CanonicalSet(our).differences(from: CanonicalSet(their), knowing: compilation.files)
            #expect(differences.isEmpty)
        }
    }

    /// What protoc leaves out of the message of an option, and what it adds.
    @Test func `The option files make protoc's bytes of a message with default values`() async throws {
        let text = """
            syntax = "proto3";
            package ov;
            import "google/protobuf/descriptor.proto";
            enum Level { LOW = 0; HIGH = 1; }
            message Inner { string s = 1; optional int32 kept = 2; oneof one { bool flag = 3; } }
            message Opt {
              bool typed = 1; map<string, Inner> inners = 2; int32 n = 3; string t = 4; repeated int32 r = 5; Level level = 6;
              map<int32, Level> levels = 7; double ratio = 8; Inner inner = 9; bytes b = 10;
            }
            extend google.protobuf.MessageOptions { Opt opt = 50001; }
            message A { option (opt) = {typed: false n: 0 t: "" level: LOW r: [0, 0] ratio: -0.0 b: ""}; }
            message B { option (opt) = {inners: {key: "a"} inners: {value: {}} levels: {} levels: {key: 3}}; }
            message C { option (opt).typed = false; option (opt).n = 0; }
            message D { option (opt) = {n: 0 n: 1 inner: {s: "" kept: 0 flag: false}}; }
            """
        let root = try #require(await Protoc.folder.value)
        try await withTemporaryFolder { folder in
            let folders = [folder, "\(root)/include"]
            try Array(text.utf8).write(toFile: "\(folder)/ov.proto")
            let theirs = try await Protoc.compile(["ov.proto"], in: folders, sourceInfo: false)
            let (ours, compilation) = Protoc.compileOurselves(["ov.proto"], in: folders, sourceInfo: false)
            let (their, our) = (try #require(theirs.set, "\(theirs.text)"), try #require(ours.set, "\(ours.text)"))
            expectEqual(CanonicalSet(our).differences(from: CanonicalSet(their), knowing: compilation.files), [])
        }
    }
}
