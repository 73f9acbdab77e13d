// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCore
@testable import LatchRegex

@Suite struct PatternTests {
    @Test(
        arguments: [
            ("abc", "xabcx", true), ("^abc$", "xabc", false), ("^abc$", "abc", true), ("^abc$", "abc\n", false),
            ("", "", true), ("^$", "", true), ("^$", "a", false), ("a|b", "b", true), ("^(a|b|)$", "", true),
            ("^a*$", "aaaa", true), ("^a+$", "", false), ("^a?b$", "b", true), ("^a{2,3}$", "a", false),
            ("^a{2,3}$", "aaa", true), ("^a{2,3}$", "aaaa", false), ("^a{2}$", "aa", true), ("^a{2,}$", "aaaaa", true),
            ("^a{,2}$", "a{,2}", true), ("^a*?b+?$", "aab", true), ("^(ab)*$", "abab", true),
            ("^(?:ab)*$", "aba", false),
            ("^(?P<year>\\d{4})-(?<month>\\d\\d)$", "2026-11", true), ("^.$", "\n", false), ("(?s)^.$", "\n", true),
            ("^.$", "é", true), ("^.$", "😀", true), ("^..$", "e\u{301}", true), ("(?m)^b$", "a\nb\nc", true),
            ("^b$", "a\nb\nc", false), ("(?i)^straße$", "STRAßE", true), ("(?i)^[a-c]+$", "AbC", true),
            ("^(?i:a)b$", "Ab", true), ("^(?i:a)b$", "AB", false), ("(?i)a(?-i)b", "AB", false),
            ("\\bfoo\\b", "a foo b", true),
            ("\\bfoo\\b", "afoo", false), ("\\Boo", "foo", true), ("^[a-z0-9_]+$", "ab_9", true),
            ("^[^a-z]$", "b", false),
            ("^[]a]+$", "]a", true), ("^[a-]$", "-", true), ("^[\\d.-]+$", "1.2-3", true),
            ("^[[:alpha:]]+$", "aZ", true),
            ("^[[:^digit:]]$", "5", false), ("^[\\D]$", "5", false), ("^[\\W\\d]$", "5", true), ("^\\pL+$", "äß", true),
            ("^\\p{Lu}$", "Ä", true), ("^\\P{Lu}$", "Ä", false), ("^\\p{^Lu}$", "ä", true), ("^[\\pN-]+$", "٣-", true),
            ("^\\x41\\x{1F600}$", "A😀", true), ("^\\101$", "A", true), ("^\\Qa.b*\\E$", "a.b*", true),
            ("^\\.\\*\\/$", ".*/", true),
            ("\\Aab\\z", "ab", true), ("\\Aab\\z", "ab\n", false), ("^(a*)*$", "aaa", true),
            ("^(a|a)*b$", "aaab", true),
            ("^\\w+@\\w+\\.com$", "joe@example.com", true), ("^\\d$", "٣", false), ("[a-c&&b]", "&", true),
            ("^\\s$", "\u{0B}", false), ("x{", "x{", true), ("(?U)a+", "a", true), ("^(((a)))$", "a", true),
        ] as [(String, String, Bool)]) func `A pattern matches as RE2 does`(
            pattern: String, text: String, expected: Bool
        ) throws
    {
        try expectEqual(Pattern(pattern).matches(text), expected)
    }

    @Test(arguments: [
        "(", ")", "a)", "(a", "[a", "[z-a]", "*", "+a", "a**", "a{2}{3}", "a{1001}", "a{3,2}", "\\", "\\1", "\\8",
        "\\y", "\\C",
        "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?x)a", "\\p{Greek}", "\\p{", "[[:word", "[[:nope:]]", "\\xZZ",
        "\\x{110000}",
        "a???", "(?P<a", "[\\", "((((((((((a{1000}){1000}){1000})))))))",
    ]) func `A pattern is refused if RE2 refuses it or we cannot support it`(pattern: String) {
        #expect(throws: PatternError.self) { try Pattern(pattern) }
    }

    @Test func `A pattern costs its length times the text's`() throws {
        // Exponential for an engine that goes back.
        let text = String(repeating: "a", count: 2_000)
        #expect(try !Pattern("^(a+)+$").matches(text + "b"))
        #expect(try !Pattern("^(a|aa)+$").matches(text + "b"))
        #expect(try Pattern(String(repeating: "a?", count: 100) + String(repeating: "a", count: 100)).matches(text))
        #expect(try Pattern("((((){1000}){1000}){1000}){1000}").matches(""))
        #expect(throws: PatternError.self) { try Pattern(String(repeating: "(", count: 100_000)) }
    }

    @Test func `A pattern reports the place of its error`() throws {
        do {
            _ = try Pattern("abc[z-a]")
            Issue.record("a range that ends before it begins is accepted")
        } catch {
            expectEqual(error.offset, 7)
            expectEqual(error.description, "a range ends before it begins (character 8)")
        }
    }
}
