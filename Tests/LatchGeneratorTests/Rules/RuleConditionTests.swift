// SPDX-License-Identifier: Apache-2.0

import Expectations
import TestTags
import Testing

@testable import LatchGenerator

@Suite struct RuleConditionTests {
    @Test(arguments: [
        ("!request.email.isEmpty", "!request.email.isEmpty", "email must not be empty"),
        ("request.email.contains('@')", #"request.email.utf8.contains("@".utf8)"#, "email must contain '@'"),
        (
            "request.password.length >= 8", "request.password.unicodeScalars.count >= 8",
            "password must have at least 8 characters"
        ),
        (
            "request.password != request.current_password", "request.password != request.currentPassword",
            "password must differ from current_password"
        ),
        (
            "request.email.isEmpty || request.email.contains('@')",
            #"request.email.isEmpty || request.email.utf8.contains("@".utf8)"#, "email must be empty or contain '@'"
        ),
        ("request.limit > 0", "request.limit > 0", "limit must be more than 0"),
        ("0 < request.limit", "request.limit > 0", "limit must be more than 0"),
        ("request.limit >= -5", "request.limit >= -5", "limit must be at least -5"),
        ("request.rate <= 0.5", "request.rate <= 0.5", "rate must be at most 0.5"),
        ("request.limit < 2.5", "Double(request.limit) < 2.5", "limit must be less than 2.5"),
        ("request.acceptTerms", "request.acceptTerms", "accept_terms must be true"),
        ("request.accept_terms == true", "request.acceptTerms", "accept_terms must be true"),
        ("request.accept_terms != true", "!request.acceptTerms", "accept_terms must be false"),
        ("request.email == 'a'", #"request.email == "a""#, "email must be 'a'"),
        (#"request.email != "it's""#, #"request.email != "it's""#, "email must not be 'it's'"),
        ("request.tags.count <= 1", "request.tags.count <= 1", "tags must have at most 1 item"),
        ("request.tags.contains('x')", #"request.tags.contains("x")"#, "tags must contain 'x'"),
        ("!request.labels.isEmpty", "!request.labels.isEmpty", "labels must not be empty"),
        ("request.proof.size() == 32", "request.proof.count == 32", "proof must have exactly 32 bytes"),
        ("request.email.startsWith('a')", #"request.email.utf8.starts(with: "a".utf8)"#, "email must begin with 'a'"),
        (
            "!request.email.hasSuffix('.')", #"!request.email.utf8.reversed().starts(with: ".".utf8.reversed())"#,
            "email must not end with '.'"
        ),
        ("request.count >= 1", "request.count >= 1", "count must be at least 1"),
        ("!request.class.isEmpty", "!request.`class`.isEmpty", "class must not be empty"),
    ])
    func `A validation rule becomes a Swift condition and a sentence`(rule: String, condition: String, message: String)
        throws
    {
        try expectEqual(RuleTexts.condition(rule), condition)
        try expectEqual(RuleTexts.message(rule), message)
    }

    @Test(
        .tags(.validationRules),
        arguments: [
            // && binds more tightly than ||, and ! more tightly than both.
            (
                "request.limit > 1 || request.limit < 0 && request.accept_terms",
                "(request.limit > 1) || ((request.limit < 0) && request.acceptTerms)"
            ),
            (
                "(request.limit > 1 || request.limit < 0) && request.accept_terms",
                "((request.limit > 1) || (request.limit < 0)) && request.acceptTerms"
            ),
            (
                "!(request.email.isEmpty || request.limit == 0)",
                "!request.email.isEmpty && (request.limit != 0)"
            ),
            ("!request.accept_terms && !!request.email.isEmpty", "!request.acceptTerms && request.email.isEmpty"),
            ("!(request.limit > 1 && !request.accept_terms)", "(request.limit <= 1) || request.acceptTerms"),
        ]) func `A validation rule keeps its precedence`(rule: String, condition: String) throws
    {
        try expectEqual(RuleTexts.condition(rule), condition)
    }

    @Test(arguments: [
        ("request.nick_name.isEmpty", "(request.nickName?.isEmpty ?? true)"),
        ("request.nickName.length < 9", "(request.nickName?.unicodeScalars.count ?? 0) < 9"),
        ("request.nick_name == request.email", #"(request.nickName ?? "") == request.email"#),
        ("request.remember_me", "(request.rememberMe ?? false)"),
        ("!request.profile.bio.isEmpty", "!(request.profile?.bio.isEmpty ?? true)"),
        ("request.profile.twin.age >= 18", "(request.profile?.twin?.age ?? 0) >= 18"),
        ("request.nick_name.contains('x')", #"(request.nickName?.utf8.contains("x".utf8) ?? false)"#),
    ]) func `A validation rule reads an absent field as its default`(rule: String, condition: String) throws {
        try expectEqual(RuleTexts.condition(rule), condition)
    }

    @Test(arguments: [
        ("has(request.profile)", "(request.profile != nil)"),
        ("request.profile != null", "(request.profile != nil)"),
        ("request.profile == nil", "!(request.profile != nil)"),
        ("has(request.nick_name)", "(request.nickName != nil)"),
        ("has(request.created_after)", "request.hasCreatedAfter"),
        ("has(request.profile.born)", "(request.profile?.hasBorn ?? false)"),
        ("has(request.phone)", "request.storage.has(19)"),
        ("has(request.person)", "request.storage.has(20)"),
    ]) func `A validation rule tests the presence of a field`(rule: String, condition: String) throws {
        try expectEqual(RuleTexts.condition(rule), condition)
    }

    @Test func `A validation rule reads a member of a oneof from the storage`() throws {
        try expectEqual(RuleTexts.condition("!request.phone.isEmpty"), "!request.storage[string: 19].isEmpty")
        try expectEqual(RuleTexts.condition("request.room < 5"), "request.storage[int32: 21] < 5")
    }

    @Test func `A validation rule compares enums by the names and the numbers of their values`() throws {
        try expectEqual(RuleTexts.condition("request.role != ROLE_UNSPECIFIED"), "request.role.rawValue != 0")
        try expectEqual(RuleTexts.message("request.role != ROLE_UNSPECIFIED"), "role must not be ROLE_UNSPECIFIED")
        try expectEqual(RuleTexts.condition("request.role == 3"), "request.role.rawValue == 3")
        try expectEqual(RuleTexts.condition("request.role in [ROLE_USER, 3]"), "[1, 3].contains(request.role.rawValue)")
        let contains = try RuleTexts.condition("request.roles.contains(ROLE_ADMIN)")
        expectEqual(contains, "request.roles.contains { $0.rawValue == 3 }")
    }

    @Test func `A validation rule compares times only if both are present`() throws {
        let condition = try RuleTexts.condition("request.created_after < request.created_before")
        expectEqual(
            condition,
            "(!request.hasCreatedAfter || !request.hasCreatedBefore"
                + " || request.createdAfter < request.createdBefore)")
        try expectEqual(
            RuleTexts.message("request.created_after < request.created_before"),
            "created_after must be before created_before")
    }

    @Test func `A validation rule compares numbers of different types`() throws {
        try expectEqual(RuleTexts.condition("request.limit < request.offset"), "request.limit < request.offset")
        try expectEqual(RuleTexts.condition("request.limit < request.rate"), "Double(request.limit) < request.rate")
        try expectEqual(RuleTexts.condition("request.share < request.rate"), "Double(request.share) < request.rate")
    }

    @Test func `A validation rule matches a pattern`() throws {
        let rule = #"request.email.matches('^[a-z]+@\w+$')"#
        try expectEqual(RuleTexts.condition(rule), #"TextPattern("^[a-z]+@\\w+$").matches(request.email)"#)
        try expectEqual(RuleTexts.message(rule), #"email must match '^[a-z]+@\w+$'"#)
        try expectEqual(
            RuleTexts.condition(#"request.email matches "a'b""#), #"TextPattern("a'b").matches(request.email)"#)
    }

    @Test func `A validation rule names every field if it concerns several`() throws {
        try expectEqual(
            RuleTexts.message("!request.email.isEmpty || !request.phone.isEmpty"),
            "email must not be empty or phone must not be empty")
        try expectEqual(
            RuleTexts.message("request.email.isEmpty || request.limit > 0 && request.limit < 9"),
            "email must be empty, or limit must be more than 0 and be less than 9")
    }
}
