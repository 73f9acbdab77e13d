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

/// The pages on which users set up their second factor and their passkeys.
@Suite struct AccountFactorTests {
    /// Begins a setup on the page, and returns the page with its secret.
    private func begun(_ agent: inout UserAgent) async throws -> (page: Response, app: AuthenticatorApp) {
        while true {
            let page = try await agent.submit(try await agent.get("/account/factor"))
            let secret = page.between("<code>", "</code>").replacing(" ", with: "")
            let app = AuthenticatorApp(
                SecondFactorService.Setup(secret: secret, uri: "", recoveryCodes: []))
            // By chance two steps may have one code.
            if app.hasDifferentCodes(from: agent.site.clock.now) { return (page, app) }
        }
    }

    private func codes(_ page: Response) -> [String] {
        page.text.matches(of: /<li><code>([^<]+)<\/code>/).map { String($0.1) }
    }

    @Test(.tags(.factorChange))
    func `An authenticator app is set up on a page, replaces its recovery codes there, and is removed`() async throws {
        let site = try await Site.authorizing()
        let other = try await site.logIn()
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"))
        let (setup, app) = try await begun(&agent)
        #expect(setup.text.contains(#"href="otpauth://totp/"#) && setup.text.contains("role=\"img\""))
        let wrong = try await agent.submit(setup, [("code", app.wrongCode(at: site.clock.now))])
        // The page has the same key, which the app may have scanned already.
        #expect(wrong.status == 400 && codes(wrong) == codes(setup))
        let done = try await agent.submit(wrong, [("code", app.code(at: site.clock.now))])
        expectEqual(done.title, "Save your recovery codes")
        let first = codes(done)
        #expect(Set(first).count == 10)
        // This browser stays signed in, and no device without the factor.
        #expect(try await agent.get("/account").text.contains("/account/factor"))
        try await expectEqual(site.accepts(other.access), false)
        site.clock.advance(by: 30)
        let page = try await agent.get("/account/factor")
        expectEqual(page.title, "Authenticator app")
        let replaced = try await agent.submit(page, [("code", app.code(at: site.clock.now))])
        #expect(codes(replaced).count == 10 && Set(codes(replaced)).isDisjoint(with: first))
        try await expectEqual(
            agent.submit(page, [("code", first[0]), ("remove", "yes")]).status, 400, "an earlier code is void")
        let removed = try await agent.submit(page, [("code", codes(replaced)[0]), ("remove", "yes")])
        #expect(removed.text.contains("The authenticator app is removed."))
        try await expectEqual(site.passwordGrant().status, 200)
        await site.identity.flushMails()
        let subjects = Set(site.mailer.messages.map(\.subject))
        #expect(
            subjects.isSuperset(of: [
                "Latchwork: Two-factor authentication is on", "Latchwork: Two-factor authentication is off",
            ]),
            "\(subjects)")
        await site.close()
    }

    @Test func `A setup of an authenticator app that another window has replaced begins again`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"))
        let (earlier, _) = try await begun(&agent)
        let (setup, app) = try await begun(&agent)
        let ended = try await agent.submit(earlier, [("code", app.code(at: site.clock.now))])
        #expect(ended.status == 409 && ended.text.contains("This setup has ended") && codes(ended).isEmpty)
        try await expectEqual(
            agent.submit(setup, [("code", app.code(at: site.clock.now))]).title, "Save your recovery codes")
        // The page of the state before begins nothing.
        let page = try await agent.get("/account/factor")
        try await expectEqual(agent.submit(page).title, "Authenticator app")
        await site.close()
    }

    @Test(.tags(.factorChange), arguments: ["/account/factor", "/account/passkeys"])
    func `A page of a second factor needs a recent sign-in`(path: String) async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"))
        let page = try await agent.get(path)
        site.clock.advance(by: 1000)
        for answer in [try await agent.get(path), try await agent.submit(page, [("code", "123456")])] {
            #expect(answer.title == "Sign in" && answer.text.contains("Sign in again"))
        }
        let signIn = try await agent.get(path)
        try await expectEqual(agent.signIn(signIn).location, path)
        try await expectEqual(agent.get(path).formAction, path)
        await site.close()
    }

    // MARK: Passkeys

    private func options(_ page: Response) -> Data {
        let text = page.between("data-options=\"", "\"").replacing("&quot;", with: "\"")
        return Data(text.utf8)
    }

    @Test func `A passkey is added on a page, gets a name there, and is removed`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        var agent = UserAgent(site)
        _ = try await agent.signIn(try await agent.get("/account"))
        let page = try await agent.get("/account/passkeys")
        #expect(page.text.contains("Create a passkey") && page.text.contains("/passkey.js"))
        let refused = try await agent.submit(page, [("credential", "{}")])
        #expect(refused.status == 400 && refused.title == "Add a passkey")
        let authenticator = VirtualAuthenticator()
        let created = String(decoding: try authenticator.create(options(refused), origin: Site.issuer), as: UTF8.self)
        let added = try await agent.submit(refused, [("credential", created)])
        #expect(added.text.contains("The passkey is added."))
        // The challenge is used up.
        try await expectEqual(agent.submit(refused, [("credential", created)]).status, 400)
        let path = added.between("href=\"/account/passkeys/", "\"")
        let form = try await agent.get("/account/passkeys/\(path)")
        try await expectEqual(agent.submit(form, [("name", "")]).status, 400)
        let named = try await agent.submit(form, [("name", "Key <b>")])
        #expect(named.text.contains("Key &lt;b&gt;"))
        // The user signs in with it.
        _ = try await agent.submit(named, [("sign-out", "yes")])
        let signIn = try await agent.get("/account")
        let challenge = try #require(try await site.post("/api/auth/passkeys/sign-in/options", [:]).json["publicKey"])
        let signed = String(
            decoding: try authenticator.get(Data(challenge.serialized()), origin: Site.issuer), as: UTF8.self)
        try await expectEqual(agent.submit(signIn, [("credential", signed)]).location, "/account")
        let removed = try await agent.submit(try await agent.get("/account"), [("remove-passkey", path)])
        #expect(removed.text.contains("The passkey is removed.") && !removed.text.contains("Key &lt;b&gt;"))
        let again = try await agent.submit(removed, [("remove-passkey", path)])
        #expect(again.status == 404 && again.text.contains("This entry no longer exists"))
        try await expectEqual(agent.get("/account/passkeys/\(path)").status, 404)
        try await expectEqual(agent.get("/account/passkeys/%0d%0a").status, 404)
        await site.close()
    }

    @Test(.tags(.crossSiteRequest))
    func `A passkey of another account's options is refused`() async throws {
        let site = try await Site.authorizing { $0.issuer = Site.issuer }
        try await site.signUp("eve@example.com")
        var (ada, eve) = (UserAgent(site), UserAgent(site))
        _ = try await ada.signIn(try await ada.get("/account"))
        _ = try await eve.signIn(try await eve.get("/account"), "eve@example.com")
        let page = try await ada.get("/account/passkeys")
        let foreign = try VirtualAuthenticator().create(
            options(try await eve.get("/account/passkeys")), origin: Site.issuer)
        let answer = try await ada.submit(page, [("credential", String(decoding: foreign, as: UTF8.self))])
        #expect(answer.status == 400 && answer.title == "Add a passkey")
        await site.close()
    }
}
