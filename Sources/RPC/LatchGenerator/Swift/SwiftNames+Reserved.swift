// SPDX-License-Identifier: Apache-2.0

extension SwiftNames {
    /// Words that Swift takes for its own wherever they stand ("The Swift Programming Language", Lexical Structure).
    static let keywords: ReservedWords = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
        "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Members that nothing can be named after: `x.self` and `X.Type` mean something for every type.
    private static let universal: ReservedWords = ["init", "self", "Self", "Type", "Protocol"]

    /// Members that all messages have, and that are no methods.
    static let memberNames = universal.union([
        "storage", "description", "debugDescription", "hashValue", "unknownFields", "isInitialized",
    ])

    /// Names that no method can have.
    static let methodNames = universal

    /// Names that no type can have: a metatype's, those of keywords, what the macros of Testing expand to, and the modules
    /// by which text names what it means.
    static let typeNames = universal.union([
        "Any", "Void", "Swift", "LatchRPC", "AxiomCore", "AxiomArchitecture", "Testing", "FoundationEssentials",
        "Foundation",
    ])

    /// Static members that all enums have.
    static let caseNames = universal.union(["schema", "allCases", "unrecognized", "name"])

    /// Cases of Optional, in which a oneof is wrapped.
    static let oneofCaseNames = universal.union(["none", "some"])
}
