// SPDX-License-Identifier: Apache-2.0

/// A scope that a user can select, with its texts: usually an enumeration of an app's scopes.
public protocol SelectableScope: RawRepresentable<String>, CaseIterable, Hashable, Sendable, Identifiable {
    /// The scopes that are selected at first.
    static var defaults: [Self] { get }
    /// The categories, in the order in which they are shown.
    static var categories: [String] { get }
    /// The category of the scope.
    var category: String { get }
    /// A short name for users.
    var displayName: String { get }
    /// A description of what the scope allows, for users.
    var description: String { get }
}

/// The scopes that a user selects on a screen, in groups that can be collapsed.
public struct ScopeChoice<Option: SelectableScope>: Sendable, Hashable {
    /// The scopes of one category.
    public struct Group: Sendable, Hashable, Identifiable {
        /// The category's name.
        public let category: String
        /// The scopes of the group, in the order in which they are shown.
        public let scopes: [Option]
        /// The category's name.
        public var id: String { category }
    }

    /// The selected scopes.
    public var selected: Set<Option>
    /// Whether the groups are shown, and not only the number of selected scopes.
    public var isExpanded = false

    /// Creates a selection; by default of the scopes that the app usually needs.
    public init(selected: Set<Option> = Set(Option.defaults)) { self.selected = selected }

    /// The groups in their order.
    public static var groups: [Group] {
        Option.categories.map { category in
            Group(category: category, scopes: Option.allCases.filter { $0.category == category })
        }
    }

    /// The groups in their order.
    public var groups: [Group] { Self.groups }

    /// The number of selected scopes.
    public var count: Int { selected.count }

    /// The number of selected scopes, for users; in English.
    public var summary: String { "\(count) selected" }

    /// The selected scopes, in the order in which they are requested.
    public var ordered: [Option] { Option.allCases.filter(selected.contains) }

    /// Whether a scope is selected.
    public func contains(_ scope: Option) -> Bool { selected.contains(scope) }

    /// Whether a scope is selected, for a switch on a screen.
    public subscript(isSelected scope: Option) -> Bool {
        get { contains(scope) }
        set { if newValue { selected.insert(scope) } else { selected.remove(scope) } }
    }

    /// Selects a scope, or deselects it.
    public mutating func toggle(_ scope: Option) {
        if selected.remove(scope) == nil { selected.insert(scope) }
    }
}
