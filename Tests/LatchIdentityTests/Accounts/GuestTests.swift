// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

extension Site {
    fileprivate static func withGuests(
        hooks: IdentityHooks = IdentityHooks(), change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site(hooks: hooks) {
            $0.guests = true
            change(&$0)
        }
    }

    fileprivate func guest(_ fields: HTTPFields = [:]) async throws -> Response {
        try await post("/api/auth/guest", [:], fields: fields)
    }

    fileprivate func registerGuest(_ access: String, as email: String, _ others: JSONObject = [:]) async throws
        -> Response
    {
        var content: JSONObject = ["email": .string(email), "password": .string(Site.password)]
        for (name, value) in others { content[name] = value }
        return try await call(.post, "/api/auth/guest/register", bearer: access, .object(content))
    }

    fileprivate func profile(_ access: String) async throws -> JSONObject {
        try await get("/user/profile", bearer: access).json
    }
}

/// A hook of sign-ups during which something else changes.
private final class ChangeDuringSignUp: Sendable {
    private let change = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func set(_ change: @escaping @Sendable () async throws -> Void) { self.change.withLock { $0 = change } }

    var hooks: IdentityHooks {
        var hooks = IdentityHooks()
        hooks.signUp = { _ in
            try await self.change.withLock { $0 }?()
            return .allow(attributes: ["team": "red"])
        }
        return hooks
    }
}

@Suite struct GuestTests {
    @Test func `Guests begin only where the operator permits them, and not from a page of another site`() async throws {
        let closed = try await Site()
        let refused = try await closed.guest()
        #expect(refused.status == 403 && refused.string("code") == "guestsClosed")
        await closed.close()
        let site = try await Site.withGuests()
        try await expectEqual(site.guest(["Origin": "https://evil.example"]).status, 403)
        let guest = try await site.guest()
        #expect(guest.status == 200 && guest.field(.setCookie)?.contains(guest.refresh) == true)
        await site.close()
    }

    @Test func `The tokens and the profile of a guest have no address and tell that it is a guest`() async throws {
        let site = try await Site.withGuests { $0.requireVerifiedEmail = true }
        let guest = try await site.guest()
        let claims = try JWT(unverified: guest.access).claims.members
        #expect(claims["is_guest"] == true && claims["email"] == nil)
        let profile = try await site.profile(guest.access)
        #expect(profile["isGuest"] == true && profile["email"] == nil && profile["id"] == claims["sub"])
        let renewed = try await site.renew(guest.refresh)
        try await expectEqual(site.profile(renewed.access)["id"], claims["sub"])
        let created = try #require(
            try await site.identity.audit.records(limit: 9).first { $0.event == "account.created" })
        expectEqual(created.detail, "guest")
        await expectEqual(site.subjects().count, 0)
        await site.close()
    }

    @Test func `A repeated request gets the same guest until the first refresh`() async throws {
        let site = try await Site.withGuests()
        let key: HTTPFields = ["Idempotency-Key": "0f5d7c9e-2b64-4b53-9f0a-guest"]
        let responses = [try await site.guest(key), try await site.guest(key), try await site.guest(key)]
        expectEqual(Set(responses.map(\.refresh)).count, 1)
        expectEqual(Set(responses.map(\.status)), [200])
        let other = try await site.guest(["Idempotency-Key": "another-key-of-another-app"])
        expectNotEqual(other.refresh, responses[0].refresh)
        try await expectEqual(site.renew(responses[0].refresh).status, 200)
        let late = try await site.guest(key)
        #expect(late.status == 400 && late.access.isEmpty)
        try await expectEqual(site.guest(["Idempotency-Key": "short"]).status, 400)
        await site.close()
    }

    @Test func `A registered guest keeps its identifier and its session, also before the address is verified`()
        async throws
    {
        let site = try await Site.withGuests { $0.requireVerifiedEmail = true }
        let guest = try await site.guest()
        let id = try await site.profile(guest.access)["id"]
        site.clock.advance(by: 3600)
        let access = try await site.renew(guest.refresh).access
        let registered = try await site.registerGuest(
            access, as: "ada@example.com", ["name": "Ada", "username": "ada.l"])
        expectEqual(registered.status, 200)
        #expect(registered.json["id"] == id && registered.string("email") == "ada@example.com")
        #expect(registered.json["isGuest"] == nil && registered.json["emailVerified"] == false)
        let token = try #require(await site.mailedToken())
        let renewed = try await site.post("/api/auth/guest/register", [:])
        expectEqual(renewed.status, 401)
        try await expectEqual(site.registerGuest(access, as: "eve@example.com").string("code"), "notGuest")
        try await expectEqual(site.logIn().status, 403)
        let verified = try await site.call(.post, "/api/auth/verify-email", bearer: access, ["token": .string(token)])
        expectEqual(verified.status, 200)
        let profile = try await site.profile(access)
        #expect(profile["id"] == id && profile["emailVerified"] == true)
        let login = try await site.logIn()
        try await expectEqual(site.profile(login.access)["id"], id)
        let claims = try JWT(unverified: login.access).claims.members
        #expect(claims["is_guest"] == nil && claims["email"] == "ada@example.com")
        await site.close()
    }

    @Test(arguments: ["closed", "verified", "terms", "hook"])
    func `A passkey takes no guest past the rules of sign-ups`(rule: String) async throws {
        var hooks = IdentityHooks()
        if rule == "hook" { hooks.signUp = { _ in .allow() } }
        let site = try await Site.withGuests(hooks: hooks) {
            $0.issuer = Site.issuer
            switch rule {
            case "closed": $0.signUp = .closed
            case "verified": $0.requireVerifiedEmail = true
            case "terms": $0.termsVersion = "2026-01"
            default: break
            }
        }
        let guest = try await site.guest()
        let options = try await site.call(.post, "/api/auth/passkeys/options", bearer: guest.access, [:])
        #expect(options.status == 403 && options.string("code") == "addressRequired", "\(options.text)")
        let profile = try await site.profile(guest.access)
        #expect(profile["isGuest"] == true)
        await site.close()
    }

    @Test func `A token has no unverified address where a sign-in needs a verified one`() async throws {
        for needsVerified in [true, false] {
            let site = try await Site.withGuests { $0.requireVerifiedEmail = needsVerified }
            let guest = try await site.guest()
            try await expectEqual(site.registerGuest(guest.access, as: "ada@example.com").status, 200)
            let claims = try JWT(unverified: try await site.renew(guest.refresh).access).claims.members
            expectEqual(claims["email"], needsVerified ? nil : "ada@example.com")
            await site.close()
        }
    }

    @Test(.tags(.accountEnumeration)) func `A guest who registers a taken address learns what a sign-up tells`()
        async throws
    {
        let site = try await Site.withGuests()
        try await site.signUp()
        let guest = try await site.guest()
        let refused = try await site.registerGuest(guest.access, as: "ADA@example.com")
        let signUp = try await site.post(
            "/api/clients/register", ["email": "ada@example.com", "password": .string(Site.password)])
        #expect(refused.status == signUp.status && refused.string("code") == signUp.string("code"))
        #expect(refused.text.contains("What you did as a guest stays with the guest."))
        let profile = try await site.profile(guest.access)
        #expect(profile["isGuest"] == true && profile["email"] == nil)
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }

    @Test func `Of two registrations at the same time, one makes the user`() async throws {
        let site = try await Site.withGuests()
        let guest = try await site.guest()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for name in ["ada", "bob"] {
                group.addTask { try await site.registerGuest(guest.access, as: "\(name)@example.com").status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }.sorted()
        }
        // The other one may try again, and learns then that the guest is registered.
        #expect([[200, 409], [200, 503]].contains(statuses), "\(statuses)")
        await site.close()
    }

    @Test func `A guest has no second factor, no change of address and no role`() async throws {
        let site = try await Site.withGuests { $0.firstAdministrator = "ada@example.com" }
        let guest = try await site.guest()
        let id = try #require(try await site.profile(guest.access)["id"]?.stringValue)
        let factor = try await site.call("SetupTwoFactor", bearer: guest.access)
        expectEqual(factor.field("latch-code"), "addressRequired")
        let change = try await site.call(
            "UpdateProfile", ["user_id": .string(id), "email": "ada@example.com", "first_name": "Ada"],
            bearer: guest.access)
        expectEqual(change.field("latch-code"), "addressRequired")
        // Nothing of a refused request is stored.
        try await expectEqual(site.identity.services.store.fullAccount(id: id)?.details.firstName, "")
        for role in [Role.moderator, .superAdmin] {
            await expectEqual(
                refusal { try await site.identity.administration.setRole(of: id, to: role) }, "addressRequired")
        }
        await expectEqual(
            refusal { try await site.identity.administration.mailReset(of: id, by: nil) }, "addressRequired")
        try await expectEqual(site.identity.services.store.account(id: id)?.role, .user)
        await site.close()
    }

    @Test func `A guest who gets an address from an administrator is a user, whose sessions do not last for years`()
        async throws
    {
        let site = try await Site.withGuests()
        let guest = try await site.guest()
        let id = try await site.bearer(guest.access).accountID
        _ = try await site.identity.administration.setEmail(
            of: id, to: CodeApp.eve, isVerified: true, by: nil)
        let account = try #require(try await site.identity.services.store.account(id: id))
        #expect(!account.isGuest && account.email?.text == CodeApp.eve)
        let device = try #require(
            try await site.identity.services.store.devices(of: id, at: site.clock.now).first)
        let lifetime = site.identity.services.configuration.refreshTokenLifetime.inSeconds
        expectEqual(device.expiresAt, site.clock.now.addingTimeInterval(lifetime))
        await site.close()
    }

    @Test func `A guest of a server without passwords gets none that never works`() async throws {
        let site = try await Site.withGuests { $0.signInWays = [.code, .passkey] }
        let guest = try await site.guest()
        let refused = try await site.registerGuest(guest.access, as: CodeApp.eve)
        #expect(refused.status == 403 && refused.string("code") == "signInWayOff")
        try await expectEqual(site.profile(guest.access)["isGuest"], true)
        await site.close()
    }

    @Test func `A registration keeps an attribute that changed while it ran`() async throws {
        let change = ChangeDuringSignUp()
        let site = try await Site.withGuests(hooks: change.hooks) {
            $0.attributes = [AccountAttribute("plan"), AccountAttribute("team")]
        }
        let guest = try await site.guest()
        let id = try await site.bearer(guest.access).accountID
        change.set {
            _ = try await site.identity.services.accounts.changeAttributes(of: id, to: ["plan": "gold"], by: nil)
        }
        try await expectEqual(site.registerGuest(guest.access, as: CodeApp.eve).status, 200)
        let attributes = try await site.identity.services.store.account(id: id)?.attributes
        expectEqual(attributes, ["plan": "gold", "team": "red"])
        await site.close()
    }

    @Test func `The last passkey of a user without an address stays, also for an administrator`() async throws {
        let site = try await Site.withPasskeys { $0.guests = true }
        let guest = try await site.guest()
        let id = try await site.bearer(guest.access).accountID
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: guest.access)
        try await expectEqual(user.register().status, 201)
        let administration = site.identity.administration
        await expectEqual(refusal { try await administration.removePasskeys(of: id) }, "lastSignIn")
        try await expectEqual(user.signIn().status, 200)
        _ = try await administration.setEmail(of: id, to: CodeApp.eve, isVerified: true, by: nil)
        try await expectEqual(administration.removePasskeys(of: id), true)
        await site.close()
    }

    @Test func `Housekeeping removes a guest who was not there for the lifetime of guests`() async throws {
        let site = try await Site.withGuests { $0.guestLifetime = .seconds(7200) }
        let store = site.identity.services.store
        let (gone, present) = (try await site.guest(), try await site.guest())
        let ids = [try await site.profile(gone.access), try await site.profile(present.access)].map {
            $0["id"]?.stringValue ?? ""
        }
        site.clock.advance(by: 3601)
        try await expectEqual(site.renew(present.refresh).status, 200)
        site.clock.advance(by: 3600)
        try await site.housekeep()
        try await expectNil(store.account(id: ids[0]))
        #expect(try await store.account(id: ids[1]) != nil)
        try await expectEqual(site.renew(gone.refresh).status, 401)
        await site.close()
    }

    @Test func `A passkey makes a guest a user, who needs no address`() async throws {
        let site = try await Site.withPasskeys { $0.guests = true }
        let guest = try await site.guest()
        let id = try await site.profile(guest.access)["id"]
        let user = PasskeyUser(site: site, authenticator: VirtualAuthenticator(), access: guest.access)
        try await expectEqual(user.register().status, 201)
        let profile = try await site.profile(guest.access)
        #expect(profile["isGuest"] == false && profile["email"] == nil)
        let again = try await user.signIn()
        try await expectEqual(site.profile(again.access)["id"], id)
        site.clock.advance(by: 366 * 86_400)
        try await site.housekeep()
        #expect(try await site.identity.services.store.account(id: id?.stringValue ?? "") != nil)
        await site.close()
    }
}
