// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation

/// A writer of phrases in a user's language.
///
/// An app replaces single phrases by a closure, without a separate catalog:
///
/// ```swift
/// let texts = Texts(languages: ["de-CH", "en"]) { phrase, language in
///     phrase.key == "signIn.title" ? "Grüezi" : nil
/// }
/// ```
public struct Texts: Sendable {
    /// A closure that returns an app's text for a phrase in a language; nil for the catalog's.
    public typealias Replacement = @Sendable (_ phrase: Phrase, _ language: String) -> String?

    /// The language of the texts, such as `de`.
    public let language: String
    /// The function that writes dates; by default `2026-11-22`, as ISO 8601 does.
    public var writeDate: @Sendable (Date) -> String = { Texts.isoDay($0) }

    /// Whether the language is written from right to left.
    package var isRightToLeft: Bool { ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(language) }

    private let catalog: StringCatalog
    private let replacement: Replacement

    /// The available languages.
    public static let languages = StringCatalog.latchwork.languages

    /// Creates a writer in the first available language, or in English.
    ///
    /// - Parameters:
    ///   - languages: The user's languages as BCP 47 tags, the preferred one first; `de-CH` finds `de`.
    ///   - replacing: Returns an app's text for a phrase; nil for the catalog's.
    public init(languages: [String], replacing: @escaping Replacement = { _, _ in nil }) {
        self.init(languages: languages, catalog: .latchwork, replacing: replacing)
    }

    package init(
        languages: [String], catalog: StringCatalog, replacing: @escaping Replacement = { _, _ in nil }
    ) {
        language = Self.available(languages, in: catalog) ?? catalog.sourceLanguage
        self.catalog = catalog
        replacement = replacing
    }

    /// Returns the first of the languages that has texts (RFC 4647 §3.4); nil if none has.
    package static func available(
        _ languages: some Sequence<String>, in catalog: StringCatalog = .latchwork
    ) -> String? {
        let known = Set(catalog.languages)
        return languages.lazy.compactMap { tag -> String? in
            tag.lowercasedASCII().utf8.split(whereSeparator: { $0 == 0x2D || $0 == 0x5F }).first.flatMap { String($0) }
        }.first(where: known.contains)
    }

    /// Returns a phrase as text, or the key if no catalog has the phrase.
    public func callAsFunction(_ phrase: Phrase) -> String {
        if let text = replacement(phrase, language) { return text }
        guard !phrase.key.isEmpty else { return phrase.arguments.map(text).joined() }
        let entries = catalog.entries[phrase.key]
        guard let entry = entries?[language] ?? entries?[catalog.sourceLanguage] else { return phrase.key }
        switch entry {
        case .text(let text): return filled(text, phrase)
        case .plural(let forms):
            let form = StringCatalog.PluralForm(of: phrase.count, in: language)
            return filled(forms[form] ?? forms[.other] ?? phrase.key, phrase)
        }
    }

    /// Replaces `%@`, `%lld` and their numbered forms `%1$@` by the arguments; `%%` is a percent sign.
    private func filled(_ format: String, _ phrase: Phrase) -> String {
        var result = ""
        var next = 0
        for part in Placeholder.split(format) {
            switch part {
            case .text(let text): result += text
            case .argument(let number):
                let index = number ?? next
                next = index + 1
                if phrase.arguments.indices.contains(index) { result += text(phrase.arguments[index]) }
            }
        }
        return result
    }

    private func text(_ argument: Phrase.Argument) -> String {
        switch argument {
        case .text(let text): text
        case .count(let count): String(count)
        case .date(let date): writeDate(date)
        case .phrase(let phrase): self(phrase)
        }
    }

    /// Returns a date with its time, such as `2026-11-22 09:05 UTC`.
    package static func minute(_ date: Date) -> String {
        let minutes = Int((date.timeIntervalSince1970 / 60).rounded(.down)) % 1440
        let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(isoDay(date)) \(parts[0]):\(parts[1]) UTC"
    }

    private static func isoDay(_ date: Date) -> String {
        let day = CivilDate(daysSince1970: Int((date.timeIntervalSince1970 / 86_400).rounded(.down)))
        let (month, dayOfMonth) = (String(day.month), String(day.day))
        let padded = [month, dayOfMonth].map { $0.utf8.count < 2 ? "0\($0)" : $0 }
        return "\(day.year)-\(padded[0])-\(padded[1])"
    }
}

/// A part of a format: text, or the place of an argument.
package enum Placeholder: Sendable, Hashable {
    case text(String)
    /// The place of an argument, by its number from 0; nil for the next one.
    case argument(Int?)

    /// Splits a format into its texts and placeholders.
    package static func split(_ format: String) -> [Placeholder] {
        var parts: [Placeholder] = []
        var text = String.UnicodeScalarView()
        var rest = Substring(format).unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                text.append(scalar)
                continue
            }
            if rest.first == "%" {
                rest.removeFirst()
                text.append("%")
                continue
            }
            let digits = rest.prefix { ("0"..."9").contains($0) }
            var after = rest.dropFirst(digits.count)
            var number: Int?
            if !digits.isEmpty, after.first == "$" {
                number = Int(String(digits)).map { $0 - 1 }
                after.removeFirst()
            } else {
                after = rest
            }
            let length = after.first == "@" ? 1 : String(after.prefix(3)) == "lld" ? 3 : 0
            guard length > 0 else {
                text.append(scalar)
                continue
            }
            if !text.isEmpty { parts.append(.text(String(text))) }
            text = String.UnicodeScalarView()
            parts.append(.argument(number))
            rest = after.dropFirst(length)
        }
        if !text.isEmpty { parts.append(.text(String(text))) }
        return parts
    }
}
