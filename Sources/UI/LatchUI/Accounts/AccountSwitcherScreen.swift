// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchTexts

/// The accounts of a program's user, one of which is current.
public struct AccountSwitcherScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Load the list.
        case load
        /// Make an account the current one.
        case use(id: String)
        /// Sign an account out, and remove it.
        case remove(id: String)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The current list.
        case loaded([AccountEntry], currentID: String?)
        /// The account is the current one.
        case switched(AccountEntry)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// Another account is the current one.
        case switched(AccountEntry)
        /// To the sign-in of one more account.
        case add
        /// The user has left the screen.
        case closed
    }

    /// The accounts; nil until they are loaded.
    public private(set) var accounts: [AccountEntry]?
    /// The identifier of the current account; nil if there is none.
    public private(set) var currentID: String?
    /// The account with a removal that waits for the user's confirmation; nil for none.
    public private(set) var removing: AccountEntry?

    /// Whether the user of the current account is signed in, and does not need to choose it.
    private let isSignedIn: Bool

    /// Creates the screen.
    ///
    /// - Parameter isSignedIn: Whether the user of the current account is signed in.
    public init(isSignedIn: Bool = true) { self.isSignedIn = isSignedIn }

    /// The heading over the accounts of this device.
    public var title: Phrase { Phrase("accounts.title") }

    /// The request for the list; nil once it is loaded.
    public var loading: Request? { accounts == nil ? .load : nil }

    /// The request for the current list.
    public var refreshing: Request? { .load }

    /// The accounts, and the button that adds one.
    public var content: [Control] {
        if let removing {
            return [
                .notice(.warning, Phrase("accounts.remove.warning", .text(removing.name))),
                .button(.confirmRemoval, .destructive, Phrase("accounts.remove", .text(removing.name))),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        }
        let add: [Control] =
            accounts == nil ? [] : [.button(.addAccount, .secondary, Phrase("accounts.add"))]
        return (accounts ?? []).map(row) + add + [.button(.done, .cancel, Phrase("button.close"))]
    }

    private func row(_ account: AccountEntry) -> Control {
        let isCurrent = isSignedIn && account.id == currentID
        let use: [Control] =
            isCurrent
            ? [] : [.button(.useAccount(account.id), .secondary, Phrase("accounts.use", .text(account.name)))]
        let remove = Control.button(
            .removeAccount(account.id), .destructive, Phrase("accounts.remove", .text(account.name)))
        return .row(
            ControlID("account", item: account.id), .verbatim(account.name),
            detail: isCurrent ? Phrase("accounts.current") : .verbatim(account.issuer), isOn: isCurrent,
            actions: use + [remove])
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .addAccount:
            // The list has another account when the user returns.
            accounts = nil
            return .navigate(.add)
        case .done: return .finish(.closed)
        case .back: removing = nil
        case .confirmRemoval:
            guard let id = removing?.id else { return .stay }
            removing = nil
            return .perform(.remove(id: id))
        default:
            guard let account = accounts?.first(where: { $0.id == control.item }) else { return .stay }
            if control == .useAccount(account.id) { return .perform(.use(id: account.id)) }
            removing = account
        }
        return .stay
    }

    /// Handles the list, or the end.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .loaded(let all, let current):
            (accounts, currentID) = (all, current)
            return .stay
        case .switched(let account):
            currentID = account.id
            return .finish(.switched(account))
        }
    }

    /// Handles a failure: if the account no longer exists, the list is loaded again.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        if failure.reason == .missing { accounts = nil }
        return failure
    }
}

extension ControlID {
    /// The button that signs in to another account.
    public static let addAccount: ControlID = "addAccount"
    /// The button that removes the account.
    public static let confirmRemoval: ControlID = "confirmRemoval"

    /// Returns the button that makes an account the current one.
    public static func useAccount(_ id: String) -> ControlID { ControlID("useAccount", item: id) }
    /// Returns the button that asks whether an account is to be removed.
    public static func removeAccount(_ id: String) -> ControlID { ControlID("removeAccount", item: id) }
}

/// The model of an ``AccountSwitcherScreen``.
public typealias AccountSwitcherModel = ScreenModel<AccountSwitcherScreen>

extension ScreenModel where S == AccountSwitcherScreen {
    /// Creates the switcher of a list.
    ///
    /// - Parameters:
    ///   - accounts: The accounts.
    ///   - screen: The screen at its beginning.
    ///   - clock: The clock of locks.
    ///   - revoke: Revokes the tokens of a removed account at its issuer; its failure does not bring the account back.
    ///   - onFinish: Is called when another account is current, or the user goes another way.
    public convenience init(
        _ accounts: AccountList, screen: AccountSwitcherScreen = AccountSwitcherScreen(), clock: WallClock = .system,
        revoke: @escaping @Sendable (AccountEntry, Tokens) async -> Void = { _, _ in },
        onFinish: @escaping @MainActor (AccountSwitcherScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(screen, clock: clock, onFinish: onFinish) { request in
            switch request {
            case .load: break
            case .use(let id):
                try await accounts.use(id)
                guard let account = try await accounts.content()[id] else { throw AuthError.unknownAccount }
                return .switched(account)
            case .remove(let id):
                let entry = try await accounts.content()[id]
                if let tokens = try await accounts.remove(id), let entry { await revoke(entry, tokens) }
            }
            let content = try await accounts.content()
            return .loaded(content.entries, currentID: content.currentID)
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// The accounts of this device.
    public static var accounts: AuthRoute { AuthRoute(.accounts) }
}

extension AccountSwitcherScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .accounts }
    static var needsUser: Bool { false }

    static func isAvailable(in flow: AuthFlow) -> Bool { flow.hasAccounts }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> AccountSwitcherModel? {
        guard let accounts = factory.accounts else { return nil }
        return AccountSwitcherModel(
            accounts.list, screen: AccountSwitcherScreen(isSignedIn: factory.user != nil), clock: factory.clock,
            revoke: { _, tokens in await accounts.revoke(tokens) })
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        case .switched(let account): .perform(.use(account))
        case .add: .open(.signIn(email: ""))
        case .closed: .close()
        }
    }
}
