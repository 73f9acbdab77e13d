// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTexts
import LatchUI
import Testing

@Suite struct `Every screen` {
    @Test(arguments: Exploration.all)
    func `has an exit from each state, and keeps the rules of all screens`(screen: Exploration) {
        let result = screen.explore()
        #expect(result.violations.isEmpty, "\(result.violations.prefix(10).joined(separator: "\n"))")
        #expect(result.states > 3)
    }

    @Test(arguments: Exploration.all)
    func `has a text in both languages for all that it shows`(screen: Exploration) {
        for language in ["en", "de"] {
            let texts = Texts(languages: [language])
            for phrase in screen.explore().phrases where !phrase.key.isEmpty {
                let text = texts(phrase)
                #expect(!text.isEmpty && text != phrase.key && !text.contains("%"), "\(phrase.key) in \(language)")
            }
        }
    }

    @Test func `is in the documentation with all states and inputs`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/Screens.md")
        let mark = "<!-- The tables below are printed by Tests/LatchUITests: LATCH_REGENERATE=1 writes them. -->\n"
        let text = try String(contentsOf: file, encoding: .utf8)
        let head = try #require(text.range(of: mark))
        let expected =
            text[..<head.upperBound] + "\n" + FlowExplorer.shared.markdown + "\n"
            + Exploration.all.map { $0.explore().markdown }.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["LATCH_REGENERATE"] != nil {
            try expected.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text == expected, "Run this test with LATCH_REGENERATE=1, and read what has changed.")
        }
    }
}
