// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// One user of a server, whose role and status an administrator changes.
///
/// A change of the role and a suspension must be confirmed first. The server decides whether the administrator is
/// allowed to make it.
public struct UserScreen: Screen {
    /// A change of a user.
    public enum Change: Hashable, Sendable {
        /// Another role, such as `admin`.
        case role(String)
        /// Another status, such as `suspended`.
        case status(String)
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Change the user.
        case apply(Change, id: String)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The user after the change.
        case changed(AccountProfile)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The administrator has left the screen; with the current state of the user.
        case closed(AccountProfile)
    }

    /// The roles that are offered, the lowest first.
    public static let roles = ["user", "moderator", "admin"]

    /// The account as the server returned it last.
    public private(set) var user: AccountProfile
    /// The change that waits for its confirmation; nil for none.
    public private(set) var pending: Change?
    private var isChanged = false

    /// Creates the screen of a user.
    public init(_ user: AccountProfile) { self.user = user }

    /// The title: the user's name.
    public var title: Phrase { .verbatim(user.shownName) }

    /// The values and the changes, or the confirmation.
    public var content: [Control] {
        if let pending { return confirmation(of: pending) }
        let news: [Control] = isChanged ? [.notice(.success, Phrase("user.changed"))] : []
        let roles = Self.roles.filter { $0 != user.role }.map { role in
            Control.button(.setRole(role), .secondary, Phrase("user.makeRole", .phrase(Phrase(role: role))))
        }
        let status: Control =
            ["suspended", "banned", "inactive"].contains(user.status)
            ? .button(.activate, .secondary, Phrase("user.activate"))
            : .button(.suspend, .destructive, Phrase("user.suspend"))
        return news + [
            .row(.email, Phrase("field.email"), detail: .verbatim(user.email)),
            .row(.role, Phrase("profile.role"), detail: Phrase(role: user.role)),
            .row(.status, Phrase("user.status"), detail: Phrase(status: user.status)),
        ] + roles + [status, .button(.done, .cancel, Phrase("button.close"))]
    }

    private func confirmation(of change: Change) -> [Control] {
        let (warning, label) =
            switch change {
            case .role(let role):
                (
                    Phrase("user.role.warning", .text(user.shownName), .phrase(Phrase(role: role))),
                    Phrase("user.makeRole", .phrase(Phrase(role: role)))
                )
            case .status: (Phrase("user.suspend.warning", .text(user.shownName)), Phrase("user.suspend"))
            }
        return [
            .notice(.warning, warning), .button(.confirmChange, .destructive, label),
            .button(.back, .cancel, Phrase("button.back")),
        ]
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        isChanged = false
        switch control {
        case .suspend: pending = .status("suspended")
        case .activate: return .perform(.apply(.status("active"), id: user.id))
        case .back: pending = nil
        case .confirmChange:
            guard let change = pending else { return .stay }
            pending = nil
            return .perform(.apply(change, id: user.id))
        case .done: return .finish(.closed(user))
        default: pending = control.item.map { .role($0) }
        }
        return .stay
    }

    /// Handles the changed user.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .changed(let user): (self.user, isChanged) = (user, true)
        }
        return .stay
    }
}

extension Phrase {
    /// Creates the name of an account's status; an unknown status is shown unchanged.
    init(status: String) {
        self =
            switch status {
            case "active": Phrase("status.active")
            case "inactive": Phrase("status.inactive")
            case "suspended": Phrase("status.suspended")
            case "banned": Phrase("status.banned")
            case "pending_verification": Phrase("status.pending")
            default: .verbatim(status)
            }
    }
}

extension ControlID {
    /// The status of a user.
    public static let status: ControlID = "status"
    /// The button that asks whether an account is to be suspended.
    public static let suspend: ControlID = "suspend"
    /// The button that opens an account again.
    public static let activate: ControlID = "activate"
    /// The button that confirms a change of a user.
    public static let confirmChange: ControlID = "confirmChange"

    /// Returns the button that asks whether a user is to have a role.
    public static func setRole(_ role: String) -> ControlID { ControlID("setRole", item: role) }
}

/// The model of a ``UserScreen``.
public typealias UserModel = ScreenModel<UserScreen>

extension ScreenModel where S == UserScreen {
    /// Creates the administration of one user of a client's backend.
    public convenience init(
        _ client: AuthClient, user: AccountProfile, clock: WallClock = .system,
        onFinish: @escaping @MainActor (UserScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(UserScreen(user), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .apply(.role(let role), let id): .changed(try await client.setRole(role, of: id))
            case .apply(.status(let status), let id): .changed(try await client.setStatus(status, of: id))
            }
        }
    }
}
