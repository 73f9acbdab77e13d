// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth
public import LatchCore
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
@MainActor @Observable
public final class AuthModel {
    /// A function that signs a client in through a provider.
    public typealias SignInThrough = @Sendable (AuthClient, IdentityProvider) async throws -> Void
    /// A function that authenticates a client's user once more through a provider, with a code of the second factor where the
    /// account has one.
    public typealias ReauthenticateThrough =
        @Sendable (AuthClient, IdentityProvider, _ code: String?) async throws -> Void

    /// The ways through providers' pages.
    private typealias ProviderWays = (signIn: SignInThrough?, reauthenticate: ReauthenticateThrough?)

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
    public var lock: AppLockModel? {
        didSet { lock?.signOut = { [weak self] in self?.menu?.press(.signOut) } }
    }

    /// The URLs below which the links of mails are that ``open(_:)`` takes: by default the server's, as
    /// `https://id.example.com/verify?token=…` is; `notes://` adds those of a scheme.
    public var linkBases: [URL]
    /// The app's own fields and the terms of the registration, for the next one that is shown.
    @ObservationIgnored public var registrationOptions = RegistrationScreen.Options()
    /// A function that is called when a signed-out user leaves the sign-in, such as a guest; without it the sign-in has no such
    /// button, since there is nothing to return to.
    @ObservationIgnored public var onCancel: (@MainActor () -> Void)?

    /// A function that is called with what a person does in the screens, for analytics and logs.
    @ObservationIgnored public var onEvent: (@MainActor (AuthEvent) -> Void)?

    /// The current account of the list, also while it is signed out.
    private(set) var current: AccountEntry?
    /// Whether the list has further accounts.
    @ObservationIgnored var hasOtherAccounts = false
    /// The signed-in user; nil while nobody is signed in.
    private(set) var user: SignedInUser?
    /// The callers of ``signIn()``, while the sign-in is shown to a guest.
    var signIns: [CheckedContinuation<Bool, Never>] = []
    /// The callers of ``confirmUser()``, while the step-up is shown for them.
    var confirmations: [CheckedContinuation<Bool, Never>] = []
    /// The news above the sign-in, until a user signs in; nil for none.
    var news: Phrase?
    private var list: ListState
    /// The gate of the client's session, renewed at each change that this model makes itself.
    private var session: SessionGateModel<Tokens>

    @ObservationIgnored let accounts: AccountClients?
    @ObservationIgnored private let clock: WallClock
    @ObservationIgnored let navigator: AuthNavigator
    @ObservationIgnored private let reauthenticateThrough: ReauthenticateThrough?
    /// The passkeys of this device; nil for an app without.
    @ObservationIgnored let passkeys: (any PasskeyProvider)?
    @ObservationIgnored let passkeyOffers: PasskeyOffers
    /// The link that opened the app before the session was restored.
    @ObservationIgnored var earlyLink: ScreenLink?
    @ObservationIgnored private var work: [Task<Void, Never>] = []
    @ObservationIgnored private var follower: Task<Void, Never>?

    /// Creates the model of a client, which has one account.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - options: The options of the sign-in.
    ///   - connection: The connection, whose interceptor the client has.
    ///   - clock: The clock of deadlines and locks.
    ///   - signInThrough: Signs a client in through one of the options' providers.
    ///   - reauthenticateThrough: Authenticates a client's user through a provider, for requests that need it.
    ///   - passkeys: The passkeys of this device, such as `PlatformPasskeys()`; nil for an app without.
    ///   - passkeyOffers: Keeps which account was offered a passkey on this device; in memory it is offered once in each run.
    public convenience init(
        _ client: AuthClient, options: SignInScreen.Options = SignInScreen.Options(),
        connection: ConnectionModel = ConnectionModel(), clock: WallClock = .system,
        signInThrough: SignInThrough? = nil, reauthenticateThrough: ReauthenticateThrough? = nil,
        passkeys: (any PasskeyProvider)? = nil, passkeyOffers: any SecretStore = InMemorySecretStore()
    ) {
        self.init(
            client, nil, options, connection, clock, (signInThrough, reauthenticateThrough), passkeys, passkeyOffers)
    }

    /// Creates the model of an app whose users may have several accounts at a server, each with tokens of its own in the
    /// platform's secret store.
    ///
    /// - Parameters:
    ///   - server: The base URL of the server.
    ///   - service: The name of the app in the secret store, such as its bundle identifier.
    ///   - options: The options of the sign-in.
    ///   - signInThrough: Signs a client in through one of the options' providers.
    ///   - reauthenticateThrough: Authenticates a client's user through a provider, for requests that need it.
    ///   - passkeys: The passkeys of this device, such as `PlatformPasskeys()`; nil for an app without.
    public convenience init(
        server: URL, service: String, options: SignInScreen.Options = SignInScreen.Options(),
        signInThrough: SignInThrough? = nil, reauthenticateThrough: ReauthenticateThrough? = nil,
        passkeys: (any PasskeyProvider)? = nil
    ) {
        let connection = ConnectionModel()
        let interceptor = connection.interceptor
        self.init(
            server: server, { AccountList(service: service, makeSession: $0) }, options: options,
            connection: connection, ways: (signInThrough, reauthenticateThrough), passkeys: passkeys,
            offers: platformSecretStore(service: service)
        ) { store in
            AuthClient(baseURL: server, store: store, interceptors: [interceptor])
        }
    }

    /// Creates the model of an app whose users may have several accounts, over a secret store and with clients of the app's.
    ///
    /// - Parameters:
    ///   - server: The base URL of the server.
    ///   - secrets: Keeps the list of accounts and their tokens; an `InMemorySecretStore` in tests.
    ///   - options: The options of the sign-in.
    ///   - connection: The connection, whose interceptor the clients have.
    ///   - clock: The clock of deadlines and locks.
    ///   - signInThrough: Signs a client in through one of the options' providers.
    ///   - reauthenticateThrough: Authenticates a client's user through a provider, for requests that need it.
    ///   - passkeys: The passkeys of this device, such as `PlatformPasskeys()`; nil for an app without.
    ///   - makeClient: Creates a client of the server over a store of tokens.
    public convenience init(
        server: URL, secrets: any SecretStore, options: SignInScreen.Options = SignInScreen.Options(),
        connection: ConnectionModel = ConnectionModel(), clock: WallClock = .system,
        signInThrough: SignInThrough? = nil, reauthenticateThrough: ReauthenticateThrough? = nil,
        passkeys: (any PasskeyProvider)? = nil,
        makeClient: @escaping @Sendable (any TokenStore<Tokens>) -> AuthClient
    ) {
        self.init(
            server: server, { AccountList(secrets, makeSession: $0) }, options: options, connection: connection,
            clock: clock, ways: (signInThrough, reauthenticateThrough), passkeys: passkeys, offers: secrets,
            makeClient: makeClient)
    }

    private convenience init(
        server: URL, _ list: (@escaping AccountList.MakeSession) -> AccountList, options: SignInScreen.Options,
        connection: ConnectionModel, clock: WallClock = .system, ways: ProviderWays,
        passkeys: (any PasskeyProvider)?, offers: any SecretStore, makeClient: @escaping AccountClients.MakeClient
    ) {
        let accounts = AccountClients(issuer: server.absoluteString, secrets: offers, list, makeClient: makeClient)
        // The client that signs in belongs to nobody until its account is stored.
        self.init(accounts.idleClient, accounts, options, connection, clock, ways, passkeys, offers)
    }

    private init(
        _ client: AuthClient, _ accounts: AccountClients?, _ options: SignInScreen.Options,
        _ connection: ConnectionModel, _ clock: WallClock, _ ways: ProviderWays,
        _ passkeys: (any PasskeyProvider)?, _ offers: any SecretStore
    ) {
        self.client = client
        self.connection = connection
        linkBases = [client.baseURL]
        session = SessionGateModel(client.session)
        list = accounts == nil ? .ready : .loading
        (self.accounts, self.clock) = (accounts, clock)
        (reauthenticateThrough, self.passkeys, passkeyOffers) = (
            ways.reauthenticate, passkeys, PasskeyOffers(secrets: offers)
        )
        navigator = AuthNavigator(hasAccounts: accounts != nil)
        navigator.factory = { [weak self] in
            guard let self else { return nil }
            return AuthScreenFactory(
                options: options, registration: registrationOptions, clock: clock, accounts: accounts,
                signInThrough: ways.signIn, passkeys: passkeys,
                client: self.client, user: user, isCancellable: onCancel != nil,
                isForGuest: !signIns.isEmpty, hasOtherAccounts: hasOtherAccounts)
        }
        navigator.perform = { [weak self] in self?.perform($0) }
        navigator.tell = { [weak self] in self?.onEvent?($0) }
        connection.onReconnection = { [weak self] in
            self?.user?.retry()
            self?.revokeRemaining()
        }
        follow()
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
    /// The menu of the signed-in user; nil while nobody is signed in.
    public var menu: UserMenuModel? { user?.menu }

    /// The visible screen: the step-up that a server requires, else the last one of ``screens``; nil for the app's content, and
    /// while the app is locked.
    ///
    /// A step-up that the user dismisses comes back with the next request that is refused for want of it.
    public var screen: AuthScreen? { isLocked ? nil : stepUp.map(AuthScreen.stepUp) ?? screens.last }

    private var stepUp: StepUpModel? { gate.stepUp == nil && confirmations.isEmpty ? nil : user?.stepUp }

    /// Whether a screen is above the content of a signed-in user, or of a guest by ``signIn()``; false closes all of them, as the
    /// user does by a gesture.
    public var isPresented: Bool {
        get { (isSignedIn || !signIns.isEmpty) && screen != nil }
        set { if !newValue, isPresented, !isLocked, screen?.model.canBeDismissed == true { close() } }
    }

    private func close() {
        if stepUp != nil { return dismissStepUp() }
        endSignIn(false)
        navigator.change { $0.close() }
    }

    func dismissStepUp() {
        session.dismissStepUp()
        endConfirmation(false)
        for screen in screens { (screen.model as? any StepUpRepeating)?.forgetRefusedRequest() }
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

    /// Waits until no request is under way, for tests and for programs without a view.
    public func settled() async {
        synchronize()
        while let task = nextTask() {
            await task()
            synchronize()
        }
    }

    private func nextTask() -> (@MainActor () async -> Void)? {
        let models = ([stepUp, menu] as [(any AnyScreenModel)?]).compactMap(\.self) + screens.map(\.model)
        if let busy = models.first(where: \.isBusy) { return { await busy.settled() } }
        if let user, user.isLoading { return { await user.settled() } }
        guard let task = work.first else { return nil }
        return { [weak self] in
            await task.value
            self?.work.removeAll { $0 == task }
        }
    }

    /// Runs something that ``settled()`` waits for.
    func perform(_ body: @escaping @MainActor () async -> Void) { work.append(Task(operation: body)) }
}

// MARK: - Changes of the session

extension AuthModel {
    /// Makes an account the current one.
    func use(_ account: AccountEntry, _ client: AuthClient) {
        current = account
        self.client = client
        session = SessionGateModel(client.session)
        endConfirmation(false)
        user = nil
        navigator.change { $0.change() }
        follow()
    }

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
        case .signedIn where navigator.flow.isSignedIn != true: enter()
        case .signedOut where navigator.flow.isSignedIn != false: leave()
        case .signedIn, .signedOut, .restoring, .unavailable: break
        }
        if navigator.flow.isSignedIn != nil, let link = earlyLink {
            earlyLink = nil
            navigator.open(link)
        }
    }

    private func enter() {
        endSignIn(true)
        let user = SignedInUser(
            client, hasAccounts: accounts != nil, clock: clock, makeStepUp: makeStepUp(of: client),
            onMenu: { [weak self] in self?.follow($0) },
            onStepUp: { [weak self] in self?.follow($0) })
        self.user = user
        news = nil
        user.load()
        navigator.change { $0.enter() }
    }

    /// Returns the factory of a client's step-ups.
    private func makeStepUp(of client: AuthClient) -> @MainActor () -> StepUpModel {
        let reauthenticate = reauthenticateThrough.map { reauthenticate in
            { @Sendable (provider: IdentityProvider, code: String?) in
                try await reauthenticate(client, provider, code)
            }
        }
        return { [passkeys, clock, weak self] in
            let model = StepUpModel(client, passkeys: passkeys, clock: clock, reauthenticateThrough: reauthenticate)
            model.onFailure = { [weak self] in self?.onEvent?(.failed(nil, $0)) }
            return model
        }
    }

    private func leave() {
        let wasEnded = client.session.currentState == .signedOut(.issuer)
        let leaving = user == nil ? nil : current
        let email = user?.profile?.email ?? current?.username ?? ""
        if user != nil, case .signedOut(let reason) = client.session.currentState { onEvent?(.signedOut(reason)) }
        endConfirmation(false)
        user = nil
        lock?.open()
        // The sign-in says that the session has ended, and leads to the other accounts.
        let start = { @MainActor (hasOthers: Bool) in
            hasOthers && !wasEnded ? AuthRoute.accounts : .signIn(email: email)
        }
        let known = hasOtherAccounts
        navigator.change {
            $0.leave()
            $0.start(with: start(known))
        }
        guard let accounts else { return }
        perform { [weak self, current, client] in
            do {
                let others = try await accounts.list.content().entries.filter { $0.id != current?.id }
                self?.hasOtherAccounts = !others.isEmpty
                // Another process may have changed the list.
                if others.isEmpty == known { self?.navigator.change { $0.restart(with: start(!known)) } }
                guard let leaving, !wasEnded else { return }
                try await accounts.removeSignedOut(leaving.id, of: client)
                if case .accounts(let model) = self?.screens.last { model.send(.refresh) }
            } catch {
                // A list that cannot be changed keeps the account, signed out; the sign-in needs no list.
            }
        }
    }
}
