// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// What the server granted, as texts in its order, known to the app or not.
///
/// `contains` answers the question for which it is asked: whether something is allowed. `widgets:admin` allows
/// `widgets:write`, so it contains it.
public struct GrantedScopes: Sendable, Hashable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private let scopes: Scopes

    init(_ scopes: Scopes) { self.scopes = scopes }

    /// Scopes as they are written.
    public init(arrayLiteral elements: String...) {
        scopes = Scopes(elements.compactMap { Scope(rawValue: $0) })
    }

    /// Whether a scope was granted, or follows from one that was: `admin ⊃ delete ⊃ write ⊃ read`.
    public func contains(_ scope: String) -> Bool { Scope(rawValue: scope).map { scopes.allow($0) } ?? false }

    /// The same for a scope that the app knows.
    public func contains(_ scope: OAuthScope) -> Bool { contains(scope.rawValue) }

    /// Whether this very scope was granted, whatever follows from others.
    public func containsExactly(_ scope: String) -> Bool { Scope(rawValue: scope).map(scopes.contains) ?? false }

    /// Where the first one stands.
    public var startIndex: Int { 0 }

    /// One after the last.
    public var endIndex: Int { scopes.count }

    /// The scope at a place, as the server wrote it.
    public subscript(position: Int) -> String { scopes.elements[position].rawValue }
}
