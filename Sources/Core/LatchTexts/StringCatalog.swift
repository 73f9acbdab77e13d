// SPDX-License-Identifier: Apache-2.0

internal import CLatchTexts
package import LatchCore

/// The texts of a string catalog in Xcode's `.xcstrings` format.
///
/// It has one text for each key and language, or one for each plural form.
package struct StringCatalog: Sendable {
    /// A plural category of Unicode's CLDR that occurs in the catalog's languages.
    package enum PluralForm: String, Sendable, CaseIterable {
        case one, other

        /// Creates the category of a whole number in one of the catalog's languages (CLDR).
        ///
        /// The category `many` of French and Spanish begins at a million, which no text counts.
        init(of count: Int?, in language: String) {
            self = count == 1 || count == 0 && language == "fr" ? .one : .other
        }
    }

    /// The texts of one key in one language.
    package enum Entry: Sendable, Hashable {
        /// A text for every number.
        case text(String)
        /// The texts by plural form.
        case plural([PluralForm: String])

        /// The texts in every form.
        package var texts: [String] {
            switch self {
            case .text(let text): [text]
            case .plural(let forms): forms.values.sorted()
            }
        }
    }

    /// The fallback language.
    package let sourceLanguage: String
    /// The entries by key and language.
    package let entries: [String: [String: Entry]]

    /// The keys, sorted.
    package var keys: [String] { entries.keys.sorted() }
    /// The languages that at least one key has, sorted.
    package let languages: [String]

    /// Parses a catalog.
    ///
    /// - Throws: `JSONError` if it is not JSON. Keys without a text in a language are left out; the tests find them.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        let catalog = try JSONValue(parsing: bytes).objectValue ?? [:]
        sourceLanguage = catalog["sourceLanguage"]?.stringValue ?? "en"
        var entries: [String: [String: Entry]] = [:]
        for (key, value) in catalog["strings"]?.objectValue ?? [:] {
            for (language, localization) in value["localizations"]?.objectValue ?? [:] {
                entries[key, default: [:]][language] = Self.entry(localization)
            }
        }
        self.entries = entries
        languages = Set(entries.values.flatMap(\.keys)).sorted()
    }

    /// An empty catalog, in place of one that cannot be read.
    private init() { (sourceLanguage, entries, languages) = ("en", [:], []) }

    /// The catalog of this package's texts, in four languages.
    package static let latchwork: StringCatalog = {
        do throws(JSONError) {
            var count = 0
            let bytes = latch_catalog(&count)
            return try StringCatalog(parsing: [UInt8](UnsafeBufferPointer(start: bytes, count: count)))
        } catch {
            // A test parses the same bytes. If they cannot be read, keys are shown instead of texts.
            return StringCatalog()
        }
    }()

    /// Returns the entry of one localization; nil if it has none.
    private static func entry(_ value: JSONValue) -> Entry? {
        if let text = text(value) { return .text(text) }
        var forms: [PluralForm: String] = [:]
        for (name, form) in value["variations"]?["plural"]?.objectValue ?? [:] {
            if let known = PluralForm(rawValue: name), let text = text(form) { forms[known] = text }
        }
        return forms.isEmpty ? nil : .plural(forms)
    }

    private static func text(_ value: JSONValue) -> String? { value["stringUnit"]?["value"]?.stringValue }
}
