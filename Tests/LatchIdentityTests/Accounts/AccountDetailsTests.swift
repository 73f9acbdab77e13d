// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccountDetailsTests {
    private func full() -> AccountDetailsChange {
        var change = AccountDetailsChange()
        (change.firstName, change.lastName, change.displayName) = (" Ada ", "Lovelace", "The Countess")
        change.username = "countess"
        change.avatarURL = "https://example.com/ada.png?size=2#face"
        var about = AccountDetails.About()
        about.bio = "First line\nsecond line with ünïcode"
        about.phone = "+41 (0)44 123-45-67"
        about.dateOfBirth = Date(timeIntervalSince1970: -4_860_000_000)
        about.interests = ["engines", "numbers"]
        about.links = [.init(platform: "web", url: "http://example.com/", isPublic: true)]
        change.about = about
        var preferences = AccountDetails.Preferences()
        (preferences.language, preferences.timeZone, preferences.theme) = ("en-GB", "Europe/London", "dark")
        preferences.disabledFeatures = ["beta:search"]
        change.preferences = preferences
        return change
    }

    @Test func `A profile comes back as it was set, and prints as nothing`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        site.clock.advance(by: 5)
        let told = try await site.identity.administration.change(full(), of: ada.id, by: AccountActor(ada.id))
        expectEqual(told.details.firstName, "Ada")
        expectEqual(told.details.about, full().about)
        expectEqual(told.details.preferences, full().preferences)
        expectEqual(told.account.username?.text, "countess")
        expectEqual(told.updatedAt, site.clock.now)
        try await expectEqual(site.identity.administration.account(ada.id, for: ada), told)
        #expect(!"\(told) \(String(reflecting: told.details))".contains("Lovelace"))
        await site.close()
    }

    @Test func `A profile changes given fields, keeps absent ones, and removes empty ones`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        _ = try await site.identity.administration.change(full(), of: ada.id, by: AccountActor(ada.id))
        var change = AccountDetailsChange()
        change.lastName = ""
        change.username = ""
        let told = try await site.identity.administration.change(change, of: ada.id, by: AccountActor(ada.id))
        #expect(told.details.lastName.isEmpty && told.account.username == nil)
        #expect(told.details.firstName == "Ada" && told.details.about == full().about)
        change = AccountDetailsChange()
        change.displayName = ""
        try await expectEqual(
            site.identity.administration.change(change, of: ada.id, by: AccountActor(ada.id)).details
                .shownName, "Ada")
        await site.close()
    }

    @Test func `A profile loses none of many changes at once`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        let administration = site.identity.administration
        try await withThrowingTaskGroup { group in
            for number in 0..<30 {
                group.addTask {
                    var change = AccountDetailsChange()
                    switch number % 3 {
                    case 0: change.firstName = "Ada"
                    case 1: change.lastName = "Lovelace"
                    default: change.displayName = "Countess"
                    }
                    _ = try await administration.change(change, of: ada.id, by: AccountActor(ada.id))
                }
            }
            try await group.waitForAll()
        }
        let told = try await administration.account(ada.id, for: ada).details
        expectEqual([told.firstName, told.lastName, told.displayName], ["Ada", "Lovelace", "Countess"])
        await site.close()
    }

    @Test func `A profile has a unique user name`() async throws {
        let site = try await Site()
        let (ada, bob) = (try await site.signUp(), try await site.signUp("bob@example.com"))
        _ = try await site.identity.administration.change(full(), of: ada.id, by: AccountActor(ada.id))
        var change = AccountDetailsChange()
        change.username = "COUNTESS"
        change.firstName = "Bob"
        let taken = change
        await expectEqual(
            refusal { try await site.identity.administration.change(taken, of: bob.id, by: AccountActor(bob.id)) },
            "alreadyExists")
        // All of it or nothing.
        #expect(try await site.identity.administration.account(bob.id, for: bob).details.firstName.isEmpty)
        await site.close()
    }

    static let refused: [(String, @Sendable (inout AccountDetailsChange, inout AccountDetails.About) -> Void)] = [
        ("first_name", { change, _ in change.firstName = String(repeating: "a", count: 101) }),
        ("last_name", { change, _ in change.lastName = "Ada\r\nBcc: all" }),
        ("display_name", { change, _ in change.displayName = "\u{1B}[2J" }),
        ("display_name", { change, _ in change.displayName = "Ada \u{202E}nimda" }),
        ("last_name", { change, _ in change.lastName = "Lovelace\u{2028}Admin" }),
        ("avatar_url", { change, _ in change.avatarURL = "javascript:alert(1)" }),
        ("avatar_url", { change, _ in change.avatarURL = "data:text/html,x" }),
        ("avatar_url", { change, _ in change.avatarURL = "https://you@example.com/" }),
        ("avatar_url", { change, _ in change.avatarURL = "//example.com/x" }),
        ("avatar_url", { change, _ in change.avatarURL = "https://example.com/?\"><script>" }),
        ("bio", { _, about in about.bio = String(repeating: "a", count: 4001) }),
        ("bio", { _, about in about.bio = "nul \u{0}" }),
        ("phone", { _, about in about.phone = "call me" }),
        ("website", { _, about in about.website = "ftp://example.com" }),
        ("date_of_birth", { _, about in about.dateOfBirth = noon + 1_000_000 }),
        ("date_of_birth", { _, about in about.dateOfBirth = Date(timeIntervalSince1970: -9_000_000_000) }),
        ("profile", { _, about in about.interests = Array(repeating: "a", count: 51) }),
        ("interests", { _, about in about.interests = [String(repeating: "a", count: 101)] }),
        ("social_links", { _, about in about.links = [.init(platform: "x", url: "", isPublic: true)] }),
        ("social_links", { _, about in about.links = [.init(platform: "x", url: "vbscript:x", isPublic: true)] }),
        ("language", { change, _ in change.preferences = .init(language: "de_CH; DROP") }),
        ("timezone", { change, _ in change.preferences = .init(timeZone: "../../etc/passwd ") }),
        ("username", { change, _ in change.username = "a@b" }),
    ]

    @Test(arguments: 0..<refused.count)
    func `A profile is refused by the name of the invalid field, and nothing of it is kept`(index: Int) async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        let (name, spoil) = Self.refused[index]
        var (change, about) = (AccountDetailsChange(), AccountDetails.About())
        spoil(&change, &about)
        if about != .init() { change.about = about }
        change.firstName = change.firstName ?? "kept?"
        let spoilt = change
        let error = await failure {
            try await site.identity.administration.change(spoilt, of: ada.id, by: AccountActor(ada.id))
        }
        expectEqual(error?.code, "invalidInput")
        expectEqual(error?.message.contains("'\(name)'"), true)
        try await expectEqual(site.identity.administration.account(ada.id, for: ada).details, AccountDetails())
        await site.close()
    }

    @Test(.tags(.objectAccess))
    func `A profile is shown to its owner and to administrators, and changed by no stranger`() async throws {
        let site = try await Site()
        let (ada, bob) = (try await site.signUp(), try await site.signUp("bob@example.com"))
        let boss = try await site.signUp("boss@example.com", roles: ["admin"])
        let administration = site.identity.administration
        await expectEqual(refusal { try await administration.account(ada.id, for: bob) }, "forbidden")
        // An id that is nobody's is answered in the same way: ids cannot be tried.
        await expectEqual(refusal { try await administration.account("nobody", for: bob) }, "forbidden")
        await expectEqual(
            refusal { try await administration.change(full(), of: ada.id, by: AccountActor(bob.id)) }, "forbidden")
        await expectEqual(
            refusal { try await administration.change(full(), of: "nobody", by: AccountActor(bob.id)) }, "forbidden")
        await expectEqual(refusal { try await administration.list(AccountQuery(), for: bob) }, "forbidden")
        await expectEqual(refusal { try await administration.statistics(for: bob) }, "forbidden")
        try await expectEqual(administration.account(ada.id, for: boss).account.id, ada.id)
        try await expectEqual(
            administration.change(full(), of: ada.id, by: AccountActor(boss.id)).details.firstName, "Ada")
        await expectEqual(
            refusal { try await administration.change(full(), of: "nobody", by: AccountActor(boss.id)) },
            "noSuchAccount")
        await site.close()
    }

    @Test func `A profile has the date of the last sign-in`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        try await expectNil(site.identity.administration.account(ada.id, for: ada).lastLoginAt)
        site.clock.advance(by: 60)
        _ = try await site.logIn()
        try await expectEqual(site.identity.administration.account(ada.id, for: ada).lastLoginAt, noon + 60)
        await site.close()
    }
}
