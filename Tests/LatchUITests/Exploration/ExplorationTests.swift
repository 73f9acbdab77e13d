// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchTexts
import TestSupport
import Testing

@testable import LatchUI

@Suite struct ExplorationTests {
    @Test(arguments: AuthRoute.Kind.allCases)
    func `Every screen of the list is at its own place, and has scenarios and outcomes`(kind: AuthRoute.Kind) {
        expectEqual(kind.screen?.kind ?? .custom, kind)
        expectEqual(kind.route.kind, kind)
        expectNotEqual(kind.explored?.explorations.isEmpty, true)
        expectEqual(kind.explored == nil, kind == .custom, "The screen's scenarios lack a `FlowScreen`.")
    }

    @Test(arguments: Exploration.all)
    func `Every screen has an exit from each state, and keeps the rules of all screens`(screen: Exploration)
        async throws
    {
        let result = try await offThePool { screen.explore() }
        #expect(result.violations.isEmpty, "\(result.violations.prefix(10).joined(separator: "\n"))")
        #expect(result.states > 3)
    }

    @Test(arguments: Exploration.all)
    func `Every screen has a text in both languages for everything it shows`(screen: Exploration) async throws {
        let phrases = try await offThePool { screen.explore().phrases }
        for language in Texts.languages {
            let texts = Texts(languages: [language])
            for phrase in phrases where !phrase.key.isEmpty {
                let text = texts(phrase)
                #expect(!text.isEmpty && text != phrase.key && !text.contains("%"), "\(phrase.key) in \(language)")
            }
        }
    }

    @Test func `Every screen is in the documentation with all states and inputs`() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/Screens.md")
        let mark = "<!-- The tables below are printed by Tests/LatchUITests: LATCH_REGENERATE=1 writes them. -->\n"
        let text = try String(contentsOf: file, encoding: .utf8)
        let head = try #require(text.range(of: mark))
        let tables = try await offThePool {
            FlowExplorer.shared.markdown + "\n" + Exploration.all.map { $0.explore().markdown }.joined(separator: "\n")
        }
        let expected = text[..<head.upperBound] + "\n" + tables
        if ProcessInfo.processInfo.environment["LATCH_REGENERATE"] != nil {
            try expected.write(to: file, atomically: true, encoding: .utf8)
        } else {
            expectEqual(text, expected, "Run this test with LATCH_REGENERATE=1, and read what has changed.")
        }
    }
}
