// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

extension IdentityConfiguration {
    fileprivate static func nodes(_ count: Int) -> IdentityConfiguration {
        var configuration = IdentityConfiguration()
        configuration.nodes = count
        return configuration
    }
}

@Suite struct LoginLimitTests {
    private func logIn(
        _ site: Site, _ email: String = "ada@example.com", password: String = "wrong", from address: String
    ) async throws -> Response {
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:8080", path: "/api/auth/clients/login",
            fields: [.contentType: "application/json", "X-Forwarded-For": "203.0.113.\(Int.random(in: 1...250))"],
            body: HTTPBody(JSONValue.object(["email": .string(email), "password": .string(password)]).serialized()))
        request.context[RemoteAddress.self] = address
        return Response(try await site.identity.handler.respond(to: request))
    }

    @Test(.tags(.backendContract), arguments: Way.allCases)
    func `The configured number of wrong passwords locks out, and the response says for how long`(way: Way) async throws
    {
        let site = try await Site(way) { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        for _ in 0..<3 { try await expectEqual(site.logIn(password: "wrong").status, 401) }
        let refused = try await site.logIn()
        expectEqual(refused.status, 429)
        expectEqual(refused.field(.retryAfter), "20")
        expectEqual(refused.field("RateLimit-Policy"), #""login";q=3;w=60"#)
        expectEqual(refused.field("RateLimit"), #""login";r=0;t=20"#)
        #expect(refused.message != nil)
        expectNil(refused.field(.setCookie))
        site.clock.advance(by: 20)
        try await expectEqual(site.logIn().status, 200)
        try await expectEqual(site.metric(#"latch_logins_total{result="limited"}"#), 1)
        try await expectEqual(site.metric(#"latch_logins_total{result="failure"}"#), 3)
        await site.close()
    }

    @Test(arguments: [(10, 3, 4), (9, 3, 3), (2, 3, 1)])
    func `Each node counts wrong passwords against its own share, rounded up`(
        limit: Int, nodes: Int, share: Int
    ) async throws {
        let site = try await Site { ($0.loginLimitPerMinute, $0.nodes) = (limit, nodes) }
        try await site.signUp()
        for _ in 0..<share { try await expectEqual(site.logIn(password: "wrong").status, 401) }
        let refused = try await site.logIn()
        expectEqual(refused.status, 429)
        expectEqual(refused.field("RateLimit-Policy"), "\"login\";q=\(share);w=60")
        await site.close()
    }

    @Test func `The nodes share every rate limit`() {
        let (one, four) = (
            RateLimits(IdentityConfiguration(), limiter: AttemptLimiter(), clock: .system),
            IdentityConfiguration.nodes(4)
        )
        let capacities = { (limits: RateLimits) in
            Mirror(reflecting: limits).children.compactMap { $0.value as? AttemptLimiter.Limit }
        }
        let (all, shares) = (capacities(one), capacities(RateLimits(four, limiter: AttemptLimiter(), clock: .system)))
        // The counters and the clock are the two other properties.
        #expect(all.count == Mirror(reflecting: one).children.count - 2 && all.count > 20)
        for (whole, share) in zip(all, shares) {
            #expect(share.name == whole.name && share.window == whole.window)
            expectEqual(share.capacity, (whole.capacity + 3) / 4, "\(whole.name)")
        }
    }

    @Test(.tags(.accountEnumeration))
    func `Wrong passwords lock out an address without an account in the same way`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        for email in ["ada@example.com", "nobody@example.com"] {
            for _ in 0..<3 { try await expectEqual(site.logIn(email, password: "wrong").status, 401) }
        }
        let (known, unknown) = (try await site.logIn(), try await site.logIn("nobody@example.com"))
        expectEqual(known.status, 429)
        expectEqual(unknown.status, 429)
        expectEqual(known.response.body, unknown.response.body)
    }

    @Test(.tags(.lockoutDenial))
    func `A stranger's wrong passwords do not lock out the owner elsewhere`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        for _ in 0..<5 { _ = try await logIn(site, from: "192.0.2.1") }
        try await expectEqual(logIn(site, password: Site.password, from: "192.0.2.1").status, 429)
        try await expectEqual(logIn(site, password: Site.password, from: "198.51.100.7").status, 200)
    }

    @Test(.tags(.loginLimits))
    func `A claimed X-Forwarded-For does not reset the count of wrong passwords`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try await logIn(site, from: "192.0.2.1").status) }
        expectEqual(statuses, [401, 401, 401, 429, 429, 429])
    }

    @Test(.tags(.loginLimits)) func `Wrong passwords from many places are limited by account`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        var statuses: [Int] = []
        for number in 0..<40 { statuses.append(try await logIn(site, from: "192.0.\(number).1").status) }
        #expect(statuses.prefix(30).allSatisfy { $0 == 401 })
        #expect(statuses.dropFirst(30).allSatisfy { $0 == 429 })
    }

    @Test(.tags(.lockoutDenial), arguments: ["2001:db8:0:%x::1", "192.0.2.%d"])
    func `Wrong passwords from one wider network do not use up the account's attempts`(format: String)
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        var statuses: [Int] = []
        for number in 1...40 {
            statuses.append(try await logIn(site, from: String(format: format, number)).status)
        }
        expectEqual(statuses, Array(repeating: 401, count: 6) + Array(repeating: 429, count: 34))
        try await expectEqual(logIn(site, password: Site.password, from: "198.51.100.7").status, 200)
        await site.close()
    }

    @Test(.tags(.lockoutDenial))
    func `While strangers guess from many places, the owner can sign in from a known device`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        try await expectEqual(logIn(site, password: Site.password, from: "198.51.100.7").status, 200)
        for number in 0..<40 { _ = try await logIn(site, from: "192.0.\(number).1") }
        // The account's own limit is used up for everybody else, the right password included.
        try await expectEqual(logIn(site, password: Site.password, from: "192.1.0.99").status, 429)
        let back = try await logIn(site, password: Site.password, from: "198.51.100.7")
        expectEqual(back.status, 200)
        // The tight limit still holds there, and a place whose devices have signed out is like any other.
        let guesses = try await [logIn(site, from: "198.51.100.7"), logIn(site, from: "198.51.100.7")].map(\.status)
        expectEqual(guesses, [401, 401])
        try await expectEqual(logIn(site, from: "198.51.100.7").status, 401)
        try await expectEqual(logIn(site, from: "198.51.100.7").status, 429)
        site.clock.advance(by: 60)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.administration.endSessions(of: account.id, by: nil)
        for number in 0..<40 { _ = try await logIn(site, from: "192.0.\(number).1") }
        try await expectEqual(logIn(site, password: Site.password, from: "198.51.100.7").status, 429)
    }

    /// The network of a device of the owner, guesses, a place without such a device, and where the owner logs in.
    static let neighbours: [(known: String, guesses: [String], stranger: String, owner: String)] = [
        ("198.51.100.7", (100..<160).map { "198.51.100.\($0)" }, "198.51.100.99", "198.51.100.7"),
        // Another address of the same IPv6 network.
        ("2001:db8:1:2::7", (0..<40).map { "192.0.\($0).1" }, "2001:db8:9:2::7", "2001:db8:1:2:aaaa::9"),
    ]

    @Test(.tags(.lockoutDenial), arguments: neighbours)
    func `While neighbors and strangers guess, the owner can sign in from a known device`(
        known: String, guesses: [String], stranger: String, owner: String
    ) async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        try await expectEqual(logIn(site, password: Site.password, from: known).status, 200)
        for address in guesses { _ = try await logIn(site, from: address) }
        try await expectEqual(logIn(site, password: Site.password, from: stranger).status, 429)
        try await expectEqual(logIn(site, password: Site.password, from: owner).status, 200)
    }

    @Test(.tags(.passwordSpraying))
    func `Passwords sprayed over many accounts are limited by address`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        var statuses: [Int] = []
        for number in 0..<40 {
            statuses.append(try await logIn(site, "user\(number)@example.com", from: "192.0.2.1").status)
        }
        #expect(statuses.prefix(30).allSatisfy { $0 == 401 })
        #expect(statuses.dropFirst(30).allSatisfy { $0 == 429 })
        try await expectEqual(logIn(site, "user99@example.com", from: "192.0.2.2").status, 401)
    }

    @Test(.tags(.passwordSpraying))
    func `Passwords sprayed from many addresses of one network are limited by network`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1 }
        var statuses: [Int] = []
        for number in 0..<105 {
            statuses.append(
                try await logIn(site, "user\(number)@example.com", from: "192.0.2.\(number)").status)
        }
        #expect(statuses.prefix(100).allSatisfy { $0 == 401 })
        #expect(statuses.dropFirst(100).allSatisfy { $0 == 429 })
        try await expectEqual(logIn(site, "user99@example.com", from: "198.51.100.7").status, 401)
    }

    @Test(.tags(.loginLimits))
    func `Wrong passwords from one IPv6 network are counted together`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        var statuses: [Int] = []
        for number in 0..<6 {
            statuses.append(try await logIn(site, from: "2001:db8:0:7:\(number)::\(number + 1)").status)
        }
        expectEqual(statuses, [401, 401, 401, 429, 429, 429])
        try await expectEqual(logIn(site, password: Site.password, from: "2001:db8:0:8::1").status, 200)
    }

    @Test func `Concurrent guesses of a password are all counted`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 5 }
        try await site.signUp()
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<40 { group.addTask { try await logIn(site, from: "192.0.2.1").status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(statuses.filter { $0 == 401 }.count, 5)
        expectEqual(statuses.filter { $0 == 429 }.count, 35)
    }

    @Test func `Right passwords do not count as wrong ones`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 2 }
        try await site.signUp()
        for _ in 0..<20 { try await expectEqual(site.logIn().status, 200) }
    }
}

@Suite struct LimitTests {
    private let limit = AttemptLimiter.Limit(name: "test", capacity: 4, window: 60)

    private func attempt(
        _ key: String, _ scope: AttemptLimiter.Scope = .loginPair, from address: String? = nil
    ) -> [AttemptLimiter.Attempt] {
        [.init(scope, from: address.map { NetworkPrefix(of: $0) }, on: key, limit: limit)]
    }

    @Test func `A limit refills steadily, up to its capacity and not beyond`() {
        let limiter = AttemptLimiter()
        for left in [3, 2, 1, 0] {
            let (rejection, remaining) = limiter.takeCounting(attempt("a"), at: noon)
            expectNil(rejection)
            #expect(remaining.count == left && remaining.untilFull == Double(4 - left) * 15)
        }
        let (rejection, remaining) = limiter.takeCounting(attempt("a"), at: noon)
        #expect(rejection?.retryAfter == 15 && remaining.count == 0 && remaining.untilFull == 60)
        expectNil(limiter.take(attempt("a"), at: noon + 15))
        #expect(limiter.take(attempt("a"), at: noon + 15) != nil)
        for _ in 0..<4 { expectNil(limiter.take(attempt("a"), at: noon + 100_000)) }
        #expect(limiter.take(attempt("a"), at: noon + 100_000) != nil)
    }

    @Test func `A limit takes from no key if one of them has nothing left`() {
        let limiter = AttemptLimiter()
        for _ in 0..<4 { _ = limiter.take(attempt("a"), at: noon) }
        #expect(limiter.take(attempt("b") + attempt("a"), at: noon) != nil)
        let (rejection, remaining) = limiter.takeCounting(attempt("b") + attempt("a"), at: noon)
        #expect(rejection != nil && remaining.count == 4)
        for _ in 0..<4 { expectNil(limiter.take(attempt("b"), at: noon)) }
    }

    @Test(.tags(.storeFailure)) func `A limit survives a clock that is set back`() {
        let limiter = AttemptLimiter()
        for _ in 0..<4 { _ = limiter.take(attempt("a"), at: noon) }
        #expect(limiter.take(attempt("a"), at: noon - 86_400) != nil)
        expectNil(limiter.take(attempt("a"), at: noon - 86_400 + 15))
    }

    @Test func `A limit keeps a bounded number of keys, and forgets no used one`() {
        let limiter = AttemptLimiter(maximumKeys: 100)
        for _ in 0..<4 { _ = limiter.take(attempt("attacked"), at: noon) }
        _ = limiter.take(attempt("tried once"), at: noon)
        for number in 0..<100_000 { _ = limiter.take(attempt("key \(number)"), at: noon) }
        expectEqual(limiter.keyCount, 100)
        #expect(limiter.take(attempt("attacked"), at: noon) != nil)
        for _ in 0..<3 { expectNil(limiter.take(attempt("tried once"), at: noon)) }
        #expect(limiter.take(attempt("tried once"), at: noon) != nil)
    }

    @Test(.tags(.lockoutDenial))
    func `A limit in a full table is shared by a wider network, but not with one far away`() {
        let limiter = AttemptLimiter(maximumKeys: 100)
        for number in 0..<10_000 {
            _ = limiter.take(attempt("\(number)", from: "2001:db8:1:\(String(number, radix: 16))::1"), at: noon)
        }
        expectEqual(limiter.keyCount, 100)
        #expect(limiter.take(attempt("new", from: "2001:db8:1:ffff::1"), at: noon) != nil)
        // By chance one of a thousand networks far away shares the bucket.
        let passed = (2..<22).count { limiter.take(attempt("new", from: "2001:db8:\($0):1::1"), at: noon) == nil }
        #expect(passed >= 18)
    }

    @Test func `A limit gives new keys their own buckets again once others have refilled`() {
        let limiter = AttemptLimiter(maximumKeys: 100)
        for number in 0..<1000 { _ = limiter.take(attempt("key \(number)"), at: noon) }
        for number in 0..<50 { expectNil(limiter.take(attempt("later \(number)"), at: noon + 60)) }
        expectEqual(limiter.keyCount, 50)
        for _ in 0..<3 { expectNil(limiter.take(attempt("later 1"), at: noon + 60)) }
        #expect(limiter.take(attempt("later 1"), at: noon + 60) != nil)
    }

    @Test func `A limit leaves no key behind when its attempt is given back`() {
        let limiter = AttemptLimiter()
        for number in 0..<1000 {
            expectNil(limiter.take(attempt("key \(number)"), at: noon))
            limiter.refund(attempt("key \(number)"))
        }
        expectEqual(limiter.keyCount, 0)
    }

    @Test func `A limit has its own room, which a flood of another kind does not use`() {
        let limiter = AttemptLimiter(maximumKeys: 100)
        for number in 0..<300 { _ = limiter.take(attempt("\(number)", .signUpAccount), at: noon) }
        for _ in 0..<4 { expectNil(limiter.take(attempt("attacked"), at: noon)) }
        expectEqual(limiter.keyCount, 101)
        #expect(limiter.take(attempt("attacked"), at: noon) != nil)
    }

    @Test func `A limit does not grow with the names that a refused address invents`() {
        let limiter = AttemptLimiter(maximumKeys: 100)
        for _ in 0..<4 { _ = limiter.take(attempt("address"), at: noon) }
        for number in 0..<1000 {
            #expect(limiter.take(attempt("name \(number)") + attempt("address"), at: noon) != nil)
        }
        expectEqual(limiter.keyCount, 1)
    }

    @Test(.tags(.clientSecretGuessing)) func `A limit keeps keys of a fixed size for names of any length`() {
        let limiter = AttemptLimiter()
        let limits = RateLimits(IdentityConfiguration(), limiter: AttemptLimiter(), clock: .system)
        let long = String(repeating: "a", count: 30_000)
        for end in ["b", "c"] {
            let attempts = [limits.clientSecret(of: long + end, address: "a")]
            for _ in 0..<10 { expectNil(limiter.take(attempts, at: noon)) }
            #expect(limiter.take(attempts, at: noon) != nil)
        }
        // A digest has no reference to the name; the whole bucket fits into 32 bytes.
        expectEqual(AttemptLimiter.bytesPerKey, 32)
    }

    @Test func `A limit gives back no more than was taken`() {
        let limiter = AttemptLimiter()
        for _ in 0..<10 {
            expectNil(limiter.take(attempt("a"), at: noon))
            limiter.refund(attempt("a"))
        }
        limiter.refund(attempt("a"))
        limiter.refund(attempt("nobody"))
        for _ in 0..<4 { expectNil(limiter.take(attempt("a"), at: noon)) }
        #expect(limiter.take(attempt("a"), at: noon) != nil)
    }
}
