// SPDX-License-Identifier: Apache-2.0

/// A set of words that are reserved in some context.
///
/// Almost every lookup misses, and a bitmap of the words' lengths by first byte answers most of them.
struct ReservedWords: Sendable, ExpressibleByArrayLiteral {
    private let words: Set<String>
    /// A bitmap of the words' lengths for each first byte.
    private let lengths: [UInt64]

    init(arrayLiteral words: String...) { self.init(Set(words)) }

    init(_ words: Set<String>) {
        self.words = words
        var lengths = [UInt64](repeating: 0, count: 256)
        for word in words { if let first = word.utf8.first { lengths[Int(first)] |= Self.bit(of: word) } }
        self.lengths = lengths
    }

    /// The empty set.
    static let none: ReservedWords = []

    func union(_ others: Set<String>) -> ReservedWords { ReservedWords(words.union(others)) }

    func contains(_ name: String) -> Bool {
        guard let first = name.utf8.first else { return false }
        return lengths[Int(first)] & Self.bit(of: name) != 0 && words.contains(name)
    }

    private static func bit(of word: String) -> UInt64 { 1 << UInt64(min(word.utf8.count, 63)) }
}

extension SwiftNames {
    /// The keywords that Swift reserves everywhere ("The Swift Programming Language", Lexical Structure).
    static let keywords: ReservedWords = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
        "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// The member names that are special in every type, such as `x.self` and `X.Type`.
    private static let universal: ReservedWords = ["init", "self", "Self", "Type", "Protocol"]

    /// The properties that all messages have.
    static let memberNames = universal.union([
        "storage", "description", "debugDescription", "hashValue", "unknownFields", "isInitialized",
    ])

    /// The names that no method can have.
    static let methodNames = universal

    /// The names that no type can have: keywords, and the modules that generated code and Testing's macros refer to.
    static let typeNames = universal.union([
        "Any", "Void", "Swift", "LatchRPC", "AxiomCore", "AxiomArchitecture", "Testing", "FoundationEssentials",
        "Foundation",
    ])

    /// The cases of Optional, which wraps a oneof; there `.none` means that the oneof is not set.
    static let oneofCaseNames = universal.union(["none", "some"])

    /// The cases of Optional, which wraps an enum in a field with presence, and the static members of all enums.
    static let caseNames = oneofCaseNames.union(["schema", "allCases", "unrecognized", "name"])
}
