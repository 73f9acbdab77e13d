// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler
import LatchTesting
import Testing

/// Files that reach every rule of the grammar, compiled by protoc and by this compiler.
@Suite(.enabled(Comment(rawValue: Protoc.hint)) { await Protoc.install() })
struct GeneratedGrammarTests {
    @Test(arguments: RandomProto.Syntax.allCases)
    func `Every rule of the grammar produces the same descriptors as protoc`(syntax: RandomProto.Syntax) async throws {
        let root = try #require(await Protoc.folder.value)
        try await withTemporaryFolder { folder in
            // Its own descriptor.proto, which has more in it than the one that is built in.
            let folders = [folder, "\(root)/include"]
            var names: [String] = []
            for seed in 0..<15 {
                var grammar = RandomProto(seed: UInt64(seed), syntax: syntax)
                names.append("g\(seed).proto")
                try Array(grammar.text().utf8).write(toFile: "\(folder)/g\(seed).proto")
            }
            let theirs = try await Protoc.compile(names, in: folders)
            let (ours, compilation) = Protoc.compileOurselves(names, in: folders)
            let (their, our) = (try #require(theirs.set, "\(theirs.text)"), try #require(ours.set, "\(ours.text)"))
            let differences = CanonicalSet(our).differences(from: CanonicalSet(their), knowing: compilation.files)
            #expect(differences.isEmpty)
        }
    }
}
