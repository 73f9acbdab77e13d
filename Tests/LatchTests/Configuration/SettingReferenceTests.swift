// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchIdentity
import Testing

@testable import latch

@Suite struct SettingReferenceTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation/Settings.md")
    private static let bounds = (begin: "<!-- settings -->\n", end: "<!-- end of settings -->\n")

    /// The table, as the program's own summaries have it.
    private static var table: String {
        let rows = ServeConfiguration.settings.map { setting in
            let standard = setting.standard.isEmpty ? "" : "`\(setting.standard)`"
            let reload = setting.isReloaded ? "yes" : ""
            let meaning = setting.summary + (setting.isSecret ? "; a secret" : "")
            return "| `\(setting.key)` | \(standard) | \(reload) | \(meaning) |\n"
        }
        return "| setting | default | reload | meaning |\n|---|---|---|---|\n" + rows.joined()
    }

    @Test func `The reference of settings has every setting with its default and its summary`() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let begin = try #require(text.firstRange(of: Self.bounds.begin)).upperBound
        let end = try #require(text.firstRange(of: Self.bounds.end)).lowerBound
        if ProcessInfo.processInfo.environment["LATCH_REGENERATE"] != nil {
            try Data((text[..<begin] + Self.table + text[end...]).utf8).write(to: Self.file)
        } else {
            #expect(text[begin..<end] == Self.table, "the table has drifted: run this test with LATCH_REGENERATE=1")
        }
    }
}
