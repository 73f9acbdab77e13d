// SPDX-License-Identifier: Apache-2.0

public import LatchTexts

/// The selection of the scopes that a sign-in requests, by category.
public struct ScopeSelectionScreen<Option: SelectableScope>: Screen {
    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The selected scopes, in the order in which they are requested.
        case selected([Option])
        /// The user has left the screen.
        case cancelled
    }

    /// The screen asks nothing of the world.
    public typealias Request = Never
    /// The screen asks nothing of the world.
    public typealias Response = Never

    /// The selection.
    public private(set) var choice: ScopeChoice<Option>

    /// Creates the screen.
    public init(choice: ScopeChoice<Option> = ScopeChoice()) { self.choice = choice }

    /// The heading, whether or not the scopes are expanded.
    public var title: Phrase { Phrase("scopes.title") }

    /// The number of scopes, and the groups of their switches while they are expanded.
    public var content: [Control] {
        let label = Phrase(choice.isExpanded ? "scopes.collapse" : "scopes.expand")
        return [
            .text(Phrase("scopes.selected", .count(choice.count))), .button(.expand, .secondary, label),
        ] + (choice.isExpanded ? choice.groups.flatMap(controls) : []) + [
            .button(.submit, .primary, Phrase("button.continue")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    private func controls(_ group: ScopeChoice<Option>.Group) -> [Control] {
        [Control(ControlID("category", item: group.category), .heading, .verbatim(group.category))]
            + group.scopes.map { scope in
                .toggle(
                    .scope(scope.rawValue), .verbatim(scope.displayName), isOn: choice.contains(scope),
                    detail: .verbatim(scope.description))
            }
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .expand:
            choice.isExpanded.toggle()
            return .stay
        case .submit: return .finish(.selected(choice.ordered))
        default: return .finish(.cancelled)
        }
    }

    /// Handles the change of a scope's switch.
    public mutating func set(_ control: ControlID, to isOn: Bool) -> ScreenStep<Self> {
        if let scope = control.item.flatMap(Option.init(rawValue:)) { choice[isSelected: scope] = isOn }
        return .stay
    }

    /// Handles no response, since the screen sends no request.
    public mutating func receive(_ response: Never) -> ScreenStep<Self> {}
}

extension ControlID {
    /// The button that shows or hides the groups.
    public static let expand: ControlID = "expand"

    /// Returns the switch of a scope.
    public static func scope(_ text: String) -> ControlID { ControlID("scope", item: text) }
}

/// The model of a ``ScopeSelectionScreen``.
public typealias ScopeSelectionModel<Option: SelectableScope> = ScreenModel<ScopeSelectionScreen<Option>>
