// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchRPC
import Testing

@Suite struct ViolationTests {
    @Test func `A violation names its place, the broken rule, and the valid values`() throws {
        let message = Node(
            name: "a", children: [Node(name: "b"), Node(name: "")],
            named: ["x\"y": Node(name: "", next: Node(name: ""))],
            plain: Plain(inner: Other(number: 12)))
        let violations = message.violations()
        expectEqual(
            violations.map(\.description).sorted(),
            [
                "children[1].name must be at least 1 characters",
                "named[\"x\\\"y\"].name must be at least 1 characters",
                "named[\"x\\\"y\"].next.name must be at least 1 characters", "plain.inner.number must be less than 10",
            ])
        expectEqual(Set(violations.map(\.rule)), ["string.min_len", "int32.lt"])
    }

    @Test func `A violation of a zero that is set is reported, also if zeros are ignored`() throws {
        struct Item: RuledMessage {
            static let schema = MessageSchema("test.Item", "1 quantity int32 optional\n2 plain int32")
            static let rules = MessageRules("quantity ignore=zero int32.gt=0\nplain ignore=zero int32.gt=0")
            var storage: MessageStorage
        }
        try expectEqual(Item(serialized: [8, 0]).violations().map { "\($0.path) \($0.rule)" }, ["quantity int32.gt"])
        #expect(try Item(serialized: [16, 0]).violations().isEmpty)
        #expect(Item().violations().isEmpty)
    }

    @Test func `A violation is absent for a valid message`() {
        #expect(Node(name: "a").violations().isEmpty)
        #expect(Plain().violations().isEmpty)
        #expect(Node(name: "a", unchecked: Node(name: "")).violations().isEmpty)
    }

    @Test func `A violation in a map names the key`() {
        let violations = Others(f15: ["a": 9, "bc": 1]).violations().filter { $0.path.hasPrefix("f15") }
        expectEqual(
            violations.map { "\($0.path) \($0.rule) \($0.isAboutKey)" },
            [
                "f15[\"a\"] string.min_len true", "f15[\"bc\"] int32.gt false",
            ])
    }

    @Test func `A violation of a time depends on the given time`() {
        let noon = Date(timeIntervalSince1970: 1_000_000)
        let message = Timestamps(f7: noon, f8: noon, f9: noon)
        func rules(at seconds: Double) -> Set<String> {
            Set(message.violations(at: noon.addingTimeInterval(seconds)).map(\.rule))
                .intersection(["timestamp.lt_now", "timestamp.gt_now", "timestamp.within"])
        }
        #expect(rules(at: 0).isEmpty)
        expectEqual(rules(at: -1), ["timestamp.lt_now"])
        expectEqual(rules(at: 1), ["timestamp.gt_now"])
        expectEqual(rules(at: 3_601), ["timestamp.gt_now", "timestamp.within"])
    }

    @Test func `A violation never shows the value of a field`() throws {
        var message = Strings()
        message.f4 = "a secret value"
        message.f21 = "a secret value"
        message.f9 = "A SECRET VALUE"
        #expect(!message.violations().description.lowercased().contains("secret"))
    }

    @Test func `A violation is reported for unknown rules, so that nothing passes by mistake`() {
        struct Odd: RuledMessage {
            static let schema = MessageSchema("test.Odd", "1 text string")
            static let rules = MessageRules("text string.rhymes")
            var storage: MessageStorage
        }
        expectEqual(Odd().violations().map(\.rule), ["unknown"])
    }

    @Test func `A violation is found in lists of any length in proportional time`() {
        var message = Others()
        message.f11 = Array(repeating: "a", count: 100_000)
        expectEqual(message.violations().filter { $0.rule == "string.min_len" }.count, 100_000)
        #expect(Others(f9: (0..<100_000).map(String.init)).violations().allSatisfy { $0.rule != "repeated.unique" })
    }
}
