// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth
import LatchCore
import LatchTexts
public import Observation
public import PortableFoundation

/// Everything that an app needs for its accounts: the gate, the screens with the ways between them, the profile, the menu, the
/// step-up, and the accounts of the device.
///
/// ```swift no-check
/// @State private var auth = AuthModel(server: url, service: "Notes")
///
/// var body: some View {
///     SessionGate(auth) { NotesView(auth.client).toolbar { UserButton(auth) } }
/// }
/// ```
///
/// A signed-out user sees ``screen``; a signed-in one sees it above the app's content, or the content alone if there is none.
/// Each window of an app has its ``AuthScene``, with screens of its own over the same accounts.
@MainActor @Observable
public final class AuthModel {
    /// A function that signs a client in through a provider.
    public typealias SignInThrough = @Sendable (AuthClient, IdentityProvider) async throws -> Void
    /// A function that authenticates a client's user once more through a provider, with a code of the second factor where the
    /// account has one.
    public typealias ReauthenticateThrough =
        @Sendable (AuthClient, IdentityProvider, _ code: String?) async throws -> Void

    /// The state of the device's list of accounts.
    private enum ListState {
        case loading, ready
        case failed(AuthError)
    }

    /// The client of the current account, for the app's own requests; another one after a change of the account.
    public private(set) var client: AuthClient
    /// The connection, for a banner; it says nothing unless the client has its interceptor.
    public let connection: ConnectionModel
    /// The lock of the app, which `SessionGate` shows in place of everything else; nil for none.
    ///
    /// It opens with the sign-out, by which a user leaves it who cannot open it.
    public var lock: AppLockModel? { didSet { followLock() } }

    /// The URLs below which the links of mails are that ``open(_:)`` takes: by default the server's, as
    /// `https://id.example.com/verify?token=…` is; `notes://` adds those of a scheme.
    public var linkBases: [URL]
    /// A function that is called when a signed-out user leaves the sign-in, such as a guest; without it the sign-in has no such
    /// button, since there is nothing to return to.
    @ObservationIgnored public var onCancel: (@MainActor () -> Void)?

    /// A function that is called with what a person does in the screens, for analytics and logs.
    @ObservationIgnored public var onEvent: (@MainActor (AuthEvent) -> Void)?

    /// The open scenes: one for each window of the app, and one for an app without windows yet.
    public internal(set) var scenes: [AuthScene] = []
    /// The scene that the user has used last, which the screens of this model are those of.
    public internal(set) var scene: AuthScene
    /// Whether no window has taken the only scene.
    @ObservationIgnored var isSceneVacant = true

    /// The current account of the list, also while it is signed out.
    private(set) var current: AccountEntry?
    /// Whether the list has further accounts.
    @ObservationIgnored var hasOtherAccounts = false
    /// The signed-in user; nil while nobody is signed in.
    private(set) var user: SignedInUser?
    /// The news above the sign-in, until a user signs in; nil for none.
    var news: Phrase?
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

    /// The passkeys of this device; nil for an app without.
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

    /// Creates the model of an app whose users may have several accounts at a server, each with tokens of its own in the
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
    /// Whether nothing but the lock is shown.
    public var isLocked: Bool { isSignedIn && lock?.lock.isLocked == true }
    /// The current account on this device; nil for a model of one client, and while nobody is signed in.
    public var account: AccountEntry? { isSignedIn ? current : nil }
    /// The profile of the signed-in user; nil until it is loaded.
    ///
    /// It is loaded again after its changes here, with a new connection, and when the user returns after a while.
    public var profile: AccountProfile? { user?.profile }
    /// The failure of the last attempt to load the profile, which the menu shows as well; nil if there is none.
    public var profileFailure: ScreenFailure? { user?.failure }

    /// Hides the step-up that the session requires, and what was to be repeated after it.
    func dismissStepUp() {
        session.dismissStepUp()
        for scene in scenes {
            for screen in scene.screens { (screen.model as? any StepUpRepeating)?.forgetRefusedRequest() }
        }
    }

    /// Reads the accounts and the session from the store; a failure is the state of ``gate``.
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

    /// Takes the return of the user to the app, after which the profile may be another one, and a store that could not be read
    /// may be open; `SessionGate` calls it.
    public func activate() {
        user?.refresh()
        revokeRemaining()
        if gate.phase == .unavailable { perform { [weak self] in await self?.restore() } }
    }

    /// Waits until no request is under way in any scene, for tests and for programs without a view.
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

    /// Runs something that ``settled()`` waits for.
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

    /// Makes the account that is shown the current one of the list again, after the sign-in of another user.
    func keepCurrent() {
        guard let accounts, let current else { return }
        perform {
            do {
                try await accounts.list.use(current.id)
            } catch {
                // A list that cannot be changed leads to the other account after a restart, which is signed in.
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

    /// Shows what belongs to the session's current state.
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
        // The sign-in says that the session has ended, and leads to the other accounts.
        let first = { @MainActor (hasOthers: Bool) in
            hasOthers && !wasEnded ? AuthRoute.accounts : .signIn(email: email)
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
                // A list that cannot be changed keeps the account, signed out; the sign-in needs no list.
            }
        }
    }

    /// Shows another first screen wherever a signed-out user has gone nowhere yet.
    private func restart(with route: AuthRoute) {
        start = route
        for scene in scenes { scene.navigator.change { $0.restart(with: route) } }
    }
}
