// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PageTests {
    @Test(.tags(.linkScanner), arguments: Way.allCases)
    func `A page behind a mailed link changes nothing when it opens, and verifies when the button is pressed`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp(isVerified: false)
        let token = try #require(await site.mailedToken())
        let login = try await site.logIn()
        for _ in 0..<3 {
            let page = try await site.get("/verify?token=\(token)")
            expectEqual(page.status, 200)
            #expect(page.text.contains(#"<form method="post" action="/verify">"#))
            #expect(page.text.contains(token))
        }
        try await expectEqual(site.send(.head, "/verify?token=\(token)").status, 200)
        try await expectEqual(site.get("/user/profile", bearer: login.access).json["emailVerified"], false)
        let form = "token=\(token)&password=Secret123%21&new_password="
        try await expectEqual(site.post("/verify", form: form).status, 200)
        let next = try await site.logIn()
        try await expectEqual(site.get("/user/profile", bearer: next.access).json["emailVerified"], true)
        let again = try await site.post("/verify", form: form)
        expectEqual(again.status, 400)
        #expect(again.text.contains("This link has expired or was already used"))
        await site.close()
    }

    @Test func `A page behind a mailed link is not the one of the server's own address`() async throws {
        let site = try await Site { $0.serviceName = "Acme" }
        let page = try await site.get("/")
        #expect(page.status == 200 && page.title == "Acme accounts")
        #expect(page.field(.contentType)?.hasPrefix("text/html") == true && !page.content.contains("<form"))
        for path in ["/forgot", "/device", "/.well-known/openid-configuration"] {
            #expect(page.text.contains("href=\"\(path)\""))
            try await expectEqual(site.get(path).status, 200)
        }
        try await expectEqual(site.post("/", form: "a=b").status, 405)
        await site.close()
    }

    @Test(arguments: ["/verify", "/reset", "/confirm-change"])
    func `A page behind a mailed link has instructions and no form if its link is bad, used or too old`(path: String)
        async throws
    {
        let site = try await Site()
        let bad = [
            try await site.get("\(path)?token="), try await site.get("\(path)?token=x"),
            try await site.post(path, form: "token=x&password=Another456!"),
        ]
        for page in bad {
            #expect(page.status == 400 && page.title == "This link has expired or was already used")
            #expect(!page.content.contains("<form") && !page.content.contains("<button"))
            #expect(page.text.contains(#"<a href="/forgot">"#))
        }
        await site.close()
    }

    @Test
    func `A page behind a mailed link of a reset has no form when expired, and names its account when valid`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let page = try await site.get("/reset?token=\(token)")
        #expect(page.status == 200 && page.text.contains("ada@example.com"))
        #expect(page.text.contains(#"autocomplete="username" readonly hidden value="ada@example.com""#))
        #expect(page.text.contains(#"aria-describedby="password-hint""#))
        site.clock.advance(by: 3600)
        let late = try await site.get("/reset?token=\(token)")
        #expect(late.status == 400 && !late.content.contains("<form"))
        await site.close()
    }

    @Test func `A page behind a mailed link asks for one password, and marks the field that was wrong`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1 }
        try await site.signUp(isVerified: false)
        let token = try #require(await site.mailedToken())
        let inputs = { (page: Response) in page.text.components(separatedBy: #"type="password""#).count - 1 }
        let known = try await site.get("/verify?token=\(token)")
        #expect(inputs(known) == 1 && known.text.contains(#"autocomplete="current-password""#))
        let new = try await site.post("/verify", form: "token=\(token)&new=yes")
        #expect(inputs(new) == 1 && new.text.contains(#"autocomplete="new-password""#))
        let short = try await site.post("/verify", form: "token=\(token)&new_password=short")
        #expect(short.status == 400 && short.text.contains("<title>Error: Confirm your email address"))
        #expect(short.text.contains(#"aria-invalid="true" aria-describedby="problem new_password-hint" autofocus"#))
        try await expectEqual(site.post("/verify", form: "token=\(token)&password=wrong").status, 400)
        let limited = try await site.post("/verify", form: "token=\(token)&password=wrong")
        // The link still works: the form stays, and says how long to wait.
        #expect(limited.status == 429 && limited.text.contains("<form") && limited.field(.retryAfter) != nil)
        #expect(limited.text.contains("Try again in"))
        try await expectEqual(site.post("/verify", form: "token=\(token)&new_password=Another+456%21").status, 200)
        await site.close()
    }

    @Test(arguments: ["https://id.example.com", "https://id.example.com/auth/"])
    func `A page behind a mailed link is recognized by password managers`(issuer: String) async throws {
        let site = try await Site { $0.issuer = issuer }
        let path = issuer.hasSuffix("/") ? "/auth" : ""
        let response = try await site.get("/.well-known/change-password")
        expectEqual(response.status, 302)
        expectEqual(response.field(.location), "https://id.example.com\(path)/account/password")
        let passkeys = try await site.get("/.well-known/passkey-endpoints")
        expectEqual(passkeys.json["enroll"], .string("https://id.example.com\(path)/account/passkeys"))
        expectEqual(passkeys.json["manage"], .string("https://id.example.com\(path)/account"))
        await site.close()
    }

    @Test
    func `A page behind a mailed link confirms the new password, and does not reveal who had none`() async throws {
        let site = try await Site()
        try await site.signUp()
        let changes = { site.mailer.messages.filter { $0.subject == "Latchwork: Your password was changed" } }
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 200)
        await site.identity.flushMails()
        #expect(changes().map(\.recipient) == ["ada@example.com"] && !changes()[0].text.contains("token="))
        await site.close()
    }

    @Test func `A page behind a mailed link sets a new password`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        #expect(try await site.get("/reset?token=\(token)").text.contains(token))
        let weak = try await site.post("/reset", form: "token=\(token)&password=short")
        expectEqual(weak.status, 400)
        #expect(weak.text.contains("fewer than 8"))
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 200)
        try await expectEqual(site.logIn(password: "Another 456!").status, 200)
        try await expectEqual(site.post("/reset", form: "token=\(token)&password=Another+456%21").status, 400)
    }

    @Test(arguments: ["/verify", "/reset", "/confirm-change"])
    func `A page behind a mailed link is in no frame, runs no script, and sends no referrer`(path: String) async throws
    {
        let site = try await Site()
        let page = try await site.get("\(path)?token=x")
        expectEqual(page.field("Content-Security-Policy")?.contains("default-src 'none'"), true)
        expectEqual(page.field("Content-Security-Policy")?.contains("frame-ancestors 'none'"), true)
        expectEqual(page.field("X-Frame-Options"), "DENY")
        expectEqual(page.field("Referrer-Policy"), "no-referrer")
        expectEqual(page.field("X-Content-Type-Options"), "nosniff")
        expectEqual(page.field(.cacheControl), "no-store")
    }

    @Test(.tags(.mailInjection), arguments: ["/verify", "/reset", "/confirm-change", "/device"])
    func `A page behind a mailed link escapes a hostile address`(path: String) async throws {
        let site = try await Site()
        let marks = { (text: String) in text.utf8.count { "<>\"".utf8.contains($0) } }
        let plain = marks(try await site.get("\(path)?token=x&user_code=x").text)
        for (before, after) in [
            ("", ""), ("", "\u{301}"), ("\u{600}", ""), ("", "\u{200D}"), ("\u{110BD}", "\u{1F3FB}"),
        ] {
            let attack = ["\"", ">", "<"].map { before + $0 + after }.joined() + "meta http-equiv=refresh content='0'>"
            let query = PercentEncoding.encode(attack.utf8)
            let page = try await site.get("\(path)?token=\(query)&user_code=\(query)")
            #expect(!page.content.contains("http-equiv") && marks(page.text) == plain, "\(query)")
        }
        await site.close()
    }

    @Test(arguments: ["/verify", "/reset", "/confirm-change"])
    func `A page behind a mailed link allows its own style sheet by its digest, and no other`(path: String) async throws
    {
        let site = try await Site()
        let page = try await site.get("\(path)?token=x")
        let sheet = try #require(page.text.split(separator: "<style>").last?.split(separator: "</style>").first)
        let digest = Data(SHA256.hash(data: Array(sheet.utf8))).base64EncodedString()
        expectEqual(page.field("Content-Security-Policy")?.contains("style-src 'sha256-\(digest)';"), true)
        #expect(!page.text.contains("style="))
    }

    @Test
    func `A page behind a mailed link leads back to the app at its end, if the operator has named one`() async throws {
        let site = try await Site { $0.appURL = "notes://open" }
        try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let done = try await site.post("/reset", form: "token=\(token)&password=Another+456%21")
        expectEqual(done.status, 200)
        #expect(done.text.contains(#"<a class="button" href="notes://open">Back to the app</a>"#))
        await site.close()
    }

    @Test func `A page behind a mailed link refuses a form with two tokens or of another type`() async throws {
        let site = try await Site()
        try await expectEqual(site.post("/verify", form: "token=a&token=b").status, 400)
        let json = try await site.post("/verify", ["token": "a"])
        #expect(json.status == 415 && json.title == "The request cannot be used")
        try await expectEqual(site.post("/verify", form: "").status, 400)
    }
}
