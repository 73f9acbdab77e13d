// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct EmailAddressTests {
    @Test(arguments: [
        ("ada@example.com", "ada@example.com"), ("  Ada@Example.COM\n", "ada@example.com"),
        ("a.b+tag@sub.example.co.uk", "a.b+tag@sub.example.co.uk"), ("o'neil@example.com", "o'neil@example.com"),
        ("x@xn--bcher-kva.example", "x@xn--bcher-kva.example"), ("a@localhost", "a@localhost"),
    ])
    func `An email address is found by its key, regardless of case`(typed: String, key: String) throws {
        let address = try EmailAddress(typed)
        expectEqual(address.key, key)
        expectEqual(address.text.lowercased(), key)
    }

    @Test(.tags(.lookalikeNames)) func `An email address with a tag differs from the one without`() throws {
        try expectNotEqual(EmailAddress("a+b@example.com").key, EmailAddress("a@example.com").key)
    }

    @Test(
        .tags(.lookalikeNames),
        arguments: [
            "", " ", "@", "a@", "@b", "a", "a@b@c.d", "a..b@example.com", "a.@example.com", "a@example..com", "a@.com",
            "a b@example.com", "a@b c", "\"quoted\"@example.com", "a@[127.0.0.1]", "a@exam_ple.com", "a,b@example.com",
            "a\u{7F}@example.com", "a\u{200B}@example.com", "ａ@example.com", "a@example.com\u{0}",
            String(repeating: "a", count: 65) + "@example.com", "a@" + String(repeating: "b.", count: 130) + "com",
        ])
    func `An email address is ASCII of the plain form and nothing else`(typed: String) {
        #expect(throws: IdentityError.self) { try EmailAddress(typed) }
    }
}

@Suite struct PasswordRuleTests {
    private let email: EmailAddress

    init() throws { email = try EmailAddress("ada@example.com") }

    @Test(arguments: ["1234567", "Password123!", "ADA@example.com", "ada#2026!", String(repeating: "ä", count: 513)])
    func `The rules for passwords refuse short, common and very long ones`(password: String) {
        #expect(throws: IdentityError.self) { try PasswordPolicy.check(password, for: email) }
    }

    @Test func `The rules for passwords accept at least 64 characters of any kind`() throws {
        try PasswordPolicy.check(String(repeating: "🧪x", count: 64), for: email)
    }
}
