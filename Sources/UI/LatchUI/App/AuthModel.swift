// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth
public import LatchCore
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
    /// The profile of the signed-in user; nil until it is loaded.
    public internal(set) var profile: AccountProfile?
    /// The menu of the signed-in user; nil while nobody is signed in.
    public private(set) var menu: UserMenuModel?
    /// The current account on this device; nil for a model of one client, and where there is none.
    public private(set) var account: AccountEntry?
    /// The screens above the content or in place of it, the last one visible.
    public internal(set) var screens: [AuthScreen] = []
    /// The connection, for a banner; it says nothing unless the client has its interceptor.
    public let connection: ConnectionModel

    private var list: ListState
    /// The gate of the client's session, renewed at each change that this model makes itself.
    private var session: SessionGateModel<Tokens>
    private var stepUp: StepUpModel?
    /// The number of announcements of the screen below a step-up when the user dismissed it.
    private var dismissal: Int?

    @ObservationIgnored let accounts: AccountClients?
    @ObservationIgnored let options: SignInScreen.Options
    @ObservationIgnored let clock: WallClock
    @ObservationIgnored let signInThrough: SignInThrough?
    @ObservationIgnored let reauthenticateThrough: ReauthenticateThrough?
    /// The passkeys of this device; nil for an app without.
    @ObservationIgnored let passkeys: (any PasskeyProvider)?
    @ObservationIgnored let passkeyOffers: PasskeyOffers
    /// The client of a sign-in to a new account, until its tokens are stored.
    @ObservationIgnored private var pending: AuthClient?
    /// The account of the last sign-in, until its screen ends.
    @ObservationIgnored private var stored: (entry: AccountEntry, client: AuthClient)?
    /// Whether the screens are those of a signed-in user; nil until the session is restored.
    @ObservationIgnored private var isInside: Bool?
    /// The link that opened the app before the session was restored.
    @ObservationIgnored private var earlyLink: ScreenLink?
    /// Whether stored screens were shown again.
    @ObservationIgnored var hasReopened = false
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
        let accounts = AccountClients(issuer: server.absoluteString, list, makeClient: makeClient)
        self.init(accounts.newClient(), accounts, options, connection, clock, ways, passkeys, offers)
    }

    private init(
        _ client: AuthClient, _ accounts: AccountClients?, _ options: SignInScreen.Options,
        _ connection: ConnectionModel, _ clock: WallClock, _ ways: ProviderWays,
        _ passkeys: (any PasskeyProvider)?, _ offers: any SecretStore
    ) {
        self.client = client
        self.connection = connection
        session = SessionGateModel(client.session)
        list = accounts == nil ? .ready : .loading
        (self.accounts, self.options, self.clock) = (accounts, options, clock)
        (signInThrough, reauthenticateThrough) = ways
        (self.passkeys, passkeyOffers) = (passkeys, PasskeyOffers(secrets: offers))
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
        case .ready: session.gate
        }
    }

    /// Whether a user is signed in.
    public var isSignedIn: Bool { gate.phase == .signedIn }

    /// The visible screen: the step-up that a server requires, else the last one of ``screens``; nil for the app's content.
    public var screen: AuthScreen? {
        if isSteppingUp, let stepUp { return .stepUp(stepUp) }
        return screens.last
    }

    /// Whether the step-up is visible: until the user dismisses it, and again when the screen below needs it once more.
    private var isSteppingUp: Bool {
        if gate.stepUp != nil { return true }
        guard session.session.stepUp != nil, let model = screens.last?.model else { return false }
        return model.failure?.reason == .stepUpRequired && model.announcements != dismissal
    }

    /// Shows the pending step-up again that the user has dismissed, as a request of the app that needs it does.
    public func raiseStepUp() { session.raiseStepUp() }

    /// Whether a screen is above the content of a signed-in user; false closes all of them, as the user does by a gesture.
    public var isPresented: Bool {
        get { isSignedIn && screen != nil }
        set { if !newValue, isSignedIn { close() } }
    }

    private func close() {
        if isSteppingUp { dismissStepUp() } else { screens = [] }
    }

    private func dismissStepUp() {
        session.dismissStepUp()
        dismissal = screens.last?.model.announcements
    }

    /// Reads the accounts and the session from the store; a failure is the state of ``gate``.
    ///
    /// `SessionGate` calls it when it appears, and its button calls it again.
    public func restore() async {
        if let accounts {
            do {
                if let current = try await accounts.list.content().current, current.id != account?.id {
                    use(current, try await accounts.client(for: current.id))
                }
                list = .ready
            } catch {
                list = .failed(error as? AuthError ?? .storeUnavailable)
                return
            }
        }
        await session.retry()
        synchronize()
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
        if let model = screen?.model, model.isBusy { return { await model.settled() } }
        if let menu, menu.isBusy { return { await menu.settled() } }
        guard let task = work.first else { return nil }
        return { [weak self] in
            await task.value
            self?.work.removeAll { $0 == task }
        }
    }
}

// MARK: - Changes of the session

extension AuthModel {
    /// Makes an account the current one.
    private func use(_ account: AccountEntry, _ client: AuthClient) {
        self.account = account
        self.client = client
        session = SessionGateModel(client.session)
        (pending, isInside) = (nil, nil)
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
    private func synchronize() {
        let (seen, current) = (session.session, client.session)
        // Views are notified later than the session changes.
        if seen.state != current.currentState || seen.stepUp != current.stepUp { session = session.renewed() }
        switch gate.phase {
        case .signedIn where isInside != true: enter()
        case .signedOut where isInside != false: leave()
        case .signedIn, .signedOut, .restoring, .unavailable: break
        }
        if isInside != nil, let link = earlyLink {
            earlyLink = nil
            open(link)
        }
    }

    private func enter() {
        isInside = true
        screens.removeAll { $0.route?.needsUser != true }
        stepUp = makeStepUp()
        show(nil)
        loadProfile()
    }

    private func makeStepUp() -> StepUpModel {
        var reauthenticate: (@Sendable (IdentityProvider, String?) async throws -> Void)?
        if let reauthenticateThrough {
            reauthenticate = { [client] in try await reauthenticateThrough(client, $0, $1) }
        }
        return StepUpModel(
            client, passkeys: passkeys, clock: clock, reauthenticateThrough: reauthenticate
        ) { [weak self] outcome in
            if outcome != .authenticated { self?.dismissStepUp() }
            if outcome == .passwordReset { self?.showPasswordReset() }
            // The next one begins with empty fields.
            self?.stepUp = self?.makeStepUp()
            self?.synchronize()
        }
    }

    private func leave() {
        let wasInside = isInside == true
        let wasEnded = client.session.currentState == .signedOut(.issuer)
        let name = profile?.email ?? account?.username ?? ""
        // Whose request it was that has signed out, and may still store what is to be revoked.
        let ending: [any AnyScreenModel] = screens.map(\.model) + (menu.map { [$0] } ?? [])
        isInside = false
        (profile, menu, stepUp) = (nil, nil, nil)
        screens.removeAll { $0.route?.needsUser != false }
        perform { [weak self, accounts, account, client] in
            var others: [AccountEntry] = []
            if let accounts, !wasEnded {
                do {
                    others = try await accounts.list.content().entries.filter { $0.id != account?.id }
                    // Nobody waits for the server: the list of accounts alone shows what is removed.
                    if others.isEmpty { self?.showStart(.signIn(email: name)) }
                    for model in ending { await model.settled() }
                    if wasInside, let account { try await accounts.removeSignedOut(account.id, of: client) }
                } catch {
                    // A list that cannot be changed keeps the account, signed out; the sign-in needs no list.
                }
            }
            self?.showStart(others.isEmpty ? .signIn(email: name) : .accounts)
        }
    }

    /// Shows the first screen of a signed-out user, unless there is one already.
    private func showStart(_ route: AuthRoute) {
        if screens.isEmpty, isInside == false { push(route) }
    }

    /// Loads the profile of the signed-in user.
    func loadProfile() {
        perform { [weak self, client] in
            do {
                let profile = try await client.accountProfile()
                if self?.client === client, self?.isInside == true { self?.show(profile) }
            } catch {
                // The menu has what the token says, and the profile's own screen says what failed.
            }
        }
    }

    /// Takes the profile of the signed-in user; nil where only the token is known.
    func show(_ profile: AccountProfile?) {
        self.profile = profile
        let shown = profile ?? AccountProfile(id: client.account?.id ?? "", email: client.account?.email ?? "")
        menu = UserMenuModel(
            client, profile: shown, hasAccounts: accounts != nil, clock: clock,
            onFinish: { [weak self] outcome in self?.follow(outcome) })
    }

    /// Runs something that ``settled()`` waits for.
    func perform(_ body: @escaping @MainActor () async -> Void) {
        work.append(Task(operation: body))
    }
}

// MARK: - Signing in

extension AuthModel {
    /// The client of sign-ins and registrations: the only one, or a new one without an account.
    var signInClient: AuthClient {
        guard let accounts else { return client }
        let pending = pending ?? accounts.newClient()
        self.pending = pending
        return pending
    }

    /// Stores the account of a client that has signed in.
    func store(_ signedIn: AuthClient) async throws {
        stored = try await accounts?.adopt(signedIn)
    }

    /// Shows the content after a sign-in.
    func finishSignIn() {
        let hasUsedPassword = screens.contains { screen in
            if case .signIn(let model) = screen { model.screen.usesPassword } else { false }
        }
        screens = []
        if let (account, client) = stored { use(account, client) }
        stored = nil
        synchronize()
        if hasUsedPassword { offerPasskey() }
    }

    /// Shows the content of the account that the user has switched to, or its sign-in.
    func finishSwitch(to account: AccountEntry) {
        screens = []
        perform { [weak self] in
            await self?.restore()
            self?.showStart(.signIn(email: account.username ?? ""))
        }
    }

    /// Opens the screen of a mail's link, and returns whether it is one.
    ///
    /// - Parameter url: The URL that has opened the app, such as `https://id.example.com/verify?token=…`.
    @discardableResult
    public func open(_ url: URL) -> Bool {
        guard let link = ScreenLink(url) else { return false }
        if isInside == nil { earlyLink = link } else { open(link) }
        return true
    }
}
