// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct RuleErrorTests {
    @Test(arguments: [
        ("request.mail.isEmpty", 8, "has no field 'mail'"),
        ("!request.email.isEmpty && request.profile.bioo.isEmpty", 42, "has no field 'bioo'"),
        ("request.email.reverse() == 'x'", 14, "has no member 'reverse'"),
        ("email.isEmpty", 0, "fields are named as 'request.email'"),
        ("request.email", 0, "'email' is not a condition"),
        ("request.limit.isEmpty", 14, "'limit' has no 'isEmpty', it is a whole number"),
        ("request.limit.contains('1')", 0, "is a whole number and not a text"),
        ("request.email > 'a'", 14, "has no order"),
        ("request.email == 5", 14, "'email' is a text and cannot equal this value"),
        ("request.limit == 'five'", 14, "'limit' is a whole number and cannot equal this value"),
        ("request.limit == 5000000000", 14, "5000000000 is out of the range of 'limit'"),
        ("request.offset >= -1", 15, "-1 is out of the range of 'offset'"),
        ("request.role == ROLE_NOBODY", 13, "has no value 'ROLE_NOBODY'"),
        ("request.email == request.limit", 14, "are of different types"),
        ("request.email.length >= 'a'", 21, "a length can be compared only with a whole number"),
        ("has(request.email)", 4, "does not track its presence"),
        ("request.email.isEmpty ||", 24, "is missing before the end"),
        ("request.email.isEmpty or true", 22, "'or' does not belong there"),
        ("request.email.isEmpty)", 21, "')' does not belong there"),
        ("(request.email.isEmpty", 22, "')' is missing before the end"),
        ("request.email.contains('@)", 23, "the text does not end"),
        ("request.limit + 1 > 2", 14, "unexpected '+'"),
        ("request", 7, "a field is missing after 'request'"),
        ("", 0, "the rule is empty"),
        ("1 == 1", 2, "compares no field"),
        ("request.person == request.profile", 8, "cannot be compared"),
        ("request.email.matches('(a')", 0, "the pattern '(a' is invalid"),
        ("request.profile.born < request.created_after", 21, "fields of the request itself"),
    ])
    func `A validation rule that is wrong reports the error and its place`(rule: String, column: Int, message: String)
        throws
    {
        let error = try RuleTexts.error(rule)
        #expect(error.message.contains(message), "\(error.message)")
        expectEqual(error.column, column)
    }

    @Test func `A validation rule that is wrong does not affect the others of its method`() throws {
        let (checks, errors) = try RuleTexts.check("request.email.isEmpty", "what?", "request.limit > 0")
        expectEqual(checks.map(\.condition), ["request.email.isEmpty", "request.limit > 0"])
        expectEqual(errors.count, 1)
    }

    @Test func `A validation rule that is wrong is shown with its line, a caret and a hint`() throws {
        let error = try #require(try RuleTexts.check("request.emailAddress.isEmpty").errors.first)
        #expect(error.description.contains("rules.proto:"))
        #expect(error.description.contains("^"))
        expectEqual(error.hint?.contains("its fields are email, password"), true)
        let near = try #require(try RuleTexts.check("request.NickName.isEmpty").errors.first)
        expectEqual(near.hint, "there is 'nick_name'")
    }

    @Test func `A validation rule that is wrong does not run out of stack`() throws {
        for rule in [
            String(repeating: "(", count: 100_000), String(repeating: "!", count: 100_000) + "request.email.isEmpty",
        ] {
            #expect(try RuleTexts.error(rule).message.contains("nested too deeply"))
        }
    }
}
