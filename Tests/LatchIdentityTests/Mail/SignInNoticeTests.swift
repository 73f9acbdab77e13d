// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import LatchTexts
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SignInNoticeTests {
    private static let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit Safari/604.1"
    private static let desktop = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko Firefox/130.0"
    private static let subject = "Latchwork: New sign-in to your account"

    private func signIn(
        _ site: Site, from address: String, with userAgent: String, fields: HTTPFields = [:]
    ) async throws {
        let origin = RequestOrigin(address: address, userAgent: userAgent, fields: fields)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        #expect(account.status == .active)
        _ = try await site.identity.services.signIns.signIn(
            name: "ada@example.com", password: Site.password, from: origin)
    }

    private func notices(_ site: Site) async -> [String] {
        await site.identity.flushMails()
        return site.mailer.messages.filter { $0.subject == Self.subject }.map(\.text)
    }

    @Test func `A sign-in on a new device, or from a new region of the network, is told to the owner`() async throws {
        let site = try await Site()
        try await site.signUp()
        try await signIn(site, from: "192.0.2.1", with: Self.desktop)
        // The first sign-in, the same device in the same region, and a browser that was updated.
        try await signIn(site, from: "192.0.77.8", with: Self.desktop)
        try await signIn(site, from: "192.0.2.1", with: Self.desktop.replacing("130", with: "131"))
        await expectEqual(notices(site), [])
        site.clock.advance(by: 90)
        try await signIn(site, from: "192.0.2.1", with: Self.phone)
        site.clock.advance(by: 90)
        try await signIn(site, from: "198.51.100.7", with: Self.desktop)
        try await signIn(site, from: "198.51.100.9", with: Self.desktop)
        let texts = await notices(site)
        expectEqual(texts.count, 2)
        #expect(texts[0].contains("Account: ada@example.com\nTime: 2035-"), "\(texts[0])")
        #expect(texts[0].contains(" UTC\nDevice: Safari, iOS\nIP address: 192.0.2.1\n"), "\(texts[0])")
        #expect(texts[1].contains("Device: Firefox, Linux\nIP address: 198.51.100.7\n"))
        await site.close()
    }

    @Test(.tags(.mailFlood))
    func `A sign-in on a new device is told only to a proved address, and few times in an hour`() async throws {
        let site = try await Site()
        try await site.signUp(isVerified: false)
        for address in ["192.0.2.1", "198.51.100.7"] { try await signIn(site, from: address, with: Self.desktop) }
        await expectEqual(notices(site), [])
        let token = try #require(await site.mailedToken())
        let form = "token=\(token)&password=\(Site.encoded(Site.password))"
        try await expectEqual(site.post("/verify", form: form).status, 200)
        for number in 1...30 { try await signIn(site, from: "203.\(number).113.1", with: Self.desktop) }
        let count = await notices(site).count
        #expect((1...10).contains(count), "\(count)")
        await site.close()
    }

    @Test func `A sign-in after all devices were removed is told to the owner`() async throws {
        let site = try await Site()
        try await site.signUp()
        try await signIn(site, from: "192.0.2.1", with: Self.desktop)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.services.store.update(
            "DELETE FROM device WHERE account_id = $1", [.text(account.id)]
        ) { _ in }
        try await signIn(site, from: "192.0.2.1", with: Self.desktop)
        await expectEqual(notices(site).count, 1)
        await site.close()
    }

    @Test func `A sign-in of a client in the session of a browser is no new device`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        _ = try await agent.authorize(SignInApp(clientID: "foreign", redirect: "https://foreign.example/back"))
        await expectEqual(notices(site), [])
        await site.close()
    }

    @Test func `A sign-in is not told to the owner if the operator does not want it`() async throws {
        let site = try await Site { $0.signInNotices = false }
        try await site.signUp()
        for address in ["192.0.2.1", "198.51.100.7"] { try await signIn(site, from: address, with: Self.desktop) }
        await expectEqual(notices(site), [])
        await site.close()
    }

    @Test(.tags(.mailInjection))
    func `The notice of a sign-in has neither a text of the client nor its language`() async throws {
        let site = try await Site { $0.defaultLanguage = "fr" }
        try await site.signUp()
        try await signIn(site, from: "192.0.2.1", with: Self.desktop)
        try await signIn(
            site, from: "192.0.2.1", with: "Call 555-0100 <b>iphone</b> at https://evil.example",
            fields: [.acceptLanguage: "es"])
        await site.identity.flushMails()
        let mail = try #require(site.mailer.messages.last)
        expectEqual(mail.subject, "Latchwork\u{A0}: Nouvelle connexion à votre compte")
        #expect(mail.text.contains("Appareil\u{A0}: iOS\n"), "\(mail.text)")
        let html = try #require(mail.html)
        for part in ["555", "evil", "<b>"] { #expect(!(mail.text + html).contains(part)) }
        await site.close()
    }

    @Test(arguments: Texts.languages)
    func `An email about the safety of an account has the account, the time, the device and help`(language: String) {
        var configuration = IdentityConfiguration()
        configuration.supportURL = "mailto:help@example.com"
        configuration.accentColor = "#7a1fa2"
        let template = ComposedMail(
            .factorRemoved, to: "ada@example.com", token: "t", code: "012345", issuer: "https://id.example.com",
            at: noon, causedBy: MailCause(address: "2001:db8::1", userAgent: Self.phone),
            configuration: configuration, texts: Texts(languages: [language]))
        for part in ["ada@example.com", Texts.minute(noon), "Safari, iOS", "2001:db8::1", "help@example.com"] {
            #expect(template.text.contains(part) && template.html.contains(part), "\(part)")
        }
        #expect(template.html.contains(#"href="mailto:help@example.com""#))
        #expect(template.html.contains("background:#7a1fa2;"))
        #expect(template.html.contains("prefers-color-scheme:dark"))
        // The list of emails shows the first text.
        let body = template.html.components(separatedBy: "<body").last ?? ""
        #expect(body.contains("<div style=\"display:none;max-height:0;overflow:hidden\">"))
    }

    @Test func `An email with a link for a stranger's request describes no device`() {
        let template = ComposedMail(
            .verifyEmail, to: "ada@example.com", token: "t", code: "012345", issuer: "https://id.example.com",
            at: noon, causedBy: MailCause(address: "192.0.2.1", userAgent: Self.phone))
        #expect(!template.text.contains("192.0.2.1") && !template.text.contains("Safari"))
    }
}
