// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PasswordResetLimitTests {
    /// A surface that sets a password by a link.
    enum Surface: CaseIterable { case json, call, resetPage, verificationPage }

    private func set(_ password: String, on site: Site, by surface: Surface) async throws -> Int {
        if surface != .verificationPage {
            _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        }
        let token = try #require(await site.mailedToken())
        switch surface {
        case .json:
            return try await site.post(
                "/api/auth/reset-password", ["token": .string(token), "newPassword": .string(password)]
            ).status
        case .call:
            return try await site.call(
                "ResetPassword", ["resetToken": .string(token), "newPassword": .string(password)]
            ).status
        case .resetPage: return try await site.post("/reset", form: "token=\(token)&password=\(password)").status
        case .verificationPage:
            return try await site.post("/verify", form: "token=\(token)&new_password=\(password)").status
        }
    }

    @Test(arguments: Surface.allCases)
    func `A mailed link that sets a password ends the wait, under the address and the user name`(surface: Surface)
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        let ada = try await site.signUp(isVerified: surface != .verificationPage)
        var change = AccountDetailsChange()
        change.username = "countess"
        _ = try await site.identity.administration.change(change, of: ada.id, by: AccountActor(ada.id))
        for name in ["ada@example.com", "countess"] {
            for _ in 0..<3 { try await expectEqual(site.logIn(name, password: "wrong").status, 401) }
            try await expectEqual(site.logIn(name).status, 429)
        }
        try await expectEqual(set("Another-456", on: site, by: surface), 200)
        try await expectEqual(site.logIn("countess", password: "Another-456").status, 200)
        try await expectEqual(site.logIn("ada@example.com", password: "Another-456").status, 200)
        await site.close()
    }

    @Test
    func `A mailed link that sets a password leaves the limits of the network and of other accounts`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        for name in ["ada", "bob"] { try await site.signUp("\(name)@example.com") }
        let limits = site.identity.services.limits.login(name: "", address: "")
        let network = try #require(limits.first { $0.scope == .loginNetwork }).limit.capacity
        for _ in 0..<3 {
            for name in ["ada", "bob"] { _ = try await site.logIn("\(name)@example.com", password: "wrong") }
        }
        try await expectEqual(set("Another-456", on: site, by: .json), 200)
        try await expectEqual(site.logIn("bob@example.com").status, 429)
        for number in 6..<network { _ = try await site.logIn("\(number)@example.com", password: "wrong") }
        try await expectEqual(site.logIn(password: "Another-456").status, 429)
        await site.close()
    }

    @Test func `A mailed link that sets a password ends no wait if the link is not valid`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 3 }
        try await site.signUp()
        for _ in 0..<3 { _ = try await site.logIn(password: "wrong") }
        let reset: JSONValue = ["token": "no-such-token", "newPassword": "Another-456"]
        try await expectEqual(site.post("/api/auth/reset-password", reset).status, 400)
        try await expectEqual(site.logIn().status, 429)
        await site.close()
    }
}
