// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchTexts

/// The consent of a user to the scopes that another program requests.
public struct ConsentScreen: Screen {
    /// A requested scope, with its text.
    public struct Item: Hashable, Sendable {
        /// The scope as the client requested it.
        public let scope: Scope
        /// The text for users.
        public let name: Phrase
        /// Whether the program also works without it, so that the user may deselect it.
        public let isOptional: Bool

        /// Creates an item.
        public init(_ scope: Scope, name: Phrase? = nil, isOptional: Bool = false) {
            self.scope = scope
            self.name = name ?? .verbatim(scope.rawValue)
            self.isOptional = isOptional
        }
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Grant the scopes.
        case allow([Scope])
        /// Refuse.
        case deny
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The decision has arrived.
        case decided
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The scopes are granted.
        case allowed([Scope])
        /// The user has refused.
        case denied
        /// The user has left the screen without a decision.
        case cancelled
    }

    /// The name of the program.
    public let client: String
    /// The requested scopes.
    public let items: [Item]
    /// The optional scopes that the user has deselected.
    private var deselected: Set<Scope> = []
    /// The scopes of the pending or completed decision; nil before it.
    private var decision: [Scope]?

    /// Creates the screen of a request.
    public init(client: String, items: [Item]) {
        self.client = client
        self.items = items
    }

    /// The question whether the named client is allowed.
    public var title: Phrase { Phrase("consent.title", .text(client)) }

    /// The scopes, and both buttons.
    public var content: [Control] {
        [.text(Phrase("consent.explanation", .text(client)))] + items.map(control) + [
            .button(.submit, .primary, Phrase("consent.allow")), .button(.deny, .secondary, Phrase("consent.deny")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    private func control(_ item: Item) -> Control {
        item.isOptional
            ? .toggle(.scope(item.scope.rawValue), item.name, isOn: !deselected.contains(item.scope))
            : .row(.scope(item.scope.rawValue), item.name, isOn: true)
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        if control == .cancel { return .finish(.cancelled) }
        guard control == .submit else {
            decision = nil
            return .perform(.deny)
        }
        let scopes = items.map(\.scope).filter { !deselected.contains($0) }
        decision = scopes
        return .perform(.allow(scopes))
    }

    /// Handles the change of an optional scope's switch.
    public mutating func set(_ control: ControlID, to isOn: Bool) -> ScreenStep<Self> {
        guard let scope = control.item.flatMap(Scope.init(rawValue:)) else { return .stay }
        if isOn { deselected.remove(scope) } else { deselected.insert(scope) }
        return .stay
    }

    /// Handles the response, and ends the screen.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        .finish(decision.map { .allowed($0) } ?? .denied)
    }
}

extension ControlID {
    /// The button that refuses.
    public static let deny: ControlID = "deny"
}

/// The model of a ``ConsentScreen``, whose closure sends the decision to the authorization server.
public typealias ConsentModel = ScreenModel<ConsentScreen>
