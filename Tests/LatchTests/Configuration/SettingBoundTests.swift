// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchIdentity
import LatchTesting
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct SettingBoundTests {
    static let keys = ServeConfiguration.settings.filter { Int($0.standard) != nil }.map(\.key)

    private func setting(_ key: String) throws -> Setting {
        try #require(ServeConfiguration.settings.first { $0.key == key })
    }

    @Test(arguments: keys)
    func `A setting that is a number accepts both of its stated bounds, and nothing beyond them`(key: String) throws {
        let setting = try setting(key)
        let message = try #require(setting.problem(in: "x")?.message)
        let numbers = message.split { !$0.isNumber }.compactMap { Int($0) }.suffix(2)
        let (low, high) = (try #require(numbers.first), try #require(numbers.last))
        #expect(low < high)
        for number in [low, high] { expectNil(setting.problem(in: String(number)), "\(number)") }
        for number in [low - 1, high + 1, .max, .min] {
            expectEqual(setting.problem(in: String(number))?.message.contains(key), true, "\(number)")
        }
        let standard = try #require(Int(setting.standard))
        #expect((low...high).contains(standard))
    }

    @Test(arguments: keys)
    func `A setting that is a number takes no unit, no fraction and no blank`(key: String) throws {
        let setting = try setting(key)
        for text in [
            "", " ", "10s", "15m", "10.0", "1e2", " 100", "100 ", "0x10", "1_000", "１００", "99999999999999999999",
        ] {
            #expect(setting.problem(in: text) != nil, "'\(text)'")
        }
    }
}

@Suite struct SettingReloadTests {
    @Test(arguments: ServeConfiguration.settings.map(\.key))
    func `A setting that changes while the server runs takes effect or is reported to wait, and never both`(key: String)
        throws
    {
        let setting = try #require(ServeConfiguration.settings.first { $0.key == key })
        let first = try Settings()
        let now = try Settings(environment: [setting.environmentName: EverySettingTests.samples(setting)[0]])
        let takesEffect = now.keeping(first).text(of: key) == now.text(of: key)
        expectEqual(now.keysNeedingRestart(since: first), takesEffect ? [] : [key])
        expectEqual(first.keysNeedingRestart(since: now), takesEffect ? [] : [key])
        let others = zip(now.keeping(first).all, first.all).filter { $0.0.setting.key != key }
        #expect(others.allSatisfy { $0.text == $1.text })
    }

    @Test func `A setting of sockets, files or secrets does not change while the server runs`() throws {
        let first = try Settings()
        let environment = Dictionary(
            uniqueKeysWithValues: ServeConfiguration.settings.map {
                ($0.environmentName, EverySettingTests.samples($0)[0])
            })
        let waiting = try Settings(environment: environment).keysNeedingRestart(since: first)
        #expect(Set(waiting).isSuperset(of: ServeConfiguration.ownSettings.map(\.key)))
        #expect(Set(waiting).isSuperset(of: ["issuer", "token_pepper", "smtp_url", "mail_directory"]))
    }
}

@Suite struct PrintedSettingsTests {
    @Test(arguments: [
        "plain", "a \"b\" c", "back\\slash", "tab\there", "line\nbreak", "cr\r\nlf", "\u{7F}\u{1}", "é — ü", "e\u{301}",
        "# no remark",
        "= =", "'", "\"\"\"", "00123", "+1", "-0", "-5", "0x10", "1_000", "1.5", "true", "TRUE", "inf", "2026-01-01",
        "\\u0041", " blanks ", "🙂",
    ])
    func `The settings as they are printed read back as the same text, for any value`(text: String) async throws {
        try await withTemporaryFolder { folder in
            let settings = try Settings(environment: ["LATCH_MAIL_DIRECTORY": text, "LATCH_AUDIENCE": text])
            let again = try Settings(file: SettingsTests.file(settings.toml, in: folder))
            expectEqual(Array(again.text(of: "mail_directory").utf8), Array(text.utf8))
            expectEqual(again.all.map(\.text), settings.all.map(\.text))
            let keys = settings.json.arrayValue?.compactMap { $0["key"]?.stringValue }
            expectEqual(keys, ServeConfiguration.settings.map(\.key))
        }
    }
}
