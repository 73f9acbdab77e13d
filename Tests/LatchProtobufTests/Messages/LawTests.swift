// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import TestVectors
import Testing

@testable import LatchProtobuf

/// The laws of all messages, tried with random ones; a failure names its seed.
@Suite struct LawTests {
    private func bytes(_ message: some Message) throws -> [UInt8] { try message.serialized(deterministic: true) }

    private func forEachPair<Value: Message>(
        of type: Value.Type, hasOddFloats: Bool, _ body: (Value, Value, UInt64) throws -> Void
    ) throws {
        for seed in UInt64(1)...10 {
            var random = RandomMessage(seed: seed, hasOddFloats: hasOddFloats)
            try body(try random.make(Value.self, depth: 2), try random.make(Value.self, depth: 2), seed)
        }
    }

    private func forEachPair(
        hasOddFloats: Bool = true, _ body: (any Message, any Message, UInt64) throws -> Void
    ) throws {
        try forEachPair(of: TestAllTypesProto3.self, hasOddFloats: hasOddFloats) { try body($0, $1, $2) }
        try forEachPair(of: TestAllTypesProto2.self, hasOddFloats: hasOddFloats) { try body($0, $1, $2) }
        try forEachPair(of: TestAllTypesEdition2023.self, hasOddFloats: hasOddFloats) { try body($0, $1, $2) }
    }

    private func checkMerge<Value: Message>(_ one: Value, _ other: Value, _ seed: UInt64) throws {
        let (first, second) = (try one.serialized(), try other.serialized())
        let whole = try Value(serialized: first + second)
        var merged = one
        try merged.merge(serialized: second)
        try expectEqual(bytes(whole), bytes(merged), "seed \(seed)")
        // Nothing changes by nothing, and the other message is as it was.
        var same = one
        try same.merge(serialized: [])
        try expectEqual(bytes(same), bytes(one), "seed \(seed)")
        var none = Value()
        try none.merge(serialized: first)
        try expectEqual(bytes(none), bytes(one), "seed \(seed)")
        // In whatever way three are put together.
        var left = merged
        try left.merge(serialized: first)
        var right = one
        try right.merge(serialized: second + first)
        try expectEqual(bytes(left), bytes(right), "seed \(seed)")
        try expectEqual(bytes(left), bytes(Value(serialized: first + second + first)), "seed \(seed)")
    }

    @Test func `Concatenated encodings decode to the merged message`() throws {
        try forEachPair { one, other, seed in
            func open<Value: Message>(_ one: Value) throws {
                try checkMerge(one, try #require(other as? Value), seed)
            }
            try open(one)
        }
    }

    @Test func `A decoded message is equal and has the same hash`() throws {
        try forEachPair(hasOddFloats: false) { one, other, seed in
            func open<Value: Message>(_ one: Value) throws {
                let other = try #require(other as? Value)
                let back = try Value(serialized: one.serialized())
                #expect(one == one && back == back, "seed \(seed)")
                expectEqual(one == other, other == one, "seed \(seed)")
                #expect(back == one && one == back && back.hashValue == one.hashValue, "seed \(seed)")
                expectEqual(Set([one, back, one]).count, 1, "seed \(seed)")
                try expectEqual(one == other, bytes(one) == bytes(other), "seed \(seed)")
                let json = try Value(
                    json: one.jsonBytes(JSONEncodingOptions(types: LatchConformanceTestee.types)),
                    options: JSONDecodingOptions(types: LatchConformanceTestee.types))
                #expect(json == one && json.hashValue == one.hashValue, "seed \(seed)")
            }
            try open(one)
        }
    }

    @Test func `The order of different fields in an encoding does not matter`() throws {
        try forEachPair { one, _, seed in
            func open<Value: Message>(_ one: Value) throws {
                let fields = try Self.fields(of: one.serialized())
                let reversed = Dictionary(grouping: fields, by: \.number).sorted { $0.key > $1.key }
                let again = try Value(serialized: reversed.flatMap { $0.value.flatMap(\.bytes) })
                try expectEqual(bytes(again), bytes(one), "seed \(seed)")
            }
            try open(one)
        }
    }

    @Test func `A type without the fields preserves them as unknown fields`() throws {
        try forEachPair { one, other, seed in
            func open<Value: Message>(_ one: Value) throws {
                let sent = try one.serialized()
                var stranger = try Empty(serialized: sent)
                expectEqual(stranger.unknownFields.bytes, sent, "seed \(seed)")
                try expectEqual(stranger.serialized(), sent, "seed \(seed)")
                try stranger.merge(serialized: try other.serialized())
                var merged = one
                try merged.merge(serialized: other.serialized())
                try expectEqual(bytes(Value(serialized: stranger.serialized())), bytes(merged), "seed \(seed)")
                // Unknown to the message inside of another one too.
                try expectEqual(Empty(serialized: sent), Empty(serialized: sent), "seed \(seed)")
                stranger.unknownFields.removeAll()
                expectEqual(stranger, Empty(), "seed \(seed)")
            }
            try open(one)
        }
    }

    @Test func `Changing a copy does not change the original message`() throws {
        try forEachPair { one, other, seed in
            func open<Value: Message>(_ one: Value) throws {
                let before = try bytes(one)
                var copy = one
                try copy.merge(serialized: other.serialized())
                for slot in Value.schema.fields.map(\.slot) where slot.isMultiple(of: 2) { copy.storage.clear(slot) }
                try expectEqual(bytes(one), before, "seed \(seed)")
                for slot in Value.schema.fields.map(\.slot) { copy.storage.clear(slot) }
                copy.unknownFields.removeAll()
                #expect(copy == Value() && copy.hashValue == Value().hashValue, "seed \(seed)")
                try expectEqual(bytes(one), before, "seed \(seed)")
            }
            try open(one)
        }
    }

    @Test func `Each prefix of an encoding is rejected or decodes`() throws {
        var random = RandomMessage(seed: 3)
        let sent = try random.make(TestAllTypesProto2.self, depth: 2).serialized()
        let starts = Set(try Self.fields(of: sent).reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.bytes.count) })
        for end in stride(from: 0, to: sent.count, by: 2) {
            do throws(ProtoError) {
                _ = try TestAllTypesProto2(serialized: Array(sent[..<end]))
                // It is whole between two fields alone.
                #expect(starts.contains(end))
            } catch {
                expectEqual(error, .truncated)
                #expect(!starts.contains(end))
            }
        }
    }

    /// The fields of a message as they stand in its bytes.
    private static func fields(of bytes: [UInt8]) throws -> [(number: UInt32, bytes: [UInt8])] {
        try bytes.withUnsafeBufferPointer { buffer in
            var decoder = BinaryDecoder(buffer, depth: 100, extensions: [])
            var fields: [(number: UInt32, bytes: [UInt8])] = []
            while decoder.at < decoder.end {
                let start = decoder.at
                let tag = try decoder.tag()
                try decoder.skip(tag)
                fields.append((tag >> 3, Array(UnsafeBufferPointer(start: start, count: decoder.at - start))))
            }
            return fields
        }
    }
}
