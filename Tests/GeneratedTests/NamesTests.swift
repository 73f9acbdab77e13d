// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import GeneratedNames
import LatchRPC
import TestTags
import Testing

@Suite struct NamesTests {
    @Test(.tags(.nameCollisions))
    func `Generated names are keywords, members and acronyms, and can be called`() throws {
        var message = Keywords(
            self_: "1", init_: "2", class: "3", in: "4", `inout`: "5", var: "6", let: "7", func: "8", default: "9",
            nil: "10", true: "11", type: "12", protocol: "13", storage_: "14", schema: "15", hashValue_: "16",
            return: Date(timeIntervalSince1970: 1), switch: ["s"], case: "c", requires2fa: "31", userId: "32",
            avatarUrl: "33", where: .some_("x"))
        try expectRoundTrip(message)
        #expect(message.self_ == "1" && message.in == "4" && message.default == "9" && message.type == "12")
        #expect(message.requires2fa == "31" && message.userId == "32" && message.avatarUrl == "33")
        #expect(message.hasReturn && message.switch == ["s"] && message.case == "c")
        message.clearReturn()
        message.where = .is("y")
        #expect(!message.hasReturn && message.where == .is("y"))
        #expect(message.description.contains("self"))
    }

    @Test func `Generated names of enum values are cases`() {
        expectEqual(
            E.allCases,
            [
                .unspecified, .default, .self_, .init_, .type, .e2nd, .allCases_, .schema_, .nil, .unrecognized_,
            ])
        expectEqual(Same(rawValue: 1), .aSame)
    }

    @Test func `Generated names of messages can be those of Swift and of Foundation`() throws {
        var task = GeneratedNames.Task(description_: "d", error: GeneratedNames.Error(text: "t"))
        task.result = GeneratedNames.Result(
            data: GeneratedNames.Data(content: Foundation.Data([1]), parts: ["a": .init()]))
        try expectRoundTrip(task)
        try expectRoundTrip(GeneratedNames.String(value: "v", next: GeneratedNames.String(value: "w")))
        try expectRoundTrip(GeneratedNames.Date(at: Foundation.Date(timeIntervalSince1970: 1), all: []))
        try expectRoundTrip(GeneratedNames.Duration(length: .seconds(1)))
        try expectRoundTrip(GeneratedNames.Optional(value: "x", array: [GeneratedNames.Array(values: ["a"])]))
        try expectRoundTrip(GeneratedNames.Message(text: "t", json: "j", message: .init(text: "u")))
        try expectRoundTrip(Type_(type: "t", protocol: Protocol_(name: "n")))
        try expectRoundTrip(GeneratedNames.Timestamp(at: Foundation.Date(timeIntervalSince1970: 2)))
        try expectRoundTrip(Swift_(version: "6"))
        expectEqual(GeneratedNames.Message(text: "t").text, "t")
    }

    @Test func `Generated names of oneofs can be those of types`() throws {
        try expectRoundTrip(Kind(kind: .again(Kind(kind: .a("x"))), choice: .one(Kind.Choice(b: "b"))))
        expectEqual(FooBar.name, "names.v1.foo_bar")
    }
}
