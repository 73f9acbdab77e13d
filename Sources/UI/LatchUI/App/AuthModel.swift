// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth
import LatchCore
public import LatchFoundation
import LatchTexts
public import Observation

/// The accounts of an app with all their screens: the gate, the navigation, the profile, the menu, the step-up, and the
/// account list.
///
/// ```swift no-check
/// @State private var auth = AuthModel(server: url, service: "Notes")
///
/// var body: some View {
///     SessionGate(auth) { NotesView(auth.client).toolbar { UserButton(auth) } }
/// }
/// ```
///
/// A signed-out user sees ``screen``. A signed-in user sees it above the app's content, or only the content while
/// ``screen`` is nil. Each window of an app has an ``AuthScene``, with separate screens for the same accounts.
@MainActor @Observable
public final class AuthModel {
    /// A function that signs a client in through a provider.
    public typealias SignInThrough = @Sendable (AuthClient, IdentityProvider) async throws -> Void
    /// A function that authenticates a client's user again through a provider, with a second-factor code if the account
    /// needs one.
    public typealias ReauthenticateThrough =
        @Sendable (AuthClient, IdentityProvider, _ code: String?) async throws -> Void

    /// The state of the device's list of accounts.
    private enum ListState {
        case loading, ready
        case failed(AuthError)
    }

    /// The client of the current account, for the app's requests; it changes with the account.
    public private(set) var client: AuthClient
    /// The connection state, for a banner; it changes only if the client has its interceptor.
    public let connection: ConnectionModel
    /// The lock of the app, which `SessionGate` shows in place of everything else; nil for none.
    ///
    /// A sign-out opens the lock, so that a user who cannot unlock the app can leave it.
    public var lock: AppLockModel? { didSet { followLock() } }

    /// The base URLs of the email links that ``open(_:)`` accepts: by default the server's URL.
    ///
    /// For example, `https://id.example.com` accepts `https://id.example.com/verify?token=…`. Add `notes://` to accept
    /// links of that scheme.
    public var linkBases: [URL]
    /// A function that is called when a signed-out user leaves the sign-in, such as a guest.
    ///
    /// Without it, the sign-in has no button for this, since a signed-out user has no content to return to.
    @ObservationIgnored public var onCancel: (@MainActor () -> Void)?

    /// A function that is called with the user's actions in the screens, for analytics and logs.
    @ObservationIgnored public var onEvent: (@MainActor (AuthEvent) -> Void)?

    /// The open scenes: one for each window of the app, and one for an app without windows yet.
    public internal(set) var scenes: [AuthScene] = []
    /// The scene that the user used last; the screens of this model are its screens.
    public internal(set) var scene: AuthScene
    /// Whether no window has taken the only scene.
    @ObservationIgnored var isSceneVacant = true

    /// The current account of the list, even while it is signed out.
    private(set) var current: AccountEntry?
    /// Whether the list has further accounts.
    @ObservationIgnored var hasOtherAccounts = false
    /// The signed-in user; nil while no user is signed in.
    private(set) var user: SignedInUser?
    /// The news above the sign-in, until a user signs in; nil for none.
    var news: Phrase?
    /// Whether the last user has deleted the account, so that the next sign-in does not have its address.
    @ObservationIgnored var hasDeletedAccount = false
    private var list: ListState
    /// The gate of the client's session, renewed at each change that this model makes itself.
    private var session: SessionGateModel<Tokens>
    /// Whether the scenes show a signed-in user; nil until it is known.
    @ObservationIgnored private(set) var isEntered: Bool?
    /// The first screen of a signed-out user.
    @ObservationIgnored private(set) var start = AuthRoute.signIn(email: "")

    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored let accounts: AccountClients?
    @ObservationIgnored let passkeyOffers: PasskeyOffers
    @ObservationIgnored private var work: [Task<Void, Never>] = []
    @ObservationIgnored private var follower: Task<Void, Never>?

    /// The passkeys of this device; nil for an app without passkeys.
    var passkeys: (any PasskeyProvider)? { configuration.passkeys }

    /// Creates the model of an app.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        let connection = configuration.connection ?? ConnectionModel()
        let (client, accounts) = configuration.connect(connection)
        (self.client, self.connection, self.accounts) = (client, connection, accounts)
        (lock, linkBases) = (configuration.lock, configuration.linkBases)
        session = SessionGateModel(client.session)
        list = accounts == nil ? .ready : .loading
        passkeyOffers = PasskeyOffers(secrets: configuration.records)
        scene = AuthScene(accounts, configuration)
        scenes = [scene]
        scene.join(self)
        connection.onReconnection = { [weak self] in
            self?.user?.retry()
            self?.revokeRemaining()
        }
        followLock()
        follow()
    }

    /// Creates the model of an app whose users may have several accounts at a server, each with its own tokens in the
    /// platform's secret store.
    ///
    /// ```swift no-check
    /// AuthModel(server: url, service: "Notes") { $0.passkeys = PlatformPasskeys() }
    /// ```
    ///
    /// - Parameters:
    ///   - server: The base URL of the server.
    ///   - service: The name of the app in the secret store, such as its bundle identifier.
    ///   - configure: Changes the configuration.
    public convenience init(server: URL, service: String, configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration(server: server, service: service)
        configure(&configuration)
        self.init(configuration)
    }

    /// Creates the model of a client, which has one account.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - configure: Changes the configuration.
    public convenience init(_ client: AuthClient, configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration(client)
        configure(&configuration)
        self.init(configuration)
    }

    deinit {
        follower?.cancel()
        for task in work { task.cancel() }
    }
}

// MARK: - State

extension AuthModel {
    /// The decision between the app's content and the screens of a signed-out user.
    public var gate: SessionGateState {
        switch list {
        case .loading: SessionGateState(SessionState<Tokens>.restoring)
        case .failed(let error): SessionGateState(SessionState<Tokens>.unavailable(error))
        case .ready: session.gate.adding(news)
        }
    }

    /// Whether a user is signed in.
    public var isSignedIn: Bool { gate.phase == .signedIn }
    /// Whether only the lock is shown.
    public var isLocked: Bool { isSignedIn && lock?.lock.isLocked == true }
    /// The current account on this device; nil for a model of one client, and while no user is signed in.
    public var account: AccountEntry? { isSignedIn ? current : nil }
    /// The profile of the signed-in user; nil until it is loaded.
    ///
    /// It is loaded again after a change in the app, after a reconnection, and when the user returns after a while.
    public var profile: AccountProfile? { user?.profile }
    /// The failure of the last attempt to load the profile, which the menu also shows; nil if there is none.
    public var profileFailure: ScreenFailure? { user?.failure }

    /// Hides the step-up that the session requires, and forgets the requests to repeat after it.
    func dismissStepUp() {
        session.dismissStepUp()
        for scene in scenes {
            for screen in scene.screens { (screen.model as? any StepUpRepeating)?.forgetRefusedRequest() }
        }
    }

    /// Reads the accounts and the session from the store; ``gate`` shows a failure.
    ///
    /// `SessionGate` calls it when it appears, and its button calls it again.
    public func restore() async {
        if let accounts {
            do {
                let content = try await accounts.list.content()
                if let stored = content.current, stored.id != current?.id {
                    use(stored, try await accounts.client(for: stored.id))
                }
                hasOtherAccounts = content.entries.contains { $0.id != current?.id }
                list = .ready
            } catch {
                list = .failed(error as? AuthError ?? .storeUnavailable)
                return
            }
        }
        await session.retry()
        synchronize()
        revokeRemaining()
    }

    /// Asks the server again to end the sessions of accounts that were removed without a network.
    private func revokeRemaining() {
        guard let accounts else { return }
        perform { await accounts.revokeRemaining() }
    }

    /// Refreshes an old profile, and tries an unreadable store again, when the user returns to the app.
    ///
    /// `SessionGate` calls it.
    public func activate() {
        user?.refresh()
        revokeRemaining()
        if gate.phase == .unavailable { perform { [weak self] in await self?.restore() } }
    }

    /// Waits until no request is running in any scene, for tests and for programs without a view.
    public func settled() async {
        synchronize()
        while let task = nextTask() {
            await task()
            synchronize()
        }
    }

    private func nextTask() -> (@MainActor () async -> Void)? {
        if let busy = scenes.lazy.flatMap(\.models).first(where: \.isBusy) { return { await busy.settled() } }
        if let user, user.isLoading { return { await user.settled() } }
        guard let task = work.first else { return nil }
        return { [weak self] in
            await task.value
            self?.work.removeAll { $0 == task }
        }
    }

    /// Runs a task that ``settled()`` waits for.
    @discardableResult
    func perform(_ body: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        let task = Task(operation: body)
        work.append(task)
        return task
    }
}

// MARK: - Changes of the session

extension AuthModel {
    /// Makes an account the current one.
    func use(_ account: AccountEntry, _ client: AuthClient) {
        current = account
        self.client = client
        session = SessionGateModel(client.session)
        (user, isEntered) = (nil, nil)
        for scene in scenes { scene.change() }
        follow()
    }

    /// Makes the shown account the current one of the list again, after another user's sign-in.
    func keepCurrent() {
        guard let accounts, let current else { return }
        perform {
            do {
                try await accounts.list.use(current.id)
            } catch {
                // If the list cannot be changed, the app shows the other, signed-in account after a restart.
            }
        }
    }

    private func followLock() { lock?.signOut = { [weak self] in self?.menu?.press(.signOut) } }

    /// Follows the session of the client, which may end by itself.
    private func follow() {
        follower?.cancel()
        follower = Task { [weak self, states = client.session.states] in
            for await _ in states { self?.synchronize() }
        }
    }

    /// Shows the screens for the session's current state.
    func synchronize() {
        if !session.isCurrent { session = session.renewed() }
        switch gate.phase {
        case .signedIn where isEntered != true: enter()
        case .signedOut where isEntered != false: leave()
        case .signedIn, .signedOut, .restoring, .unavailable: break
        }
        for scene in scenes { scene.openEarlyLink() }
    }

    private func enter() {
        isEntered = true
        let user = SignedInUser(client, clock: configuration.clock) { [weak self] user in
            guard let self, self.user === user else { return }
            for scene in scenes { scene.show(user) }
        }
        self.user = user
        news = nil
        hasDeletedAccount = false
        user.load()
        for scene in scenes { scene.enter(user) }
    }

    private func leave() {
        isEntered = false
        let wasEnded = client.session.currentState == .signedOut(.issuer)
        let leaving = user == nil ? nil : current
        let email = user?.profile?.email ?? current?.username ?? ""
        if user != nil, case .signedOut(let reason) = client.session.currentState { onEvent?(.signedOut(reason)) }
        user = nil
        lock?.open()
        // After the server has ended the session, the sign-in says so. It also leads to the other accounts.
        let first = { @MainActor [weak self] (hasOthers: Bool) in
            hasOthers && !wasEnded
                ? AuthRoute.accounts : .signIn(email: self?.hasDeletedAccount == true ? "" : email)
        }
        let known = hasOtherAccounts
        start = first(known)
        for scene in scenes { scene.leave(to: start) }
        guard let accounts else { return }
        perform { [weak self, current, client] in
            do {
                let others = try await accounts.list.content().entries.filter { $0.id != current?.id }
                self?.hasOtherAccounts = !others.isEmpty
                // Another process may have changed the list.
                if others.isEmpty == known { self?.restart(with: first(!known)) }
                guard let leaving, !wasEnded else { return }
                try await accounts.removeSignedOut(leaving.id, of: client)
                for scene in self?.scenes ?? [] {
                    (scene.screens.last?.model as? AccountSwitcherModel)?.send(.refresh)
                }
            } catch {
                // A list that cannot be changed keeps the signed-out account. The sign-in does not need the list.
            }
        }
    }

    /// Replaces the first screen of each scene in which a signed-out user has not navigated yet.
    private func restart(with route: AuthRoute) {
        start = route
        for scene in scenes { scene.navigator.change { $0.restart(with: route) } }
    }
}

// MARK: - Windows

extension AuthModel {
    /// Opens the scene of a window; `SessionGate` calls it when it appears.
    ///
    /// The first window takes the model's initial scene, with the screens that are open in it.
    public func openScene() -> AuthScene {
        if isSceneVacant {
            isSceneVacant = false
            return scene
        }
        let opened = AuthScene(accounts, configuration)
        scenes.append(opened)
        scene = opened
        opened.join(self)
        switch isEntered {
        case true?: if let user { opened.enter(user) }
        case false?: opened.leave(to: start)
        case nil: break
        }
        return opened
    }

    /// Closes the scene of a window; `SessionGate` calls it when it disappears.
    ///
    /// A running sign-in continues until its response. The last scene stays unchanged for the next window.
    public func close(_ closed: AuthScene) {
        guard scenes.contains(where: { $0 === closed }) else { return }
        guard scenes.count > 1 else {
            isSceneVacant = true
            return
        }
        // Includes models whose canceled request may still get a response.
        let models = closed.models
        scenes.removeAll { $0 === closed }
        if scene === closed, let last = scenes.last { scene = last }
        closed.end()
        perform {
            for model in models { await model.settled() }
            // The scene handles the outcomes, so it must live until then.
            withExtendedLifetime(closed) {}
        }
    }

    /// Makes a window's scene the current one of this model when the user returns to the window; see ``activate()``.
    public func activate(_ scene: AuthScene) {
        if scenes.contains(where: { $0 === scene }) { self.scene = scene }
        activate()
    }
}

// MARK: - The scene that the user has used last

extension AuthModel {
    /// The menu of the signed-in user; nil while no user is signed in.
    public var menu: UserMenuModel? { scene.menu }

    /// The screens above the content or in place of it, the last one visible.
    public var screens: [AuthScreen] { scene.screens }

    /// The routes of ``screens``, to be stored; see ``reopen(_:)``.
    public var path: [AuthRoute] { scene.path }

    /// The visible screen; nil for the app's content, and while the app is locked.
    ///
    /// See ``AuthScene/screen``.
    public var screen: AuthScreen? { scene.screen }

    /// Whether a screen is above the content of a signed-in user, or of a guest; see ``AuthScene/isPresented``.
    public var isPresented: Bool {
        get { scene.isPresented }
        set { scene.isPresented = newValue }
    }

    /// Shows stored screens again, as far as the user can see them now; call it after ``restore()``.
    public func reopen(_ path: [AuthRoute]) { scene.reopen(path) }

    /// Shows the screens of the last run again, and returns the data to store for the next one; see
    /// ``AuthScene/exchangePath(_:)``.
    public func exchangePath(_ stored: Data) -> Data { scene.exchangePath(stored) }

    /// Shows a screen above the others; an open screen of the same kind closes.
    public func push(_ route: AuthRoute) { scene.push(route) }

    /// Leaves the visible screen; see ``AuthScene/pop()``.
    public func pop() { scene.pop() }

    /// Opens the screen of an email link, and returns whether the link is below ``linkBases``; see
    /// ``AuthScene/open(_:)``.
    @discardableResult
    public func open(_ url: URL) -> Bool { scene.open(url) }
}
