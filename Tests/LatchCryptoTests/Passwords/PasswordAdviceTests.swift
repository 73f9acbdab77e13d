// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import TestVectors
import Testing

@Suite struct PasswordAdviceTests {
    @Test(arguments: [
        "Secret123!", "correct horse battery staple", "🧪🧪🧪🧪🧪🧪🧪x", "        x", "ÄÖÜäöüß1", "xkcd93618",
        "hunter2-hunter2-x",
        "Tr0ub4dor&3", "4896fb99", "2718x2818", String(repeating: "ab", count: 20), "12.04.1987-a",
        "94751308", "dragonfly-canoe", "monkey!!!wrench", "Ada likes tea", "secret-harbor-7", "passwordless2go",
        "qwertz asdf 77 hm", "zwölf7 Eier",
    ])
    func `A password that is long enough and not among the first guesses is accepted`(password: String) {
        expectEqual(PasswordAdvice(on: password, of: "ada@example.com"), .accepted)
    }

    @Test(arguments: [
        "PassWord", "Password123", "qwertyuiop", "zzzzzzzzzzzz", "ADA@example.com", "12345678",
        "987654321", "11223344", "abcabcabc", "12121212", "asdfghjkl", "1q2w3e4r", "1qaz2wsx", "zaq12wsx", "qazwsxedc",
        "24121987",
        "19870412", "Sunshine2026", "dragon123456", "p@ssw0rd", "Passw0rd1", "123password", "iloveyou", "lovemichael",
        "ada12345", "example2025",
        "passwort", "motdepasse", "Fussball1", "teamo123", "qwerty123", "monkey99", "superman", "administrator",
        "charlie1987", "abcdefgh-12", "xyz87654321", "Password123!", "secret123!", "Secret2026", "!Sommer2026",
        "letmein#1", "dragon!!",
        "ada#2026!",
        String(repeating: "z", count: 40),
    ])
    func `A password among the first guesses is a common one`(password: String) {
        expectEqual(PasswordAdvice(on: password, of: "ada@example.com"), .common)
    }

    @Test(arguments: ["", "1234567", "🧪🧪🧪🧪🧪🧪🧪"])
    func `A password of fewer than eight scalars is short`(password: String) {
        expectEqual(PasswordAdvice(on: password, of: "ada@example.com"), .short)
    }

    @Test func `Common words stay common with what others add to them`() {
        let fillings = ["1", "123", "2026", "1!", "!", "123!", "01011990", "4711?", "#7"]
        for word in ["password", "Sunshine", "Dragon", "princess", "Schatz", "MoTdePasse"] {
            for filling in fillings where word.utf8.count + filling.utf8.count >= 8 {
                for password in [word + filling, filling + word, word + word + filling] {
                    expectEqual(PasswordAdvice(on: password, of: ""), .common, "\(password)")
                }
            }
        }
    }

    @Test func `Random passwords are accepted`() {
        var random = SeededGenerator(seed: 44)
        let signs = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        for length in 8...12 {
            for _ in 0..<400 {
                let password = String((0..<length).map { _ in signs[Int.random(in: 0..<64, using: &random)] })
                expectEqual(PasswordAdvice(on: password, of: "ada@example.com"), .accepted, "\(password)")
            }
        }
    }
}
