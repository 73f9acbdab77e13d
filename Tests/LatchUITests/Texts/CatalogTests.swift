// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchTexts
import LatchUI
import Testing

@Suite struct CatalogTests {
    private let catalog = StringCatalog.latchwork

    @Test func `The catalog of texts has every key in English and German`() {
        expectEqual(catalog.languages, ["de", "en", "es", "fr"])
        for key in catalog.keys {
            expectEqual(Set(catalog.entries[key, default: [:]].keys), Set(catalog.languages), "\(key)")
            for text in catalog.entries[key, default: [:]].values.flatMap(\.texts) {
                #expect(!text.isEmpty && text.trimmingCharacters(in: .whitespaces) == text, "\(key)")
            }
        }
    }

    @Test func `The catalog of texts has the same placeholders and plural forms in both languages`() {
        for key in catalog.keys {
            let entries = catalog.entries[key, default: [:]]
            let placeholders = entries.values.flatMap(\.texts).map { text in
                Placeholder.split(text).filter { if case .argument = $0 { true } else { false } }
            }
            expectEqual(Set(placeholders).count, 1, "\(key)")
            let forms = entries.values.map { entry -> Set<StringCatalog.PluralForm> in
                if case .plural(let forms) = entry { Set(forms.keys) } else { [] }
            }
            expectEqual(Set(forms).count, 1, "\(key)")
        }
    }

    @Test func `The catalog of texts has exactly the keys that the sources use`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        var used: Set<String> = []
        let facades = ["AuthPackageUI/Models", "LaziOAuth/Models", "LaziOAuth/ViewModels", "LaziOAuth/Platform"]
        let folders =
            ["Sources/UI", "Sources/Core/LatchTexts", "Sources/Commands/latch/Screens"]
            + facades.map { "Sources/Compatibility/\($0)" }
        for folder in folders {
            let files = try #require(
                FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                // Names of the system's symbols, and of a type of the pasteboard.
                let others = ["Symbol.swift", "ScopeSelectionView.swift", "Pasteboard+AppKit.swift"]
                if others.contains(file.lastPathComponent) { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /"((?:[a-z][A-Za-z]*\.)+[A-Za-z]+|progress)"/) {
                    used.insert(String(match.1))
                }
            }
        }
        // Keys that are composed of the name of a case.
        for reason in ScreenFailure.Reason.allCases where reason != .locked {
            used.insert("failure.\(reason.rawValue)")
        }
        used.formUnion(["field.email", "field.username"])
        expectEqual(used.subtracting(catalog.keys), [])
        // The texts of the server's pages and mails have a test of their own.
        let prefixes = ["page.", "problem.", "mail.", "event."]
        let ofServer = catalog.keys.filter { key in prefixes.contains { key.hasPrefix($0) } }
        expectEqual(Set(catalog.keys).subtracting(used).subtracting(ofServer), [])
    }

    @Test func `The catalog of texts names failures with the next step`() {
        for reason in ScreenFailure.Reason.allCases {
            for language in Texts.languages {
                let text = Texts(languages: [language])(ScreenFailure(reason).phrase)
                #expect(text.split(separator: ".").count >= 2, "\(text)")
            }
        }
    }
}

@Suite struct TextWriterTests {
    @Test(arguments: [
        (["de-CH", "en"], "de"), (["nl", "de"], "de"), (["nl"], "en"), (["fr-CA"], "fr"), ([], "en"), (["EN_us"], "en"),
    ])
    func `A writer of texts takes the first available language`(languages: [String], expected: String) {
        expectEqual(Texts(languages: languages).language, expected)
    }

    @Test func `A writer of texts fills in names, plural forms, dates and phrases`() {
        let texts = Texts(languages: ["en"])
        expectEqual(texts(Phrase("verification.sent", .text("100%@"))), "We sent an email to 100%@.")
        expectEqual(texts(Phrase("devices.signedOut", .count(1))), "1 device was signed out.")
        expectEqual(texts(Phrase("devices.signedOut", .count(3))), "3 devices were signed out.")
        expectEqual(
            texts(Phrase("devices.lastUse", .date(Date(timeIntervalSince1970: 86_400 * 40)))), "Last used on 1970-02-10"
        )
        expectEqual(texts(Phrase("field.required", .phrase(Phrase("field.password")))), "Password is missing.")
        expectEqual(texts(.verbatim("%@ 100%")), "%@ 100%")
        expectEqual(texts(Phrase("no.such.key")), "no.such.key")
    }

    @Test func `A writer of texts takes an app's own text first`() {
        let texts = Texts(languages: ["de"]) { phrase, language in
            phrase.key == "signIn.title" ? "Grüezi (\(language))" : nil
        }
        expectEqual(texts(Phrase("signIn.title")), "Grüezi (de)")
        expectEqual(texts(Phrase("signIn.submit")), "Anmelden")
    }

    @Test func `A writer of texts splits formats by their placeholders`() {
        expectEqual(
            Placeholder.split("a %2$@ %lld %% %x %"),
            [
                .text("a "), .argument(1), .text(" "), .argument(nil), .text(" % %x %"),
            ])
    }
}
