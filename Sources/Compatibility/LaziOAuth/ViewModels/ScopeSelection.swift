// SPDX-License-Identifier: Apache-2.0

/// The scopes that a user selects on a screen, in groups that can be collapsed.
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

    /// The selected scopes.
    public var selected: Set<OAuthScope>
    /// Whether the groups are shown, and not only the number of selected scopes.
    public var isExpanded = false

    /// Creates a selection; by default of the scopes that the app usually needs.
    public init(selected: Set<OAuthScope> = Set(OAuthScope.defaults)) { self.selected = selected }

    /// The groups in their order.
    public static let groups = OAuthScope.categories.map { category in
        Group(category: category, scopes: OAuthScope.allCases.filter { $0.category == category })
    }

    /// The groups in their order.
    public var groups: [Group] { Self.groups }

    /// The number of selected scopes.
    public var count: Int { selected.count }

    /// The number of selected scopes, for users.
    public var summary: String { "\(count) selected" }

    /// The selected scopes, in the order in which they are requested.
    public var ordered: [OAuthScope] { OAuthScope.allCases.filter(selected.contains) }

    /// Whether a scope is selected.
    public func contains(_ scope: OAuthScope) -> Bool { selected.contains(scope) }

    /// Whether a scope is selected, for a switch on a screen.
    public subscript(isSelected scope: OAuthScope) -> Bool {
        get { contains(scope) }
        set { if newValue { selected.insert(scope) } else { selected.remove(scope) } }
    }

    /// Selects a scope, or deselects it.
    public mutating func toggle(_ scope: OAuthScope) {
        if selected.remove(scope) == nil { selected.insert(scope) }
    }
}
