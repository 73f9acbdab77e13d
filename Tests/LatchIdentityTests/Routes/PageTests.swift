// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchCrypto
import LatchHTTP
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct `A page that a mail links to` {
    @Test(.tags(.attackE5), arguments: Way.allCases)
    func `changes nothing when it is opened, and verifies when the button is pressed`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp(isVerified: false)
        let token = try #require(await site.mailedToken())
        let login = try await site.logIn()
        for _ in 0..<3 {
            let page = try await site.get("/verify?token=\(token)")
            #expect(page.status == 200)
            #expect(page.text.contains(#"<form method="post" action="/verify">"#))
            #expect(page.text.contains(token))
        }
        #expect(try await site.send(.head, "/verify?token=\(token)").status == 200)
        #expect(try await site.get("/user/profile", bearer: login.access).json["emailVerified"] == false)
        let form = "token=\(token)&password=Secret123%21&new_password="
        #expect(try await site.post("/verify", form: form).status == 200)
        let next = try await site.logIn()
        #expect(try await site.get("/user/profile", bearer: next.access).json["emailVerified"] == true)
        let again = try await site.post("/verify", form: form)
        #expect(again.status == 400)
        #expect(again.text.contains("not valid"))
        await site.close()
    }

    @Test func `is not the one of the server's own address, which says what answers there and takes nothing`()
        async throws
    {
        let site = try await Site()
        let page = try await site.get("/")
        #expect(page.status == 200 && page.text.contains("<h1>This is an auth server</h1>"))
        #expect(page.field(.contentType)?.hasPrefix("text/html") == true && !page.text.contains("<form"))
        #expect(try await site.post("/", form: "a=b").status == 405)
        await site.close()
    }

    @Test func `sets a new password`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        #expect(try await site.get("/reset?token=\(token)").text.contains(token))
        let weak = try await site.post("/reset", form: "token=\(token)&password=short")
        #expect(weak.status == 400)
        #expect(weak.text.contains("fewer than 8"))
        #expect(try await site.post("/reset", form: "token=\(token)&password=Another+456%21").status == 200)
        #expect(try await site.logIn(password: "Another 456!").status == 200)
        #expect(try await site.post("/reset", form: "token=\(token)&password=Another+456%21").status == 400)
    }

    @Test(arguments: ["/verify", "/reset", "/confirm-change"])
    func `is in no frame, runs no script, and tells nobody its address`(path: String) async throws {
        let site = try await Site()
        let page = try await site.get("\(path)?token=x")
        #expect(page.field("Content-Security-Policy")?.contains("default-src 'none'") == true)
        #expect(page.field("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
        #expect(page.field("X-Frame-Options") == "DENY")
        #expect(page.field("Referrer-Policy") == "no-referrer")
        #expect(page.field("X-Content-Type-Options") == "nosniff")
        #expect(page.field(.cacheControl) == "no-store")
    }

    @Test(arguments: ["/verify", "/reset", "/confirm-change"])
    func `writes what its address holds as text`(path: String) async throws {
        let site = try await Site()
        let page = try await site.get("\(path)?token=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%26%27")
        #expect(!page.text.contains("<script"))
        #expect(page.text.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;"))
    }

    @Test(.tags(.attackE10), arguments: ["/verify", "/reset", "/confirm-change"])
    func `writes what its address holds as text, whatever accents join its quotation marks`(path: String) async throws {
        let site = try await Site()
        let marks = { (text: String) in text.utf8.count { "<>\"".utf8.contains($0) } }
        let plain = marks(try await site.get("\(path)?token=x").text)
        for (before, after) in [("", "\u{301}"), ("\u{600}", ""), ("", "\u{200D}"), ("\u{110BD}", "\u{1F3FB}")] {
            let attack = ["\"", ">", "<"].map { before + $0 + after }.joined() + "meta http-equiv=refresh content='0'>"
            let query = PercentEncoding.encode(attack.utf8)
            let page = try await site.get("\(path)?token=\(query)")
            #expect(page.status == 200 && marks(page.text) == plain, "\(query)")
        }
    }

    @Test(arguments: ["/verify", "/reset", "/confirm-change"])
    func `allows its own style sheet by its digest, and no other`(path: String) async throws {
        let site = try await Site()
        let page = try await site.get("\(path)?token=x")
        let sheet = try #require(page.text.split(separator: "<style>").last?.split(separator: "</style>").first)
        let digest = Data(SHA256.hash(data: Array(sheet.utf8))).base64EncodedString()
        #expect(page.field("Content-Security-Policy")?.contains("style-src 'sha256-\(digest)';") == true)
        #expect(!page.text.contains("style="))
    }

    @Test func `refuses a form with two tokens or of another type`() async throws {
        let site = try await Site()
        #expect(try await site.post("/verify", form: "token=a&token=b").status == 400)
        #expect(try await site.post("/verify", ["token": "a"]).status == 415)
        #expect(try await site.post("/verify", form: "").status == 400)
    }
}
