// SPDX-License-Identifier: Apache-2.0

/// The scopes that a user chooses, as a screen shows them: in groups that fold.
public struct ScopeSelection: Sendable, Equatable {
    /// The scopes of one category.
    public struct Group: Sendable, Equatable, Identifiable {
        /// The category's name.
        public let category: String
        /// The scopes of the group, in the order in which they are shown.
        public let scopes: [OAuthScope]
        /// The category's name.
        public var id: String { category }
    }

    /// The chosen scopes.
    public var selected: Set<OAuthScope>
    /// Whether the groups are shown, and not only how many are chosen.
    public var isExpanded = false

    /// A selection; at first of what the app usually needs.
    public init(selected: Set<OAuthScope> = Set(OAuthScope.defaults)) { self.selected = selected }

    /// The groups in their order.
    public static let groups = OAuthScope.categories.map { category in
        Group(category: category, scopes: OAuthScope.allCases.filter { $0.category == category })
    }

    /// The groups in their order.
    public var groups: [Group] { Self.groups }

    /// The number of chosen scopes.
    public var count: Int { selected.count }

    /// The number of chosen scopes, for users.
    public var summary: String { "\(count) selected" }

    /// The chosen scopes in the order in which they are requested, whatever the order of choosing.
    public var ordered: [OAuthScope] { OAuthScope.allCases.filter(selected.contains) }

    /// Whether a scope is chosen.
    public func contains(_ scope: OAuthScope) -> Bool { selected.contains(scope) }

    /// Chooses a scope, or gives it up.
    public mutating func toggle(_ scope: OAuthScope) {
        if selected.remove(scope) == nil { selected.insert(scope) }
    }
}
