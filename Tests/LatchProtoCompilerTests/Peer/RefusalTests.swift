// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import LatchTesting
import Testing

/// Files with a changed word, compiled by protoc and by this compiler.
@Suite(.enabled(Comment(rawValue: Protoc.hint)) { await Protoc.install() })
struct RefusalTests {
    @Test func `A file with an error is rejected if protoc rejects it, and accepted otherwise`() async throws {
        var random = SplitMix64(state: 36_2)
        var (accepted, refused) = (0, 0)
        try await withTemporaryFolder { folder in
            for round in 0..<120 {
                let syntax = round % 3
                var grammar = RandomProto(seed: UInt64(round % 12), syntax: RandomProto.Syntax.allCases[syntax])
                let text = Self.spoil(grammar.text(), &random)
                try Array(text.utf8).write(toFile: "\(folder)/m.proto")
                let theirs = try await Protoc.compile(["m.proto"], in: [folder], sourceInfo: false)
                let ours = Protoc.compileOurselves(["m.proto"], in: [folder], sourceInfo: false).result
                expectEqual(ours.set == nil, theirs.set == nil, "\(theirs.text)\n\(ours.text)\n\(text)")
                if theirs.set == nil { refused += 1 } else { accepted += 1 }
                // After the first error a compiler guesses how to continue; both report the first one.
                guard theirs.set == nil, let first = theirs.positions.min(by: Self.isBefore) else { continue }
                #expect(ours.positions.contains(first), "\(theirs.text)\n\(ours.text)\n\(text)")
            }
        }
        #expect(accepted > 5)
        #expect(refused > 60)
    }

    private static func isBefore(_ one: String, _ other: String) -> Bool {
        func position(_ text: String) -> [Int] { text.split(separator: ":").dropFirst().compactMap { Int($0) } }
        return position(one).lexicographicallyPrecedes(position(other))
    }

    /// A text with a removed, doubled or replaced word.
    private static func spoil(_ text: String, _ random: inout SplitMix64) -> String {
        var words = words(of: text)
        let marked = words.indices.filter { !words[$0].allSatisfy(\.isWhitespace) }
        let position = random.pick(marked)
        switch random.below(20) {
        case 0..<7: words[position] = ""
        case 7..<12: words[position] += " \(words[position])"
        case 12..<17: words[position] = random.pick(others)
        default: words[position] = words[random.pick(marked)]
        }
        return words.joined()
    }

    private static func words(of text: String) -> [String] {
        var (words, word, isQuoted) = ([String](), "", false)
        for character in text {
            if isQuoted {
                word.append(character)
                isQuoted = character != "\""
                if !isQuoted {
                    words.append(word)
                    word = ""
                }
            } else if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                if !word.isEmpty { words.append(word) }
                word = ""
                isQuoted = character == "\""
                if isQuoted { word = "\"" } else { words.append(String(character)) }
            }
        }
        return words + (word.isEmpty ? [] : [word])
    }

    private static let others = [
        "int32", "string", "message", "enum", "repeated", "optional", "required", "oneof", "map", "<", ">", "{", "}",
        "[", "]", "(", ")", ";", "=", "0", "-1", "1", "536870912", "19000", "extensions", "reserved", "to", "max",
        "\"x\"", "true", "group", "option", "import", "package", ".", ",", "rpc", "stream", "default", "json_name",
        "extend", "syntax", "edition", "1.5", "0x", "08", "'", "packed", "deprecated", "service", "returns", "weak",
        "public",
    ]
}
