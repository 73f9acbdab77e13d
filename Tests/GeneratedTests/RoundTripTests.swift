// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import GeneratedModels
import LatchRPC
import TestTags
import Testing

/// Says that a message is the same after it went over the wire, in JSON and as text.
func expectRoundTrip<Value: LatchRPC.Message>(_ message: Value, _ place: SourceLocation = #_sourceLocation) throws {
    try expectEqual(Value(serialized: message.serialized()), message, sourceLocation: place)
    try expectEqual(Value(json: message.json()), message, sourceLocation: place)
    try expectEqual(Value(text: message.text()), message, sourceLocation: place)
}

@Suite struct RoundTripTests {
    private let scalars = Scalars(
        aDouble: -1.5, aFloat: .infinity, anInt32: .min, anInt64: .min, aUint32: .max, aUint64: .max, aSint32: -7,
        aSint64: .max, aFixed32: 1, aFixed64: .max, aSfixed32: -1, aSfixed64: .min, aBool: true, aString: "é\n",
        someBytes: Data([0, 255]), aColor: .deepBlue, last: "z")

    @Test func `Generated messages keep scalars of all types`() throws {
        try expectRoundTrip(scalars)
        expectEqual(scalars.aUint64, 18_446_744_073_709_551_615)
        expectEqual(scalars.aFloat, .infinity)
        expectEqual(scalars.aColor.rawValue, 3)
        try expectEqual(Scalars(anInt32: 150).serialized(), [0x18, 0x96, 0x01])
        try expectEqual(Scalars(last: "z").serialized(), [0xFA, 0xFF, 0xFF, 0xFF, 0x0F, 1, 0x7A])
    }

    @Test func `Generated messages write nothing for unset fields, and zero for fields set to zero`() throws {
        try expectEqual(Scalars().serialized(), [])
        try expectEqual(Scalars(aDouble: 0, aString: "", aColor: .unspecified).serialized(), [])
        try expectEqual(Optionals(aString: "").serialized(), [0x72, 0x00])
        try expectEqual(Optionals(aColor: .unspecified).serialized(), [0x80, 0x01, 0x00])
    }

    @Test func `Generated messages keep optional fields`() throws {
        var message = Optionals(
            aDouble: 0, aFloat: 0, anInt32: 0, anInt64: 0, aUint32: 0, aUint64: 0, aSint32: 0, aFixed64: 0,
            aBool: false,
            aString: "", someBytes: Data(), aColor: .unspecified, scalars: Scalars(),
            at: Date(timeIntervalSince1970: 0), length: .zero)
        try expectRoundTrip(message)
        #expect(message.aBool == false && message.scalars == Scalars() && message.length == .zero)
        message.aBool = nil
        message.scalars = nil
        message.at = nil
        #expect(message.aBool == nil && message.scalars == nil && message.at == nil)
        #expect(Optionals().aString == nil && Optionals().aColor == nil && Optionals().length == nil)
    }

    @Test func `Generated messages keep lists, and change them in place`() throws {
        let message = Lists(
            doubles: [1, -2.5], floats: [0.5], int32s: [-1, 0, 1], int64s: [.min], uint32s: [.max], uint64s: [.max],
            sint32s: [-1], sint64s: [-1], fixed32s: [1], fixed64s: [1], sfixed32s: [-1], sfixed64s: [-1],
            bools: [true, false], strings: ["", "a"], datas: [Data(), Data([1])], colors: [.red, .negative, .last],
            scalars: [scalars, Scalars()], dates: [Date(timeIntervalSince1970: 1.5)], durations: [.milliseconds(-1)],
            expanded: [1, 2])
        try expectRoundTrip(message)
        try expectEqual(Lists(int32s: [1, 2]).serialized(), [0x1A, 2, 1, 2])
        try expectEqual(Lists(expanded: [1, 2]).serialized(), [0xA0, 1, 1, 0xA0, 1, 2])
        var other = message
        other.strings.append("b")
        other.scalars[1].aString = "changed"
        #expect(other.strings == ["", "a", "b"] && message.strings == ["", "a"])
        expectEqual(other.scalars.map(\.aString), ["é\n", "changed"])
    }

    @Test func `Generated messages keep maps of all keys and values`() throws {
        var message = Maps(
            byInt32: [-1: "a"], byInt64: [.min: .max], byUint32: [.max: .max], byUint64: [1: 0.5], bySint32: [-1: 2.5],
            bySint64: [-1: true], byFixed32: [1: Data([1])], byFixed64: [1: .red, 2: .unrecognized(77)],
            bySfixed32: [-1: scalars], bySfixed64: [1: Date(timeIntervalSince1970: 5)], byBool: [true: .seconds(1)],
            byString: ["": Maps(byInt32: [1: ""])])
        try expectRoundTrip(message)
        message.byInt32[2] = "b"
        message.byInt32[-1] = nil
        expectEqual(message.byInt32, [2: "b"])
    }

    @Test func `Generated messages keep one field of a oneof`() throws {
        let all: [Choices.Contact] = [
            .email(""), .phone("1"), .color(.unspecified), .scalars(scalars), .at(Date(timeIntervalSince1970: 1)),
            .after(.seconds(2)), .raw(Data([1])), .none_(false),
        ]
        for one in all {
            let message = Choices(contact: one, between: "x", other: .number(0))
            try expectRoundTrip(message)
            expectEqual(message.contact, one)
        }
        var message = Choices(contact: .email("a"))
        message.contact = .phone("b")
        try expectEqual(message.serialized(), [0x12, 1, 0x62])
        message.contact = nil
        try expectEqual(message.serialized(), [])
        expectNil(message.other)
    }

    @Test func `Generated messages hold well-known types`() throws {
        var message = WellKnown(
            at: Date(timeIntervalSince1970: 1_700_000_000.25), length: .milliseconds(1500), nothing: .nullValue,
            mask: FieldMask(paths: ["a.b"]), text: StringValue(""), flag: BoolValue(true),
            number: Int64Value(.max))
        try expectRoundTrip(message)
        #expect(message.hasAt && message.hasLength)
        message.clearAt()
        #expect(!message.hasAt && message.at == Date(timeIntervalSince1970: 0))
        try expectEqual(WellKnown(text: StringValue("x")).json(), #"{"text":"x"}"#)
    }

    @Test func `Generated messages nest in each other`() throws {
        var message = Outer(inners: [Outer.Middle.Inner(name: "a")], level: .high)
        message.middle = Outer.Middle(inner: Outer.Middle.Inner(name: "b", back: message), level: .high)
        message.next = Outer(next: Outer())
        try expectRoundTrip(message)
        expectEqual(message.middle?.inner?.back?.level, .high)
    }

    @Test func `Generated messages without fields are equal, and keep unknown fields`() throws {
        expectEqual(Nothing(), Nothing())
        let unknown = try Nothing(serialized: [0x08, 0x01])
        expectNotEqual(unknown, Nothing())
        try expectEqual(unknown.serialized(), [0x08, 0x01])
    }

    @Test(.tags(.actionRedaction)) func `Generated messages never show a secret`() {
        let secrets = Secrets(
            name: "shown-name", password: "hidden-1", accessToken: "hidden-2", code: "hidden-3",
            recoveryCodes: ["hidden-4"],
            apiKey: Data("hidden-5".utf8), passwordLength: 12, requiresToken: true, nextPageToken: "shown-page",
            token: "shown-token")
        for text in ["\(secrets)", String(reflecting: secrets), "\([secrets])"] {
            #expect(!text.contains("hidden"))
            #expect(text.contains("shown-name") && text.contains("shown-page") && text.contains("shown-token"))
            #expect(text.contains("12"))
        }
    }

    @Test func `Generated messages have the names of JSON that their files say`() throws {
        try expectEqual(
            Spelled(urlOfPage: "u", fooBar: "f", leading: "l").json(), #"{"pageURL":"u","FooBar":"f","Leading":"l"}"#)
    }

    @Test func `Generated messages keep numbers of enums that the file does not name`() throws {
        let message = try Scalars(serialized: [0x80, 0x01, 0x63])
        expectEqual(message.aColor, .unrecognized(99))
        #expect(Color(rawValue: 2) == .green && Color.verdant == .green)
        expectEqual(Color.allCases.map(\.rawValue), [0, 1, 2, 3, -1, 2_147_483_647])
        expectEqual(Color.unrecognized(1), .red)
    }

    @Test func `Generated messages with a prefix and for one module only are different types`() throws {
        let message = OwnScalars(aString: "x", aColor: .red)
        try expectRoundTrip(message)
        try expectEqual(Scalars(serialized: message.serialized()).aColor, .red)
        expectEqual(OwnScalars.name, Scalars.name)
    }
}
