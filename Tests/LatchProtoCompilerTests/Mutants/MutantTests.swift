// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchProtoCompiler
import LatchTesting
import Testing

/// Files with words exchanged, compiled by protoc and by us.
///
/// `LATCH_DIFFERENTIAL=SEED:COUNT swift test --filter MutantTests` plays others, and says how they ended.
@Suite(.enabled(Comment(rawValue: Protoc.hint)) { await Protoc.install() })
struct MutantTests {
    private static let wish: (seed: UInt64, count: Int)? = {
        let parts = ProcessInfo.processInfo.environment["LATCH_DIFFERENTIAL"]?.split(separator: ":") ?? []
        guard parts.count == 2, let seed = UInt64(parts[0]), let count = Int(parts[1]) else { return nil }
        return (seed, count)
    }()

    static let protos = URL(filePath: #filePath).appending(path: "../../../Protos/mutants").standardized.path

    /// The import folders.
    private static func includes() async throws -> [String] {
        let root = try #require(await Protoc.folder.value)
        let temporal = "\(root)/\(CorpusTests.temporal)"
        return [
            protos, "\(root)/include", root, "\(root)/cosmospy_protobuf", "\(temporal)/api_upstream",
            "\(temporal)/protoc-gen-openapiv2", temporal, "\(temporal)/local", "\(temporal)/google",
        ]
    }

    /// Public files of a size that people write, our own with all that is new, and generated ones.
    private static func seeds() async throws -> [[UInt8]] {
        let folders = try await includes()
        var files: [[UInt8]] = []
        for folder in folders.prefix(5) {
            for name in try Protoc.files(below: folder) where folder != folders[2] || name.hasPrefix("google/") {
                files.append(Array(FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()))
            }
        }
        let own = try Protoc.files(below: protos).map { name in
            Array(FileManager.default.contents(atPath: "\(protos)/\(name)") ?? Data())
        }
        var generated: [[UInt8]] = []
        for syntax in RandomProto.Syntax.allCases {
            for seed in 0..<8 {
                var grammar = RandomProto(seed: UInt64(seed), syntax: syntax)
                generated.append(Array(grammar.text().utf8))
            }
        }
        let most = files.filter { $0.count < 25_000 }
        return most + generated + Array(repeatElement(own, count: 12).joined())
    }

    @Test func `Mutated files have the same descriptors or the same first error as with protoc`() async throws {
        let (seed, count) = Self.wish ?? (seed: 36, count: 400)
        let (seeds, includes) = (try await Self.seeds(), try await Self.includes())
        var mutation = Mutation(seed: seed, corpus: seeds.filter { $0.count < 4_000 })
        var (accepted, refused, excused) = (0, 0, [String: Int]())
        for start in stride(from: 0, to: count, by: 200) {
            let mutants = (start..<min(count, start + 200)).map { _ in mutation.spoil(mutation.pick(seeds)) }
            for verdict in try await MutantBatch.run(mutants, includes: includes) {
                if verdict.ours.set == nil { refused += 1 } else { accepted += 1 }
                guard let difference = verdict.difference else { continue }
                if let excuse = KnownDifferences.excuse(for: verdict) {
                    excused[excuse, default: 0] += 1
                    continue
                }
                let text = String(decoding: verdict.bytes, as: UTF8.self)
                Issue.record("\(difference)\n\(verdict.theirs.text)\n\(verdict.ours.text)\n\(text)")
            }
        }
        #expect(accepted > count / 10)
        #expect(refused > count / 3)
        guard Self.wish != nil else { return }
        print("seed \(seed): \(accepted) accepted, \(refused) refused by both; \(excused)")
    }

    @Test func `Mutated files are valid before the mutation, with protoc's descriptors`() async throws {
        let names = try Protoc.files(below: Self.protos)
        let includes = try await Self.includes()
        for name in names {
            let theirs = try await Protoc.compile([name], in: includes)
            let (ours, _) = Protoc.compileOurselves([name], in: includes)
            #expect(theirs.set != nil && theirs.set == ours.set, "\(name): \(theirs.text)\n\(ours.text)")
        }
    }
}
