// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

/// A cache whose verifier counts.
private final class CountedCache: Sendable {
    let cache: VerifiedTokenCache
    private let count = Mutex(0)
    private let validity: Range<Double>

    /// Creates a cache of tokens that are valid for an hour from noon.
    init(capacity: Int = 4) {
        cache = VerifiedTokenCache(capacity: capacity)
        validity = noon.timeIntervalSince1970..<noon.timeIntervalSince1970 + 3600
    }

    var verifications: Int { count.withLock { $0 } }

    /// Texts that begin with "bad" are not valid.
    func token(_ text: String, after seconds: Double = 0) -> VerifiedToken? {
        cache.token(text, at: noon.addingTimeInterval(seconds)) { text in
            count.withLock { $0 += 1 }
            guard !text.hasPrefix("bad"), validity.contains(noon.timeIntervalSince1970 + seconds) else { return nil }
            let claims = AccessTokenIssuer.VerifiedClaims(
                subject: text, deviceID: nil, clientID: text, scopes: ["files:read"])
            return VerifiedToken(claims, from: validity.lowerBound, until: validity.upperBound)
        }
    }
}

@Suite struct VerifiedTokenCacheTests {
    @Test func `The cache of verified tokens verifies a signature once, and finds nothing by another text`() {
        let counted = CountedCache()
        for _ in 0..<3 { expectEqual(counted.token("a.b.c")?.claims.subject, "a.b.c") }
        expectEqual(counted.verifications, 1)
        expectEqual(counted.token("a.b.d")?.claims.subject, "a.b.d")
        expectEqual(counted.verifications, 2)
        #expect(counted.cache.statistics == (entries: 2, hits: 2, misses: 2))
    }

    @Test func `The cache of verified tokens knows a token by a digest that no other process has`() {
        let caches = [VerifiedTokenCache(), VerifiedTokenCache()]
        expectEqual(caches[0].digest(of: "a.b.c"), caches[0].digest(of: "a.b.c"))
        expectNotEqual(caches[0].digest(of: "a.b.c"), caches[1].digest(of: "a.b.c"))
    }

    @Test(.tags(.tokenTimes))
    func `The cache of verified tokens keeps no token beyond its times, also when the date is set back`() {
        let counted = CountedCache()
        #expect(counted.token("a.b.c", after: 3599.9) != nil)
        expectNil(counted.token("a.b.c", after: 3600))
        expectEqual(counted.cache.statistics.entries, 0)
        #expect(counted.token("a.b.c") != nil)
        expectNil(counted.token("a.b.c", after: -0.1))
        expectEqual(counted.verifications, 4)
        let claims = AccessTokenIssuer.VerifiedClaims(subject: "a", deviceID: nil, clientID: nil, scopes: [])
        expectNil(VerifiedToken(claims, from: 5, until: 5))
        expectNil(VerifiedToken(claims, from: 5, until: .nan))
    }

    @Test(.tags(.tokenForgery)) func `The cache of verified tokens keeps no invalid token`() {
        let counted = CountedCache()
        #expect(counted.token("good") != nil)
        for number in 0..<1000 { expectNil(counted.token("bad \(number)")) }
        #expect(counted.token("good") != nil)
        expectEqual(counted.verifications, 1001)
        expectEqual(counted.cache.statistics.entries, 1)
    }

    @Test func `The cache of verified tokens keeps the used tokens, and forgets the others`() {
        let counted = CountedCache(capacity: 8)
        for number in 0..<200 {
            #expect(counted.token("used") != nil)
            #expect(counted.token("once \(number)") != nil)
        }
        expectEqual(counted.verifications, 201)
        #expect(counted.cache.statistics.entries <= 16)
    }

    @Test func `The cache of verified tokens has a bounded number of entries under many more tokens`() {
        let counted = CountedCache(capacity: VerifiedTokenCache.defaultCapacity)
        var most = 0
        for number in 0..<100_000 {
            _ = counted.token(String(number))
            if number.isMultiple(of: 100) { most = max(most, counted.cache.statistics.entries) }
        }
        expectEqual(counted.verifications, 100_000)
        #expect(most <= 2 * VerifiedTokenCache.defaultCapacity)
    }
}

@Suite struct KeptSessionTests {
    private let counted = CountedCache(capacity: 100)
    private let sessions = KeptSessions()

    private func keep(_ numbers: Range<Int>, version: Int, uptime: Duration) throws -> [VerifiedToken] {
        let account = try Account.example()
        let session = AuthenticatedSession(
            account: account, device: .example(of: account), client: OAuthClient(id: OAuthClient.firstPartyID),
            scopes: [])
        return try numbers.map { number in
            let token = try #require(counted.token("\(number)"))
            sessions.keep(session, with: token, at: SessionState(version: version, uptime: uptime))
            return token
        }
    }

    @Test func `The kept sessions are forgotten after a write, while their tokens stay verified`() throws {
        let first = try keep(0..<8, version: 1, uptime: .zero)
        #expect(first.allSatisfy { $0.session(at: SessionState(version: 1, uptime: .milliseconds(900))) != nil })
        #expect(first.allSatisfy { $0.session(at: SessionState(version: 2, uptime: .zero)) == nil })
        let later = try keep(8..<9, version: 2, uptime: .zero)
        #expect(first.allSatisfy { !$0.hasSession } && later.allSatisfy(\.hasSession))
        expectEqual(counted.cache.statistics.entries, 9)
        expectEqual(counted.verifications, 9)
    }

    @Test func `The kept sessions are forgotten after a second, and not before`() throws {
        let first = try keep(0..<4, version: 1, uptime: .zero)
        let second = try keep(4..<8, version: 1, uptime: .milliseconds(900))
        _ = try keep(8..<9, version: 1, uptime: .seconds(1))
        #expect(first.allSatisfy { !$0.hasSession } && second.allSatisfy(\.hasSession))
        _ = try keep(9..<10, version: 1, uptime: .seconds(2))
        #expect(second.allSatisfy { !$0.hasSession })
    }
}

@Suite struct UsedAccessTokenTests {
    private let site: Site
    private let login: Response

    init() async throws {
        site = try await Site()
        try await site.signUp(roles: ["admin"])
        login = try await site.logIn()
        for _ in 0..<2 { try #require(try await status() == 200) }
    }

    private func status(_ path: String = "/user/profile", on site: Site? = nil) async throws -> Int {
        try await (site ?? self.site).get(path, bearer: login.access).status
    }

    private func account() async throws -> Account {
        try #require(try await site.identity.administration.account(email: "ada@example.com"))
    }

    @Test func `A used access token is verified once, and its rows are read once until a write`() async throws {
        let before = site.identity.services.accessTokens.cacheStatistics
        for _ in 0..<10 { try await expectEqual(status(), 200) }
        let after = site.identity.services.accessTokens.cacheStatistics
        #expect(after.hits - before.hits == 10 && after.misses == before.misses)
        try await expectEqual(site.metric("latch_token_cache_entries"), 1)
    }

    @Test func `A used access token stays valid through changes of keys and reloads`() async throws {
        let before = site.identity.services.accessTokens.cacheStatistics
        try await expectEqual(status(), 200)
        _ = try await site.identity.signingKeys.rotate(isCompromised: true)
        let next = try await site.identity.reconfigured(site.identity.services.configuration)
        for identity in [site.identity, next] {
            let after = identity.services.accessTokens.cacheStatistics
            #expect(after.entries == 0 && after.hits == before.hits + 1 && after.misses >= before.misses)
        }
    }

    @Test(.tags(.realServer)) func `A used access token is refused as soon as it is revoked`() async throws {
        _ = try await site.form("/oauth/revoke", ["token": login.access])
        try await expectEqual(status(), 401)
        try await expectEqual(status("/widgets"), 401)
    }

    @Test(.tags(.refreshAfterChange))
    func `A used access token is refused as soon as its device is signed out, or its refresh token is stolen`()
        async throws
    {
        let next = try await site.renew(login.refresh)
        try await expectEqual(status(), 200)
        site.clock.advance(by: 60)
        try await expectEqual(site.renew(login.refresh).status, 401)
        try await expectEqual(status(), 401)
        try await expectEqual(site.get("/user/profile", bearer: next.access).status, 401)
    }

    @Test(.tags(.refreshAfterChange), arguments: [Account.Status.disabled, .suspended, .banned, .deleted])
    func `A used access token is refused as soon as its account is not active`(status: Account.Status) async throws {
        let store = site.identity.services.store
        let id = try await account().id
        if status == .deleted {
            try await store.perform(.delete(isFinal: false), on: id)
        } else {
            try await store.perform(.setStatus(status), on: id)
        }
        try await expectEqual(self.status(), 401)
    }

    @Test func `A used access token loses a role with the account`() async throws {
        try await expectEqual(status("/api/users"), 200)
        _ = try await site.identity.administration.setRoles(of: try await account().id, roles: [], permissions: [])
        try await expectEqual(status("/api/users"), 403)
        try await expectEqual(site.get("/user/profile", bearer: login.access).json["roles"]?.arrayValue, [])
    }

    @Test(.tags(.keyRotation)) func `A used access token is refused as soon as its key is removed`() async throws {
        _ = try await site.identity.signingKeys.rotate(isCompromised: true)
        try await expectEqual(status(), 401)
        expectEqual(site.identity.services.accessTokens.cacheStatistics.entries, 0)
    }

    @Test(.tags(.tokenTimes)) func `A used access token is refused from its expiry on`() async throws {
        site.clock.advance(by: 899)
        try await expectEqual(status(), 200)
        site.clock.advance(by: 1)
        try await expectEqual(status(), 401)
    }

    @Test func `A used access token is refused when its device has expired, though nothing was written`() async throws {
        let short = try await Site {
            $0.refreshTokenLifetime = .seconds(60)
            $0.accessTokenLifetime = .seconds(3600)
        }
        try await short.signUp()
        let access = try await short.logIn().access
        try await expectEqual(short.get("/user/profile", bearer: access).status, 200)
        short.clock.jump(by: 61)
        try await expectEqual(short.get("/user/profile", bearer: access).status, 401)
    }

    @Test(.tags(.tokenForgery))
    func `A used access token lends nothing to a token with another signature, or none`() async throws {
        let parts = login.access.split(separator: ".").map(String.init)
        let stranger = try Key.generate(.es256)
        let forged = try JWT.sign(JWT(unverified: login.access).claims, with: stranger, type: "at+jwt")
        let texts = [
            forged, "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])",
            "\(parts[0]).\(parts[1]).\(forged.split(separator: ".")[2])", login.access + "=", login.access + "A",
        ]
        for text in texts { try await expectEqual(site.get("/user/profile", bearer: text).status, 401) }
        expectEqual(site.identity.services.accessTokens.cacheStatistics.entries, 1)
    }

    @Test(.tags(.refreshAfterChange))
    func `A used access token is refused within a second of its sign-out by another process`() async throws {
        let other = try await Site(in: site.folder)
        try await expectEqual(other.get("/user/profile", bearer: login.access).status, 200)
        _ = try await other.post("/api/auth/logout", ["refreshToken": .string(login.refresh)])
        try await expectEqual(other.get("/user/profile", bearer: login.access).status, 401)
        site.clock.advance(by: 1)
        try await expectEqual(status(), 401)
        await other.close()
    }

    @Test(.tags(.refreshAfterChange))
    func `A used access token changes nothing once another process has demoted or signed out its user`()
        async throws
    {
        let other = try await Site(in: site.folder)
        func invite(_ address: String, by login: Response) async throws -> Int {
            let fields: HTTPFields = [.authorization: "Bearer \(login.access)"]
            let status = try await site.post("/api/users/invite", ["email": .string(address)], fields: fields).status
            // What the mail writes would end the session that the next request keeps.
            await site.identity.flushMails()
            return status
        }
        try await expectEqual(invite("one@example.com", by: login), 201)
        try await expectEqual(status(), 200)
        _ = try await other.post("/api/auth/logout", ["refreshToken": .string(login.refresh)])
        try await expectEqual(invite("two@example.com", by: login), 401)
        let next = try await site.logIn()
        try await expectEqual(site.get("/user/profile", bearer: next.access).status, 200)
        _ = try await other.identity.administration.setRoles(of: try await account().id, roles: [], permissions: [])
        try await expectEqual(invite("three@example.com", by: next), 403)
        await other.close()
    }

    @Test func `A used access token is judged by a reloaded configuration from its first use on`() async throws {
        let configured = try await Site {
            $0.clients = [OAuthClient(id: "phone", grants: [.password, .refreshToken])]
        }
        try await configured.signUp()
        let access = try await configured.passwordGrant(as: "phone").accessToken
        try await expectEqual(configured.get("/user/profile", bearer: access).status, 200)
        var configuration = configured.identity.services.configuration
        configuration.clients = []
        let next = try await configured.identity.reconfigured(configuration)
        let request = HTTPRequest(
            scheme: "http", authority: "127.0.0.1:8080", path: "/user/profile",
            fields: [.authorization: "Bearer \(access)"])
        try await expectEqual(next.handler.respond(to: request).status, .unauthorized)
        await next.close()
    }
}
