// SPDX-License-Identifier: Apache-2.0

import LatchGenerator
import LatchProtoCompiler
import LatchTesting
import PortableFoundation
import TestTags
import Testing

@Suite(.tags(.g3), .enabled(Comment(rawValue: Protoc.hint)) { await Protoc.install() })
struct `The option files` {
    @Test(arguments: [
        ("user-service", "userservice/v1/user_service.proto"), ("task-manager", "taskmanager/v1/task_service.proto"),
    ])
    func `make protoc accept an example with the same descriptors`(example: String, name: String) async throws {
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
}
