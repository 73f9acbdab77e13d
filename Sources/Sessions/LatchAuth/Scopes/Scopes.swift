// SPDX-License-Identifier: Apache-2.0

/// Scopes without repetition, in the order in which they were first named: the `scope` of RFC 6749 §3.3.
///
/// Two are equal when they hold the same scopes: their order means nothing.
public struct Scopes: Sendable {
    /// The scopes, in order.
    public private(set) var elements: [Scope] = []
    private var members: Set<Scope> = []

    /// Scopes in order; repetitions are dropped.
    public init(_ scopes: some Sequence<Scope> = []) { scopes.forEach { insert($0) } }

    /// The scopes of a list with spaces between them, as servers send it.
    ///
    /// Read leniently: several spaces count as one, unknown scopes are kept, and what is no scope-token is left out,
    /// since it can be neither asked for nor granted.
    public init(parsing text: String) {
        self.init(text.split(separator: " ").compactMap { Scope(rawValue: String($0)) })
    }

    /// The list with one space between the scopes, as it is sent; empty where there is none.
    public var text: String { elements.map(\.rawValue).joined(separator: " ") }

    /// Whether there is none.
    public var isEmpty: Bool { elements.isEmpty }

    /// How many there are.
    public var count: Int { elements.count }

    /// Whether this very scope is named, whatever the hierarchy would add.
    public func contains(_ scope: Scope) -> Bool { members.contains(scope) }

    /// Adds a scope at the end, if it is not there.
    public mutating func insert(_ scope: Scope) {
        if members.insert(scope).inserted { elements.append(scope) }
    }

    /// Whether `scope` is named or implied.
    public func allow(_ scope: Scope, in hierarchy: ScopeHierarchy = .levels) -> Bool {
        contains(scope) || elements.contains { hierarchy.implies($0, scope) }
    }

    /// Whether all of `scopes` are named or implied.
    public func allow(all scopes: Scopes, in hierarchy: ScopeHierarchy = .levels) -> Bool {
        scopes.elements.allSatisfy { allow($0, in: hierarchy) }
    }

    /// Those of `scopes` that are neither named nor implied.
    public func missing(from scopes: Scopes, in hierarchy: ScopeHierarchy = .levels) -> Scopes {
        Scopes(scopes.elements.filter { !allow($0, in: hierarchy) })
    }
}

extension Scopes: Hashable {
    /// Whether both hold the same scopes.
    public static func == (one: Scopes, other: Scopes) -> Bool { one.members == other.members }

    /// By the scopes, not by their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension Scopes: ExpressibleByArrayLiteral, CustomStringConvertible {
    /// Scopes in order.
    public init(arrayLiteral elements: Scope...) { self.init(elements) }

    /// The list as it is sent.
    public var description: String { text }
}

extension Scopes: Codable {
    /// Reads the list with spaces.
    public init(from decoder: any Decoder) throws {
        self.init(parsing: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the list with spaces.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Tokens {
    /// What the issuer granted; nil where it did not say, and what was asked for is granted then (RFC 6749 §5.1).
    public var grantedScopes: Scopes? { scope.map(Scopes.init(parsing:)) }
}
