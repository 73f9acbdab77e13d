// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A text for users before it is written in a language: the key of a catalog, with arguments.
///
/// ```swift
/// let phrase = Phrase("verification.sent", .text("ada@example.com"))
/// print(Texts(languages: ["de"])(phrase))
/// ```
///
/// A phrase with a ``Argument/count(_:)`` has a plural form, chosen by the first count.
public struct Phrase: Hashable, Sendable, Codable {
    /// A value that is written into a phrase.
    public enum Argument: Hashable, Sendable, Codable {
        /// A name or an address, which is written unchanged.
        case text(String)
        /// A number of things, which selects the plural form.
        case count(Int)
        case date(Date)
        /// Another phrase.
        case phrase(Phrase)
    }

    /// The key in the catalog; empty for a text that has no translation.
    public let key: String
    /// The values of the placeholders, in order.
    public let arguments: [Argument]

    /// Creates a phrase of a key in the catalog.
    public init(_ key: String, _ arguments: Argument...) {
        self.key = key
        self.arguments = arguments
    }

    private init(verbatim text: String) {
        key = ""
        arguments = [.text(text)]
    }

    /// Returns a phrase that reads the same in every language, such as a user's name or the identifier of a device.
    public static func verbatim(_ text: String) -> Phrase { Phrase(verbatim: text) }

    /// The number that selects the plural form; nil if the phrase has none.
    public var count: Int? {
        for case .count(let count) in arguments { return count }
        return nil
    }
}
