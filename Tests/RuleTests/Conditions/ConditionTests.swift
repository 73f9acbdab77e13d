// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchRPC
import TestTags
import Testing

@Suite struct ConditionTests {
    /// A request that a rule allows, and one that it does not.
    private struct Pair {
        let right: AskRequest
        let wrong: AskRequest
    }

    private static let noon = Date(timeIntervalSince1970: 1_000_000)

    private static let pairs: [Pair] = {
        func pair(_ right: AskRequest, _ wrong: AskRequest) -> Pair { Pair(right: right, wrong: wrong) }
        let empty = AskRequest()
        return [
            pair(AskRequest(email: "a"), empty), pair(AskRequest(email: "a@b"), AskRequest(email: "ab")),
            pair(AskRequest(password: "12345678"), AskRequest(password: "1234567")),
            pair(AskRequest(password: "a", currentPassword: "b"), AskRequest(password: "a", currentPassword: "a")),
            pair(empty, AskRequest(email: "ab")), pair(empty, AskRequest(nickName: "12345")),
            pair(AskRequest(limit: 100), AskRequest(limit: 101)),
            pair(AskRequest(limit: -1, offset: .max), AskRequest(limit: 5, offset: 5)),
            pair(AskRequest(rate: 0.5), AskRequest(rate: .nan)), pair(AskRequest(limit: 3), AskRequest(limit: 2)),
            pair(AskRequest(rate: 0.3, share: 0.25), AskRequest(rate: 0.25, share: 0.25)),
            pair(AskRequest(acceptTerms: true), empty), pair(empty, AskRequest(rememberMe: true)),
            pair(AskRequest(role: .user), empty), pair(AskRequest(role: .admin), AskRequest(role: .unrecognized(2))),
            pair(AskRequest(profile: Profile(age: 18)), empty),
            pair(AskRequest(profile: Profile(twin: Profile(bio: "ab"))), AskRequest(profile: Profile(bio: "ab"))),
            pair(AskRequest(profile: Profile()), empty), pair(empty, AskRequest(profile: Profile())),
            pair(AskRequest(tags: ["a", "x"]), AskRequest(tags: ["a"])),
            pair(AskRequest(roles: [.user, .admin]), AskRequest(roles: [.user])),
            pair(AskRequest(labels: ["a": "b"]), AskRequest(labels: ["a": "b", "c": "d"])),
            pair(AskRequest(proof: Data([1, 2])), AskRequest(proof: Data([1]))),
            pair(
                AskRequest(createdAfter: noon),
                AskRequest(createdAfter: noon, createdBefore: noon)),
            pair(AskRequest(least: .seconds(2)), AskRequest(least: .seconds(2), most: .seconds(1))),
            pair(AskRequest(contact: .phone("123")), AskRequest(contact: .phone("12a"))),
            pair(AskRequest(contact: .room(4)), AskRequest(contact: .phone("4"))),
            pair(AskRequest(contact: .person(Profile())), AskRequest(contact: .room(1))),
            pair(AskRequest(profile: Profile(born: noon)), AskRequest(profile: Profile())),
            pair(AskRequest(class: "xyz"), empty), pair(AskRequest(email: "a@b"), AskRequest(email: "a@b c")),
            pair(AskRequest(nickName: "Jo"), empty), pair(empty, AskRequest(seal: Data([1]))),
            pair(AskRequest(secondRole: .user), empty), pair(AskRequest(tags: ["a"]), empty),
            pair(AskRequest(email: "a", limit: 1), AskRequest(email: "a")),
            pair(AskRequest(rememberMe: true, profile: Profile()), AskRequest(profile: Profile())),
        ]
    }()

    @Test(.tags(.validationRules))
    func `A rule of a method accepts the valid request and rejects the invalid one as Swift does`() {
        #expect(Self.pairs.count == conditions.count && conditions.count == ConditionsProto.rules.count)
        for (index, (pair, condition)) in zip(Self.pairs, conditions).enumerated() {
            #expect(condition(pair.right), "\(ConditionsProto.rules[index])")
            #expect(!condition(pair.wrong), "\(ConditionsProto.rules[index])")
        }
    }

    @Test func `A rule of a method is generated as it is committed`() throws {
        let committed = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Generated/conditions.latch.swift")
        let text = try ConditionsProto.generate()
        if ProcessInfo.processInfo.environment["LATCH_REGENERATE"] != nil {
            try Data(text.utf8).write(to: committed)
        }
        expectEqual(String(decoding: try Data(contentsOf: committed), as: UTF8.self), text)
    }
}
