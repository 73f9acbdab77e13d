// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAccounts
import LatchAuth
import LatchCore
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct GuestLinkTests {
    private static let words = "staff;issuer=https://sso.example.com;client_id=latch;email_domains=example.com"

    /// A site with guests, whose provider knows the owners of the addresses of its domain.
    private func site(_ upstream: ScriptedUpstream) async throws -> Site {
        try await Site.brokering(upstream, Self.words) { $0.guests = true }
    }

    /// Begins a guest, links the user of the provider, and returns the profile after that.
    private func link(
        _ claims: Claims, at site: Site, _ upstream: ScriptedUpstream
    ) async throws -> (linked: Response, before: JSONObject, after: JSONObject) {
        let (app, guest) = (UpstreamApp(), try await site.post("/api/auth/guest", [:]))
        let before = try await site.get("/user/profile", bearer: guest.access).json
        let code = try await site.linkCode(upstream, app, as: claims)
        let linked = try await site.link(code, app, bearer: guest.access)
        return (linked, before, try await site.get("/user/profile", bearer: guest.access).json)
    }

    @Test func `A linked provider makes a guest a user with the same identifier and the verified address`() async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        let (linked, before, after) = try await link(Site.ada, at: site, upstream)
        expectEqual(linked.status, 201)
        #expect(before["id"] == after["id"] && before["isGuest"] == true && after["isGuest"] == nil)
        #expect(after["email"] == "ada@example.com" && after["emailVerified"] == true)
        let signedIn = try await site.signIn(through: upstream)
        try await expectEqual(site.get("/user/profile", bearer: signedIn.access).json["id"], before["id"])
        await site.close()
    }

    @Test(.tags(.emailLinking)) func `An address that the provider does not vouch for is not that of the guest`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        let others: [Claims] = [
            ["sub": "one", "email": "bob@example.com", "email_verified": false],
            ["sub": "two", "email": "bob@example.net", "email_verified": true],
        ]
        for claims in others {
            let (linked, _, after) = try await link(claims, at: site, upstream)
            expectEqual(linked.status, 201)
            #expect(after["isGuest"] == false && after["email"] == nil)
            // It is the only way in, so no administrator removes it.
            let id = try #require(after["id"]?.stringValue)
            await expectEqual(
                refusal { try await site.identity.administration.removeLink(to: "staff", of: id) }, "lastSignIn")
        }
        await site.close()
    }

    @Test func `A link takes no guest past the rules of sign-ups`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream, Self.words) {
            $0.guests = true
            $0.signUp = .invitation
        }
        let (linked, _, after) = try await link(Site.ada, at: site, upstream)
        #expect(linked.status == 403 && linked.string("code") == "addressRequired", "\(linked.text)")
        #expect(after["isGuest"] == true && after["email"] == nil)
        await site.close()
    }

    @Test func `A client signs in as a guest and registers, and its account keeps the identifier`() async throws {
        let site = try await site(try ScriptedUpstream())
        let auth = AuthClient(
            baseURL: try #require(URL(string: Site.issuer)), store: InMemoryTokenStore(), transport: site.transport,
            clock: site.clock.wallClock())
        try await auth.signInAsGuest()
        let guest = try #require(auth.account)
        #expect(guest.isGuest && guest.email.isEmpty)
        try await site.signUp("bob@example.com")
        await #expect(throws: AccountError.self) {
            try await auth.registerGuest(email: "bob@example.com", password: Site.password)
        }
        let registered = try await auth.registerGuest(email: "ada@example.com", password: Site.password, name: "Ada")
        #expect(registered.id == guest.id && !registered.isGuest && registered.email == "ada@example.com")
        #expect(auth.account?.isGuest == false && auth.account?.email == "ada@example.com")
        await site.close()
    }

    @Test func `A guest is merged with no other account, by its address or its provider`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await site(upstream)
        try await site.signUp()
        let (taken, _, guest) = try await link(Site.ada, at: site, upstream)
        #expect(taken.status == 409 && taken.string("code") == "alreadyExists" && guest["isGuest"] == true)
        let bob: Claims = ["sub": "bob-1", "email": "bob@example.com", "email_verified": true]
        try await expectEqual(link(bob, at: site, upstream).linked.status, 201)
        let (linked, before, after) = try await link(bob, at: site, upstream)
        #expect(linked.status == 409 && linked.string("code") == "linkedElsewhere")
        #expect(after["isGuest"] == true && after["id"] == before["id"])
        await site.close()
    }
}
