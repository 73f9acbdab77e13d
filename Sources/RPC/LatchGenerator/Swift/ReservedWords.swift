// SPDX-License-Identifier: Apache-2.0

/// Words that cannot be names at some place.
///
/// Every name that is written is looked up in them, and next to none is among them: its length and its first byte tell
/// most of them.
struct ReservedWords: Sendable, ExpressibleByArrayLiteral {
    private let words: Set<String>
    /// A bit for each length that words have, by their first byte.
    private let lengths: [UInt64]

    init(arrayLiteral words: String...) { self.init(Set(words)) }

    init(_ words: Set<String>) {
        self.words = words
        var lengths = [UInt64](repeating: 0, count: 256)
        for word in words { if let first = word.utf8.first { lengths[Int(first)] |= Self.bit(of: word) } }
        self.lengths = lengths
    }

    /// No words.
    static let none: ReservedWords = []

    /// The words of both.
    func union(_ others: Set<String>) -> ReservedWords { ReservedWords(words.union(others)) }

    func contains(_ name: String) -> Bool {
        guard let first = name.utf8.first else { return false }
        return lengths[Int(first)] & Self.bit(of: name) != 0 && words.contains(name)
    }

    private static func bit(of word: String) -> UInt64 { 1 << UInt64(min(word.utf8.count, 63)) }
}
