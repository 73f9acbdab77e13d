// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import GeneratedModels
import LatchRPC
import Testing

@Suite struct OlderKindsTests {
    @Test func `Generated messages of proto2 and editions have the defaults of their files`() throws {
        var message = Defaults()
        #expect(message.aDouble == 1.5 && message.infinite == -.infinity && message.notANumber.isNaN)
        #expect(message.anInt32 == -7 && message.anInt64 == .min && message.aUint64 == .max && message.aBool)
        expectEqual(message.aString, "a \"quoted\"\n\ttext \\ with é")
        expectEqual(message.someBytes, Data([0, 1, 255, 0x22, 0x78]))
        #expect(message.size == .large && message.first == nil && message.without == nil && message.empty == "")
        #expect(!message.hasABool && !message.hasSize && !message.hasEmpty)
        try expectEqual(message.serialized(), [])
        message.aBool = false
        message.aString = ""
        #expect(message.hasABool && !message.aBool && message.hasAString && message.aString == "")
        try expectRoundTrip(message)
        message.clearABool()
        #expect(message.aBool && !message.hasABool)
    }

    @Test func `Generated messages of proto2 and editions fail without the required fields`() throws {
        #expect(throws: ProtoError.self) { try Labels(name: "a", number: 1).serialized() }
        #expect(throws: ProtoError.self) { try Labels(serialized: [0x0A, 0x00]) }
        let message = Labels(
            name: "", number: 0, defaults: Defaults(), note: "", expanded: [1], packed: [1, 2],
            at: Date(timeIntervalSince1970: 3),
            sizes: [.small, .large], byName: ["a": Labels(name: "b", number: 1, defaults: Defaults())])
        try expectRoundTrip(message)
        #expect(message.isInitialized && !Labels().isInitialized)
        #expect(Labels().at == nil && message.at == Date(timeIntervalSince1970: 3))
    }

    @Test
    func `Generated messages of proto2 and editions name a string that is not UTF-8 when they refuse it`() throws {
        func error(_ read: () throws(ProtoError) -> Void) -> String? {
            do throws(ProtoError) { try read() } catch { return error == .invalidText ? error.message : nil }
            return nil
        }
        for bytes in [[0x22, 2, 0x61, 0xFF], [0x22, 3, 0xE2, 0x82, 0x20]] as [[UInt8]] {
            let note = error { () throws(ProtoError) in _ = try Labels(serialized: bytes) }
            expectEqual(note?.contains("Labels.note"), true, "\(note ?? "none")")
        }
        // The key of an entry, a string in a group, and a feature of editions.
        let key = error { () throws(ProtoError) in _ = try Labels(serialized: [0x4A, 4, 0x0A, 2, 0x61, 0xFF]) }
        expectEqual(key?.contains("Labels.by_name"), true, "\(key ?? "none")")
        let inner = error { () throws(ProtoError) in _ = try Groups(serialized: [0x0B, 0x0A, 2, 0x61, 0xFF, 0x0C]) }
        expectEqual(inner?.contains("Groups.part.name"), true, "\(inner ?? "none")")
        let feature = error { () throws(ProtoError) in _ = try Featured(serialized: [0x42, 1, 0x80]) }
        expectEqual(feature?.contains("Featured.unchecked"), true, "\(feature ?? "none")")
        try expectEqual(Defaults(serialized: [0x4A, 1, 0xFF]).someBytes, Data([0xFF]))
        try expectEqual(Defaults(serialized: [0x5A, 3, 0xEF, 0xBF, 0xBD]).without, "\u{FFFD}")
    }

    @Test func `Generated messages of proto2 and editions have groups, between their tags`() throws {
        let message = Groups(
            part: Groups.Part(name: "n", piece: [Groups.Part.Piece(number: 1), Groups.Part.Piece()]),
            row: [Groups.Row(text: "t")], either: .left(Groups.Left(a: "a")))
        try expectRoundTrip(message)
        try expectEqual(Groups(part: Groups.Part(name: "n")).serialized(), [0x0B, 0x0A, 1, 0x6E, 0x0C])
        expectEqual(message.either, .left(Groups.Left(a: "a")))
    }

    @Test func `Generated messages of proto2 and editions keep unknown numbers out of a closed enum`() throws {
        let message = try Labels(
            serialized: Labels(name: "", number: 0, defaults: Defaults()).serialized() + [0x40, 9])
        expectEqual(message.sizes, [])
        #expect(!message.unknownFields.isEmpty)
        expectNil(Size(rawValue: 9))
        expectEqual(Size.allCases, [.small, .large])
    }

    @Test func `Generated messages of proto2 and editions take extensions of all types`() throws {
        var message = Extended(name: "a")
        #expect(message[OlderKindsExtensions.nick] == nil && message[OlderKindsExtensions.size] == .large)
        message[OlderKindsExtensions.nick] = "n"
        message[OlderKindsExtensions.numbers] = [1, 2]
        message[OlderKindsExtensions.packedNumbers] = [1, 2]
        message[OlderKindsExtensions.details] = Defaults(anInt32: 5)
        message[OlderKindsExtensions.size] = .small
        message[OlderKindsExtensions.seenAt] = Date(timeIntervalSince1970: 9)
        message[OlderKindsExtensions.line] = [Line(text: "l")]
        message[OlderKindsExtensions.apiKey] = "hidden"
        message[Holder.Extensions.holder] = Holder(value: "h")
        message[Holder.Extensions.`in`] = true
        #expect(!"\(message)".contains("hidden"))
        let bytes = try message.serialized()
        var known = OlderKindsExtensions.all
        for field in [Holder.Extensions.holder as any ExtensionField, Holder.Extensions.in] { known.insert(field) }
        let read = try Extended(serialized: bytes, extensions: known)
        expectEqual(read, message)
        expectEqual(read[OlderKindsExtensions.numbers], [1, 2])
        expectEqual(read[Holder.Extensions.holder]?.value, "h")
        // Without knowing them, nothing is lost.
        try expectEqual(Extended(serialized: Extended(serialized: bytes).serialized(), extensions: known), message)
    }

    @Test func `Generated messages of proto2 and editions follow the features of their fields`() throws {
        var message = Featured(
            explicit: "", implicit: "i", needed: "n", plain: Featured.Part(number: 1),
            delimited: Featured.Part(number: 2),
            packed: [1, 2], expanded: [1, 2], unchecked: "u", closed: .a, open: .unrecognized(9),
            at: Date(timeIntervalSince1970: 1), parts: ["a": Featured.Part(number: 3)])
        try expectRoundTrip(message)
        #expect(message.explicit == "" && message.withDefault == 42 && !message.hasWithDefault)
        try expectEqual(Featured.Part(number: 0).serialized(), [])
        message = Featured(needed: "", delimited: Featured.Part(number: 2))
        try expectEqual(message.serialized(), [0x1A, 0, 0x2B, 0x08, 2, 0x2C])
        #expect(throws: ProtoError.self) { try Featured().serialized() }
        #expect(throws: ProtoError.self) { try Featured(serialized: [0x1A, 0, 0x0A, 1, 0xFF]) }
    }
}
