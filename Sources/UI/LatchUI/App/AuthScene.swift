// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
public import LatchFoundation
import LatchTexts
public import Observation

/// The screens of one window of an app: its path, its sheet and its focus, over the accounts of an ``AuthModel``.
///
/// `SessionGate` opens a scene for its window, and the views in it find it in the environment:
///
/// ```swift no-check
/// @Environment(\.authScene) private var scene
///
/// Button("Devices") { scene?.push(.devices) }
/// ```
///
/// All scenes show the same user. Typed text and open screens are separate in each scene. The link of an email opens in
/// the window that received it. An app with one window needs no scene: the model has the same functions.
@MainActor @Observable
public final class AuthScene: Identifiable {
    /// The identifier of the scene, also for the lock of its window.
    public nonisolated let id = UUID()
    /// The menu of the signed-in user in this window; nil while no user is signed in.
    public private(set) var menu: UserMenuModel?

    /// The step-up in this window; a new one with empty fields replaces it after each use.
    private var stepUpModel: StepUpModel?
    /// The callers of ``signIn()``, while the sign-in is shown to a guest.
    var signIns: [CheckedContinuation<Bool, Never>] = []
    /// The callers of ``confirmUser()``, while the step-up is shown for them.
    var confirmations: [CheckedContinuation<Bool, Never>] = []

    @ObservationIgnored weak var auth: AuthModel?
    @ObservationIgnored let navigator: AuthNavigator
    /// The sign-in to an account of the list; nil for a model of one client.
    @ObservationIgnored let accountSignIn: AccountSignIn?
    /// The link that opened the app before the session was restored.
    @ObservationIgnored private var earlyLink: ScreenLink?
    /// The check that finds the app's screens for a newly signed-in user.
    @ObservationIgnored var stepCheck: Task<Void, Never>?

    init(_ accounts: AccountClients?, _ configuration: AuthModel.Configuration) {
        accountSignIn = accounts.map(AccountSignIn.init)
        navigator = AuthNavigator(
            AuthFlow(
                hasAccounts: accounts != nil, customScreens: configuration.screens.names,
                stepsAfterRegistration: configuration.screens.namesAfterRegistration))
    }

    /// Whether its window is closed.
    var isClosed: Bool { auth?.scenes.contains { $0 === self } != true }

    /// Connects the scene to its model.
    func join(_ auth: AuthModel) {
        self.auth = auth
        navigator.factory = { [weak self] in self?.factory() }
        navigator.perform = { [weak self] in self?.perform($0) }
        navigator.tell = { [weak self] in self?.auth?.onEvent?($0) }
    }

    private func factory() -> AuthScreenFactory? {
        guard let auth else { return nil }
        return AuthScreenFactory(
            configuration: auth.configuration, accounts: auth.accounts, accountSignIn: accountSignIn,
            client: auth.client, user: auth.user, isCancellable: auth.onCancel != nil, isForGuest: !signIns.isEmpty,
            hasOtherAccounts: auth.hasOtherAccounts)
    }
}

// MARK: - Screens

extension AuthScene {
    /// The screens above the content or in place of it, the last one visible.
    public var screens: [AuthScreen] { navigator.screens }

    /// The routes of ``screens``, to be stored; see ``reopen(_:)``.
    public var path: [AuthRoute] { navigator.path }

    /// The visible screen: a required step-up, else the last one of ``screens``.
    ///
    /// It is nil for the app's content, and while the app is locked.
    ///
    /// A dismissed step-up comes back with the next request that requires it.
    public var screen: AuthScreen? {
        auth?.isLocked == true ? nil : stepUp.map { AuthScreen($0) { nil } } ?? screens.last
    }

    private var stepUp: StepUpModel? {
        auth?.gate.stepUp == nil && confirmations.isEmpty ? nil : stepUpModel
    }

    /// Whether a screen is above the content of a signed-in user, or of a guest after ``signIn()``.
    ///
    /// False closes all screens, as the user's gesture does.
    public var isPresented: Bool {
        get { (auth?.isSignedIn == true || !signIns.isEmpty) && screen != nil }
        set {
            let isClosable = auth?.isLocked == false && screen?.model.canBeDismissed == true
            if !newValue, isPresented, isClosable { closeScreens() }
        }
    }

    private func closeScreens() {
        if stepUp != nil { return dismissStepUp() }
        endSignIn(false)
        navigator.change { $0.close() }
    }

    /// Shows stored screens again, as far as the user can see them now; call it after `AuthModel.restore()`.
    public func reopen(_ path: [AuthRoute]) { navigator.change { $0.reopen(path) } }

    /// Shows the screens of the last run again, and returns the data to store for the next one.
    ///
    /// They are shown once it is known whether a user is signed in. Screens that a link or the user has opened take
    /// precedence.
    ///
    /// - Parameter stored: The data that this function returned last; empty at the first start. It has no secrets.
    ///   Unreadable data of another version of the app is ignored.
    public func exchangePath(_ stored: Data) -> Data {
        guard let auth, auth.gate.phase == .signedIn || auth.gate.phase == .signedOut else { return stored }
        auth.synchronize()
        return navigator.exchange(stored)
    }

    /// Shows a screen above the others; an open screen of the same kind closes.
    public func push(_ route: AuthRoute) { navigator.change { $0.open(route) } }

    /// Leaves the visible screen.
    ///
    /// A signed-out user then sees the sign-in.
    public func pop() { navigator.change { $0.pop() } }

    /// Opens the screen of an email link in this window, and returns whether the link is below the model's `linkBases`.
    ///
    /// - Parameter url: The URL that has opened the app, such as `https://id.example.com/verify?token=…`.
    @discardableResult
    public func open(_ url: URL) -> Bool {
        guard let auth, let link = ScreenLink(url, below: auth.linkBases) else { return false }
        if navigator.flow.isSignedIn == nil { earlyLink = link } else { navigator.open(link) }
        return true
    }

    /// Opens the link that arrived before the session was restored, once the session is restored.
    func openEarlyLink() {
        guard navigator.flow.isSignedIn != nil, let link = earlyLink else { return }
        earlyLink = nil
        navigator.open(link)
    }

    /// Waits until no request is running in any scene; see `AuthModel.settled()`.
    public func settled() async { await auth?.settled() }

    /// All models of the scene.
    var models: [any AnyScreenModel] {
        ([stepUp, menu] as [(any AnyScreenModel)?]).compactMap(\.self) + screens.map(\.model)
    }
}

// MARK: - Changes of the session

extension AuthScene {
    /// Changes to another account, whose session is not known yet.
    func change() {
        removeUser()
        navigator.change { $0.change() }
    }

    /// Shows the screens of a signed-in user.
    func enter(_ user: SignedInUser) {
        endSignIn(true)
        addUser(user)
        navigator.change { $0.enter() }
    }

    /// Shows the screens of a signed-out user.
    func leave(to start: AuthRoute) {
        removeUser()
        navigator.change {
            $0.leave()
            $0.start(with: start)
        }
    }

    /// Shows a user's profile in the menu.
    func show(_ user: SignedInUser) { menu?.update { user.show(in: &$0) } }

    private func addUser(_ user: SignedInUser) {
        guard let auth else { return }
        let menu = UserMenuModel(
            auth.client, profile: user.shown, hasAccounts: auth.accounts != nil, clock: auth.configuration.clock,
            onFinish: { [weak self] in self?.follow($0) })
        menu.update {
            $0.rows = auth.configuration.rows.in(.menu)
            user.show(in: &$0)
        }
        self.menu = menu
        stepUpModel = makeStepUp(auth)
    }

    private func removeUser() {
        endConfirmation(false)
        (menu, stepUpModel) = (nil, nil)
    }

    /// Returns a step-up of the current account.
    private func makeStepUp(_ auth: AuthModel) -> StepUpModel {
        let client = auth.client
        let reauthenticate = auth.configuration.reauthenticateThrough.map { reauthenticate in
            { @Sendable (provider: IdentityProvider, code: String?) in
                try await reauthenticate(client, provider, code)
            }
        }
        let model = StepUpModel(
            client, passkeys: auth.passkeys, clock: auth.configuration.clock, reauthenticateThrough: reauthenticate)
        model.onFailure = { [weak self] in self?.auth?.onEvent?(.failed(nil, $0)) }
        model.onFinish = { [weak self, weak model] outcome in
            guard let self else { return }
            // A late response to a canceled step-up, or to another account's, does not confirm the current request.
            guard stepUpModel === model else {
                self.auth?.synchronize()
                return
            }
            follow(outcome)
            renewStepUp()
        }
        return model
    }

    /// Replaces the step-up with an empty one, so that a late response to the old one confirms nothing.
    func renewStepUp() {
        if let auth, stepUpModel != nil { stepUpModel = makeStepUp(auth) }
    }

    /// Ends everything that waits for the user of the closed window.
    func end() {
        endSignIn(false)
        removeUser()
        navigator.change { $0.end() }
    }
}

extension AuthScene {
    /// Shows the sign-in above the guest's content, and waits until the user has signed in or left.
    ///
    /// The gate's view for signed-out users is then the app's content for guests:
    /// `SessionGate(auth) { NotesView() } signedOut: { GuestView(auth) }`.
    ///
    /// - Returns: Whether a user is signed in. It returns immediately if a user is already signed in, or if the store
    ///   cannot be read.
    public func signIn() async -> Bool {
        guard let auth, auth.gate.phase == .signedOut, !isClosed else { return auth?.isSignedIn == true }
        return await withCheckedContinuation { caller in
            signIns.append(caller)
            // The sign-in now needs a button that returns to the content.
            if navigator.flow.isAtStart { navigator.change { $0.restart(with: .signIn(email: $0.email)) } }
        }
    }

    func endSignIn(_ isSignedIn: Bool) {
        let callers = signIns
        signIns = []
        for caller in callers { caller.resume(returning: isSignedIn) }
    }

    /// Asks the signed-in user to authenticate again before an action that the app protects, such as a payment.
    ///
    /// - Returns: Whether the user has authenticated; false after a dismissal, and without a signed-in user.
    public func confirmUser() async -> Bool {
        guard auth?.isSignedIn == true, menu != nil else { return false }
        return await withCheckedContinuation { confirmations.append($0) }
    }

    func endConfirmation(_ isConfirmed: Bool) {
        let callers = confirmations
        confirmations = []
        for caller in callers { caller.resume(returning: isConfirmed) }
    }
}

extension AuthModel {
    /// Shows the sign-in to a guest; see ``AuthScene/signIn()``.
    public func signIn() async -> Bool { await scene.signIn() }

    /// Asks the signed-in user to authenticate again; see ``AuthScene/confirmUser()``.
    public func confirmUser() async -> Bool { await scene.confirmUser() }
}

extension AuthScene {
    func perform(_ effects: [AuthFlow.Effect]) {
        guard let auth else { return }
        for effect in effects {
            switch effect {
            case .useSignedIn:
                let wasSignedIn = navigator.flow.isSignedIn == true
                if let (account, client) = accountSignIn?.takeSignedIn() {
                    let isOther = auth.current.map { $0.id != account.id } ?? false
                    if isOther { auth.hasOtherAccounts = true }
                    // A sign-in of a closed window does not replace a user's content.
                    if isOther, isClosed, auth.isSignedIn {
                        auth.keepCurrent()
                        continue
                    }
                    auth.use(account, client)
                } else if wasSignedIn {
                    navigator.change { $0.closeSignIn() }
                }
                auth.synchronize()
                checkSteps()
            case .signOut(let email):
                // The password reset has ended the session at the server. If the store cannot remove the tokens, the
                // next request shows the sign-in.
                auth.perform { [weak self, client = auth.client] in
                    do { try await client.signOut() } catch {}
                    self?.auth?.synchronize()
                    self?.navigator.change { $0.close(email: email) }
                }
            case .tellCancellation:
                if signIns.isEmpty { auth.onCancel?() } else { endSignIn(false) }
                auth.onEvent?(.cancelled)
            case .sayGoodbye:
                auth.news = Phrase("profile.deleted")
                // The end of the session may come earlier or later than this.
                auth.hasDeletedAccount = true
                for scene in auth.scenes { scene.forgetAddress() }
            case .keepSignedIn:
                if accountSignIn?.takeSignedIn() != nil {
                    auth.hasOtherAccounts = true
                    auth.keepCurrent()
                }
                auth.synchronize()
            case .use(let account):
                navigator.change { $0.close(email: account.username ?? "") }
                auth.perform { [weak self, weak auth] in
                    await auth?.restore()
                    self?.navigator.change { $0.start(with: .signIn(email: account.username ?? "")) }
                }
            case .show(let profile): auth.user?.take(profile)
            case .reloadProfile: auth.user?.load()
            case .offerPasskey: offerPasskey()
            case .choose(let row): auth.configuration.rows.first { $0.id == row }?.action(self)
            }
        }
    }

    /// Clears the sign-in's address after the account was deleted.
    private func forgetAddress() {
        if navigator.flow.isAtStart, path.last?.kind == .signIn { navigator.change { $0.close() } }
    }

    func follow(_ outcome: UserMenuScreen.Outcome) {
        switch outcome {
        case .profile: push(.profile)
        case .devices: push(.devices)
        case .accounts: push(.accounts)
        case .row(let row): perform([.choose(row: row)])
        // The end of the session leads to the sign-in.
        case .signedOut: break
        }
    }

    func follow(_ outcome: StepUpScreen.Outcome) {
        guard let auth else { return }
        if outcome == .authenticated {
            endConfirmation(true)
            for screen in auth.scenes.flatMap(\.screens) {
                (screen.model as? any StepUpRepeating)?.repeatAfterStepUp()
            }
        } else {
            dismissStepUp()
        }
        if outcome == .passwordReset { navigator.change { $0.openPasswordReset() } }
        auth.synchronize()
    }

    func dismissStepUp() {
        auth?.dismissStepUp()
        endConfirmation(false)
        renewStepUp()
    }
}

// MARK: - After a sign-in

extension AuthScene {
    /// Whether the user of a client is signed in, and no screen is above the content.
    private func showsContent(of client: AuthClient) -> Bool {
        auth?.client === client && auth?.isSignedIn == true && screens.isEmpty && !isClosed
    }

    /// Shows the app's screens that a newly signed-in user needs, with the first one on top.
    ///
    /// A failed check is repeated after the next sign-in.
    private func checkSteps() {
        guard let auth, auth.isSignedIn, !isClosed else { return }
        let steps = auth.configuration.screens.afterSignIn
        guard !steps.isEmpty else { return }
        stepCheck = auth.perform { [weak self, client = auth.client] in
            for step in steps.reversed() {
                do {
                    guard try await step.isNeeded(client), self?.auth?.client === client else { continue }
                    self?.push(.custom(step.name))
                } catch {
                    // The failure is not shown, since the sign-in itself has succeeded.
                }
            }
        }
    }

    /// Offers a passkey to a user who has signed in with a password, has no passkey, and was not asked on this device
    /// before.
    ///
    /// If a check fails, the offer is made after the next sign-in.
    private func offerPasskey() {
        guard let auth, let passkeys = auth.passkeys, passkeys.isAvailable else { return }
        auth.perform { [weak self, stepCheck, client = auth.client, offers = auth.passkeyOffers] in
            do {
                await stepCheck?.value
                let account = if let claimed = client.account { claimed } else { try await client.profile() }
                guard try await client.signInMethods().passkeys == 0 else { return }
                // Fails for a server whose public URL does not allow passkeys.
                _ = try await client.passkeyRequestOptions()
                guard self?.showsContent(of: client) == true, try await offers.take(account.id) else { return }
                // The user may have navigated in the meantime, or changed the account.
                if self?.showsContent(of: client) == true { self?.push(.passkeyOffer(email: account.email)) }
            } catch {
                // The failure is not shown, since the sign-in itself has succeeded.
            }
        }
    }
}
