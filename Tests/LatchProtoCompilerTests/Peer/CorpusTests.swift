// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

/// Public files, compiled by protoc and by this compiler.
@Suite(.enabled(Comment(rawValue: Protoc.hint)) { await Protoc.install() })
struct CorpusTests {
    /// A collection of files: its folder, its import folders, and the excluded files.
    struct Corpus: CustomTestStringConvertible {
        let folder: String
        var includes: [String] = []
        var isIncluded: @Sendable (String) -> Bool = { _ in true }

        var testDescription: String { folder.split(separator: "/").last.map(String.init) ?? folder }
    }

    static let temporal = "temporalio/bridge/sdk-core/crates/protos/protos"

    static let corpora = [
        Corpus(folder: "include"),
        Corpus(folder: ".", includes: ["include"], isIncluded: { $0.hasPrefix("google/") }),
        Corpus(folder: "cosmospy_protobuf", includes: ["include"]),
        Corpus(
            folder: "\(temporal)/api_upstream", includes: ["\(temporal)/protoc-gen-openapiv2", temporal, "include"],
            isIncluded: { $0.hasPrefix("temporal/") }),
        Corpus(
            folder: "\(temporal)/local", includes: ["\(temporal)/api_upstream", "\(temporal)/google", "include"]),
    ]

    @Test(arguments: corpora) func `A descriptor set of public files equals protoc's, with positions and comments`(
        corpus: Corpus
    ) async throws {
        let root = try #require(await Protoc.folder.value)
        let folders = ([corpus.folder] + corpus.includes).map { "\(root)/\($0)" }
        let files = try Protoc.files(below: folders[0]).filter(corpus.isIncluded)
        try #require(!files.isEmpty)
        let theirs = try await Protoc.compile(files, in: folders)
        let (ours, compilation) = Protoc.compileOurselves(files, in: folders)
        let (their, our) = (try #require(theirs.set, "\(theirs.text)"), try #require(ours.set, "\(ours.text)"))
        let differences = CanonicalSet(our).differences(from: CanonicalSet(their), knowing: compilation.files)
        #expect(differences.isEmpty)
    }

    static let gogo = "usr/share/gocode/src"

    @Test(
        .enabled("the files of gogo/protobuf are not there, since Debian could not be reached") {
            await Protoc.has(gogo)
        })
    func `A descriptor set of gogo's tests equals protoc's, with the same errors at the same positions`() async throws {
        let root = try #require(await Protoc.folder.value)
        let base = "\(root)/\(Self.gogo)"
        let folders = [base, "\(base)/github.com/gogo/protobuf", "\(base)/github.com/gogo/protobuf/protobuf"]
        // Each by itself: they declare the same names many times.
        var (equal, refused) = (0, 0)
        for file in try Protoc.files(below: base).filter({ $0.hasPrefix("github.com/") }) {
            let theirs = try await Protoc.compile([file], in: folders, sourceInfo: false)
            let (ours, compilation) = Protoc.compileOurselves([file], in: folders, sourceInfo: false)
            if let their = theirs.set {
                guard let our = ours.set else {
                    Issue.record("\(file) is refused: \(ours.text)")
                    continue
                }
                let differences = CanonicalSet(our).differences(
                    from: CanonicalSet(their), knowing: compilation.files)
                #expect(differences.isEmpty)
                equal += 1
            } else {
                expectNil(ours.set, "\(file) is accepted")
                #expect(theirs.positions.isSubset(of: ours.positions), "\(theirs.text)\n\(ours.text)")
                refused += 1
            }
        }
        #expect(equal > 140)
        #expect(refused > 5)
    }
}
