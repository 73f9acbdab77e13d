// SPDX-License-Identifier: Apache-2.0

/// A list of scopes without duplicates, in order: the `scope` of RFC 6749 §3.3.
///
/// ```swift
/// let scopes: Scopes = ["projects:read", "files:write"]
/// ```
///
/// Two lists are equal when they contain the same scopes in any order.
public struct Scopes: Sendable {
    /// The scopes, in order.
    public private(set) var elements: [Scope] = []
    /// The same scopes for fast lookups; only for long lists, because most have fewer than ten.
    private var index: Set<Scope>?

    /// The maximum length of a list without an index.
    private static let longestWithoutIndex = 16

    /// Creates a list in order, without duplicates.
    public init(_ scopes: some Sequence<Scope> = []) { scopes.forEach { insert($0) } }

    /// Parses a list with spaces between the scopes, as servers send it.
    ///
    /// Several spaces count as one, and unknown scopes are kept. A malformed scope-token is dropped, because it can be
    /// neither requested nor granted.
    public init(parsing text: String) {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let token = rest.prefix { $0 != 0x20 }
            if let scope = Scope(rawValue: String(Substring(token))) { insert(scope) }
            rest = rest[token.endIndex...].dropFirst()
        }
    }

    /// The list with one space between the scopes, in the form that is sent.
    public var text: String { elements.map(\.rawValue).joined(separator: " ") }

    /// Whether the list is empty.
    package var isEmpty: Bool { elements.isEmpty }

    /// The number of scopes.
    package var count: Int { elements.count }

    /// Whether the list contains exactly this scope, without implications.
    public func contains(_ scope: Scope) -> Bool { index?.contains(scope) ?? elements.contains(scope) }

    /// Returns the scopes that satisfy a condition, in the same order.
    package func filter(_ isIncluded: (Scope) -> Bool) -> Scopes {
        var filtered = Scopes()
        filtered.elements = elements.filter(isIncluded)
        if filtered.count > Self.longestWithoutIndex { filtered.index = Set(filtered.elements) }
        return filtered
    }

    /// Appends a scope unless the list contains it.
    package mutating func insert(_ scope: Scope) {
        guard !contains(scope) else { return }
        elements.append(scope)
        if index?.insert(scope) == nil, elements.count > Self.longestWithoutIndex { index = Set(elements) }
    }

    /// Whether the list contains or implies `scope`.
    public func allow(_ scope: Scope, in hierarchy: ScopeHierarchy = .levels) -> Bool {
        contains(scope) || elements.contains { hierarchy.implies($0, scope) }
    }

    /// Whether the list contains or implies all of `scopes`.
    public func allow(all scopes: Scopes, in hierarchy: ScopeHierarchy = .levels) -> Bool {
        scopes.elements.allSatisfy { allow($0, in: hierarchy) }
    }

    /// Returns the scopes that the list neither contains nor implies.
    package func missing(from scopes: Scopes, in hierarchy: ScopeHierarchy = .levels) -> Scopes {
        scopes.filter { !allow($0, in: hierarchy) }
    }
}

extension Scopes: Hashable {
    /// Compares the lists without regard to order.
    public static func == (one: Scopes, other: Scopes) -> Bool {
        one.count == other.count && one.elements.allSatisfy(other.contains)
    }

    /// Hashes the list without regard to order.
    public func hash(into hasher: inout Hasher) { hasher.combine(index ?? Set(elements)) }
}

extension Scopes: ExpressibleByArrayLiteral, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a list of scopes.
    public init(arrayLiteral elements: Scope...) { self.init(elements) }

    /// Parses a list with spaces between the scopes.
    public init(stringLiteral text: String) { self.init(parsing: text) }

    /// The list in the form that is sent.
    public var description: String { text }
}

extension Scopes: Codable {
    /// Decodes the list with spaces.
    public init(from decoder: any Decoder) throws {
        self.init(parsing: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the list with spaces.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
