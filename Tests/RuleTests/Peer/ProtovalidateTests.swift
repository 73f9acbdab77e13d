// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import LatchTesting
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

@Suite struct ProtovalidateTests {
    private static let types: [any RuledMessage.Type] = [
        Strings.self, Bytes.self, Others.self, Durations.self, Timestamps.self, Known.self, Presence.self,
        Exclusive.self, Other.self, Plain.self, Node.self, Floats.self, Doubles.self, Int32s.self, Int64s.self,
        Uint32s.self, Uint64s.self, Sint32s.self, Sint64s.self, Fixed32s.self, Fixed64s.self, Sfixed32s.self,
        Sfixed64s.self,
    ]

    @Test(.enabled(Comment(rawValue: Protovalidate.hint)) { await Protovalidate.install() })
    func `Violations of random messages equal protovalidate's`() async throws {
        var random = RandomMessage(seed: 20_261_120)
        var messages: [(name: String, bytes: [UInt8])] = []
        var found: [[Protovalidate.Finding]] = []
        for type in Self.types {
            for _ in 0..<(type == Strings.self ? 1_500 : 150) {
                let storage = random.make(type.schema)
                messages.append((type.schema.name, storage.serialized()))
                found.append(Self.findings(type, storage))
            }
        }
        let expected = try await Protovalidate.findings(in: messages)
        try #require(expected.count == messages.count)
        var kinds: Set<String> = []
        for (index, message) in messages.enumerated() {
            guard let theirs = expected[index] else {
                Issue.record("protovalidate cannot judge \(message)")
                continue
            }
            let ours = found[index].sorted()
            kinds.formUnion(ours.map(\.rule))
            expectEqual(ours, theirs.sorted(), "\(message.name): \(Set(ours).symmetricDifference(theirs))")
        }
        // Every rule was broken at least once.
        #expect(kinds.count > 280, "\(kinds.count)")
    }

    private static func findings<Type: RuledMessage>(_ type: Type.Type, _ storage: MessageStorage) -> [Protovalidate
        .Finding]
    {
        Type(storage: storage).violations().map(Protovalidate.Finding.init)
    }
}

@Suite struct OptionNameTests {
    @Test(.enabled(Comment(rawValue: Protovalidate.hint)) { await Protovalidate.install() })
    func `The names and numbers of the options are protovalidate's`() async throws {
        let theirs = Set(try await Protovalidate.run("options.py", []).split(separator: "\n").map(String.init))
        let compilation = compile(CheckedProto.text)
        let file = try #require(compilation.files.first { $0.name == "buf/validate/validate.proto" })
        let ours = file.messages.flatMap { message in
            message.fields.map { "\(message.name) \($0.name) \($0.number)" }
        }
        #expect(ours.count > 200)
        #expect(Set(ours).subtracting(theirs).isEmpty)
        // What we do not state rules with: examples, predefined rules, and what violations look like.
        let others = ["example", "cel"]
        let missing = theirs.subtracting(ours).filter { line in
            let words = line.split(separator: " ")
            return words[0].hasSuffix("Rules") && words[0] != "PredefinedRules" && !others.contains(String(words[1]))
        }
        #expect(missing.isEmpty)
    }
}
