// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The passkeys of the user's account: their names and dates, a new one, and their removal.
public struct PasskeysScreen: Screen {
    /// The step of the screen.
    public enum Step: Hashable, Sendable {
        case list
        /// The field of a passkey's new name.
        case renaming(Passkey)
        /// The question whether a passkey is to be removed.
        case removing(Passkey)
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Load the list.
        case load
        /// Create a passkey on this device, and add it to the account.
        case add
        /// Rename a passkey.
        case rename(id: String, name: String)
        /// Remove a passkey.
        case remove(id: String)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The current list.
        case loaded([Passkey])
        /// The account has a new passkey.
        case added(Passkey)
        /// A passkey has another name.
        case renamed(Passkey)
        /// A passkey is removed.
        case removed(id: String)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The user has left the screen.
        case closed
    }

    /// The passkeys, the newest first; nil until they are loaded.
    public private(set) var passkeys: [Passkey]?
    /// The list, or the change that the user makes to one passkey.
    public private(set) var step = Step.list
    /// The field of the new name.
    public var fields = Fields()
    /// Whether this device can add a passkey.
    public let canAdd: Bool
    /// The notice of the last change; nil before one.
    private var news: Phrase?
    /// The name of the passkey that is being removed.
    private var leaving: Phrase?

    /// Creates the screen.
    ///
    /// - Parameter canAdd: Whether this device can add a passkey.
    public init(canAdd: Bool = true) { self.canAdd = canAdd }

    /// The title of the step.
    public var title: Phrase {
        switch step {
        case .list: Phrase("passkeys.title")
        case .renaming: Phrase("passkeys.rename.title")
        case .removing: Phrase("passkeys.remove.title")
        }
    }

    /// The request for the list; nil once it is loaded.
    public var loading: Request? { passkeys == nil ? .load : nil }

    /// The request for the current list; nil in a step.
    public var refreshing: Request? { step == .list ? .load : nil }

    /// The passkeys and the button for a new one; or the form of a step.
    public var content: [Control] {
        switch step {
        case .list: list
        case .renaming:
            fields.controls + [
                .button(.submit, .primary, Phrase("passkeys.rename.submit")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        case .removing(let passkey):
            [
                .notice(.warning, Phrase("passkeys.remove.warning", .phrase(Self.name(of: passkey)))),
                .button(.confirmRemoval, .destructive, Phrase("passkeys.remove.confirm")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        }
    }

    private var list: [Control] {
        var all = news.map { [Control.notice(.success, $0)] } ?? []
        if let passkeys { all += passkeys.isEmpty ? [.text(Phrase("passkeys.empty"))] : passkeys.map(row) }
        if canAdd, passkeys != nil { all.append(.button(.addPasskey, .primary, Phrase("passkeys.add"))) }
        return all + [.button(.done, .cancel, Phrase("button.close"))]
    }

    private func row(_ passkey: Passkey) -> Control {
        let name = Self.name(of: passkey)
        let dates =
            passkey.lastUsedAt.map { Phrase("passkeys.used", .date(passkey.createdAt), .date($0)) }
            ?? Phrase("passkeys.created", .date(passkey.createdAt))
        var detail = passkey.isSynced ? Phrase("passkeys.synced", .phrase(dates)) : dates
        if !passkey.isUsable { detail = Phrase("passkeys.unusable", .phrase(dates)) }
        return .row(
            ControlID("passkey", item: passkey.id), name,
            detail: detail,
            actions: [
                .button(.renamePasskey(passkey.id), .secondary, Phrase("passkeys.rename", .phrase(name))),
                .button(.removePasskey(passkey.id), .destructive, Phrase("passkeys.remove", .phrase(name))),
            ])
    }

    private static func name(of passkey: Passkey) -> Phrase {
        passkey.name.isEmpty ? Phrase("passkeys.unnamed") : .verbatim(passkey.name)
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        news = nil
        switch (control, step) {
        case (.done, _): return .finish(.closed)
        case (.addPasskey, _): return .perform(.add)
        case (.back, _):
            show(.list)
            return .stay
        case (.submit, .renaming(let passkey)):
            return submitting { .rename(id: passkey.id, name: $0.value(.name)) }
        case (.confirmRemoval, .removing(let passkey)):
            leaving = Self.name(of: passkey)
            show(.list)
            return .perform(.remove(id: passkey.id))
        default: break
        }
        if let passkey = passkeys?.first(where: { $0.id == control.item }) {
            show(control.name == ControlID.renamePasskey("").name ? .renaming(passkey) : .removing(passkey))
        }
        return .stay
    }

    private mutating func show(_ step: Step) {
        self.step = step
        fields = Fields()
        if case .renaming(let passkey) = step {
            fields = Fields([Field(.name, .text, Phrase("field.name"), text: passkey.name)])
        }
    }

    /// Handles the list, or a change of it; a change is shown without another request, since that could fail.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .loaded(let all): passkeys = all
        case .added(let passkey):
            passkeys = [passkey] + (passkeys ?? []).filter { $0.id != passkey.id }
            news = Phrase("passkeys.added")
        case .renamed(let passkey):
            passkeys = passkeys?.map { $0.id == passkey.id ? passkey : $0 }
            news = passkey.name.isEmpty ? nil : Phrase("passkeys.renamed", .text(passkey.name))
        case .removed(let id):
            passkeys = passkeys?.filter { $0.id != id }
            news = leaving.map { Phrase("passkeys.removed", .phrase($0)) }
        }
        leaving = nil
        show(.list)
        return .stay
    }

    /// Handles a failure: if the passkey no longer exists, the list is loaded again.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        if failure.reason == .missing {
            show(.list)
            passkeys = nil
        }
        return failure
    }
}

extension ControlID {
    /// The button that adds a passkey.
    public static let addPasskey: ControlID = "addPasskey"

    /// Returns the button that renames a passkey.
    public static func renamePasskey(_ id: String) -> ControlID { ControlID("renamePasskey", item: id) }

    /// Returns the button that asks whether a passkey is to be removed.
    public static func removePasskey(_ id: String) -> ControlID { ControlID("removePasskey", item: id) }
}

/// The model of a ``PasskeysScreen``.
public typealias PasskeysModel = ScreenModel<PasskeysScreen>

extension ScreenModel where S == PasskeysScreen {
    /// Creates the list of the passkeys of a client's user.
    ///
    /// - Parameters:
    ///   - client: The client of the user.
    ///   - provider: Creates passkeys on this device; nil if it cannot.
    ///   - clock: The clock of locks.
    ///   - onFinish: Is called when the user leaves the screen.
    public convenience init(
        _ client: AuthClient, provider: (any PasskeyProvider)?, clock: WallClock = .system,
        onFinish: @escaping @MainActor (PasskeysScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(PasskeysScreen(canAdd: provider?.isAvailable == true), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .load: return .loaded(try await client.sortedPasskeys())
            case .add:
                guard let provider else { throw AccountError.passkeysUnavailable }
                return .added(try await client.addPasskey(from: provider))
            case .rename(let id, let name): return .renamed(try await client.renamePasskey(id, to: name))
            case .remove(let id):
                try await client.removePasskey(id)
                return .removed(id: id)
            }
        }
    }
}

extension AuthClient {
    /// Returns the passkeys, the newest first.
    fileprivate func sortedPasskeys() async throws -> [Passkey] {
        try await passkeys().sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// The route to the list of passkeys.
    public static var passkeys: AuthRoute { AuthRoute(.passkeys) }
}

extension PasskeysScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .passkeys }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> PasskeysModel? {
        PasskeysModel(factory.client, provider: factory.passkeys, clock: factory.clock)
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move { .close() }
}

extension PasskeysScreen: ReplaceableScreen {
    /// The passkeys.
    public static var replacement: ScreenReplacement<Outcome> { ScreenReplacement(of: Self.self) }
}
