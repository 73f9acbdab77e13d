// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct TokenFamilyCacheTests {
    /// Two servers with one store, each with a cache of its own.
    let one: Site
    let other: Site

    init() async throws {
        let folder = try TemporaryFolder()
        one = try await Site(in: folder)
        other = try await Site(in: folder)
        try await one.signUp()
    }

    private func close() async {
        await one.close()
        await other.close()
    }

    /// The token that a site issues for another one.
    private func renewed(_ token: String, at site: Site) async throws -> String {
        let response = try await site.renew(token)
        expectEqual(response.status, 200)
        return response.refresh
    }

    private func advance(by duration: Duration) {
        one.clock.advance(by: duration)
        other.clock.advance(by: duration)
    }

    @Test func `The cached families of refresh tokens let a token rotate without reading its row first`() async throws {
        var token = try await renewed(one.logIn().refresh, at: one)
        token = try await renewed(token, at: other)
        for site in [one, other, one, one] {
            #expect(try await site.answersWithoutRead { token = try await renewed(token, at: site) })
        }
        await close()
    }

    @Test(.tags(.lostRefreshResponse, .grandparentToken))
    func `The cached families of refresh tokens keep no copy alive that another server has seen replaced`() async throws
    {
        let first = try await renewed(one.logIn().refresh, at: one)
        let second = try await renewed(first, at: other)
        // A repetition has the same successor, also where only the other server has rotated.
        try await expectEqual(renewed(first, at: one), second)
        let third = try await renewed(second, at: other)
        advance(by: .seconds(31))
        // This server still takes it for the newest one; the store does not.
        try await expectEqual(one.renew(first).status, 401)
        for site in [one, other] { try await expectEqual(site.renew(third).status, 401) }
        try await expectEqual(one.metric("latch_families_revoked_total"), 1)
        await close()
    }

    @Test(.tags(.grandparentToken))
    func `The cached families of refresh tokens detect the reuse of a token that they know to be old`() async throws {
        let first = try await renewed(one.logIn().refresh, at: one)
        let third = try await renewed(renewed(first, at: one), at: one)
        advance(by: .seconds(31))
        try await expectEqual(one.renew(first).status, 401)
        try await expectEqual(one.renew(third).status, 401)
        await close()
    }

    @Test
    func `The cached families of refresh tokens end with a sign-out at another server, and with the account`()
        async throws
    {
        let login = try await one.logIn()
        let token = try await renewed(login.refresh, at: one)
        _ = try await other.post("/api/auth/logout", ["refreshToken": .string(token)])
        try await expectEqual(one.renew(token).status, 401)

        let next = try await renewed(one.logIn().refresh, at: one)
        let account = try #require(try await other.identity.services.store.account(emailKey: "ada@example.com"))
        try await other.identity.services.store.perform(.setStatus(.disabled), on: account.id)
        try await expectEqual(one.renew(next).status, 401)
        await close()
    }

    @Test
    func `The cached families of refresh tokens authenticate a token as the row does, without the store`() async throws
    {
        let token = try await renewed(one.logIn().refresh, at: one)
        let other = try await renewed(one.logIn().refresh, at: one)
        let bytes = try Base64URL.decode(token.dropFirst(4))
        // The code of another device's token, behind this device's id.
        let mixed = bytes[..<16] + (try Base64URL.decode(other.dropFirst(4)))[16...]
        let forgeries = [16, 19, 20, 51].map { index in
            var forged = bytes
            forged[index] ^= 1
            return forged
        }
        for forged in forgeries + [Array(mixed)] {
            #expect(
                try await one.answersWithoutRead {
                    try await expectEqual(one.renew("lr1." + Base64URL.encode(forged)).status, 401)
                })
        }
        try await expectEqual(one.renew(token).status, 200)
        await close()
    }

    @Test func `The cached families of refresh tokens reject too many scopes before a token is used up`() async throws {
        let token = try await renewed(one.logIn().refresh, at: one)
        try await expectEqual(one.refreshGrant(token, scope: "widgets:admin").oauthError, "invalid_scope")
        try await expectEqual(one.renew(token).status, 200)
        await close()
    }
}

@Suite struct RecentValuesTests {
    @Test func `Values that were used recently stay while they are used, in at most two generations`() {
        var values = RecentValues<Int, String>(capacity: 4)
        for number in 0..<1000 {
            values.insert("\(number)", for: number)
            expectEqual(values.use(0), "0")
            #expect(values.count <= 8)
        }
        #expect(values.use(999) == "999" && values.use(1) == nil)
        values.insert("new", for: 0)
        expectEqual(values.use(0), "new")
        values.remove(0)
        expectNil(values.use(0))
    }
}
