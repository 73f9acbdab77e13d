// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth
public import LatchCore
public import LatchFoundation
public import LatchHTTP

extension AuthModel {
    /// The configuration of an app's model: its server and store, or its client, and what its screens offer.
    ///
    /// ```swift
    /// var configuration = AuthModel.Configuration(server: url, service: "Notes")
    /// configuration.options.acceptsUsername = true
    /// let auth = AuthModel(configuration)
    /// ```
    public struct Configuration: Sendable {
        /// A server at which users may have several accounts, or the client of one account.
        enum Backend: Sendable {
            case server(URL, service: String)
            case client(AuthClient)
        }

        let backend: Backend
        /// The options of the sign-in, which asks the server for its ways unless `loadsWays` is set to false.
        public var options = SignInScreen.Options(loadsWays: true)
        /// The app's own fields and the terms of the registration.
        public var registration = RegistrationScreen.Options()
        /// The base URLs of the email links that the app opens: by default the server's URL.
        public var linkBases: [URL]
        /// The lock of the app; nil for none.
        public var lock: AppLockModel?
        /// The connection state of the offline banner; nil for a new one.
        ///
        /// A client that the app creates itself needs the interceptor of this connection.
        public var connection: ConnectionModel?
        /// The clock of deadlines, of locks, and of the clients that the model creates.
        public var clock = WallClock.system
        /// The store of the accounts, their tokens and their passkey offers, for one process; nil for the default
        /// store.
        ///
        /// The default for a server is the platform's store of the service, which an app shares with its extensions.
        /// The default for a client is a store in memory.
        public var secrets: (any SecretStore)?
        /// A function that signs a client in through one of the options' providers; nil for an app without providers.
        public var signInThrough: SignInThrough?
        /// A function that authenticates a client's user again through a provider; nil for an app without providers.
        public var reauthenticateThrough: ReauthenticateThrough?
        /// The passkeys of this device, such as `PlatformPasskeys()`; nil for an app without passkeys.
        public var passkeys: (any PasskeyProvider)?
        /// The app's rows in the menu and in the profile.
        public var rows: [AccountRow] = []

        // Settings of the clients that the model creates, one for each account. A client that the app creates has
        // separate ones.

        /// The paths of the server, for the clients that the model creates.
        public var endpoints = AccountEndpoints()
        /// The times at which sessions refresh their tokens, for the clients that the model creates.
        public var policy = RefreshPolicy()
        /// The handler that sends the requests of the clients that the model creates.
        public var transport: any Handler = Transport.live
        /// The interceptors of the clients that the model creates, such as logs; the first one sees a request first.
        public var interceptors: [any Interceptor] = []

        /// The app's screens in the flow.
        var screens = CustomScreens()

        /// Creates the configuration of an app whose users may have several accounts at a server.
        ///
        /// - Parameters:
        ///   - server: The base URL of the server.
        ///   - service: The name of the app in the platform's secret store, such as its bundle identifier.
        public init(server: URL, service: String) {
            backend = .server(server, service: service)
            linkBases = [server]
        }

        /// Creates the configuration of an app with one account, and its client.
        public init(_ client: AuthClient) {
            backend = .client(client)
            linkBases = [client.baseURL]
        }
    }
}

extension AuthModel.Configuration {
    /// Returns the list of the app's accounts, such as to import the tokens of an earlier version of the app.
    ///
    /// The list has the same records as the model. Create the model after all changes to the list.
    ///
    /// - Returns: Nil for the configuration of one client.
    public func makeAccountList() -> AccountList? {
        guard case .server(let server, let service) = backend else { return nil }
        let configuration = self
        return makeAccountList(of: service) { _, store in configuration.makeClient(at: server, store, []).session }
    }

    private func makeAccountList(of service: String, _ makeSession: @escaping AccountList.MakeSession) -> AccountList {
        if let secrets { return AccountList(secrets, makeSession: makeSession) }
        return AccountList(service: service, makeSession: makeSession)
    }

    private func makeClient(
        at server: URL, _ store: any TokenStore<Tokens>, _ outer: [any Interceptor]
    ) -> AuthClient {
        AuthClient(
            baseURL: server, store: store, endpoints: endpoints, policy: policy, transport: transport,
            interceptors: outer + interceptors, clock: clock)
    }

    /// The store of the records other than the accounts.
    var records: any SecretStore {
        if let secrets { return secrets }
        if case .server(_, let service) = backend { return platformSecretStore(service: service) }
        return InMemorySecretStore()
    }

    /// Returns the first client, and the accounts for a server; the requests of their clients update a connection.
    func connect(_ connection: ConnectionModel) -> (client: AuthClient, accounts: AccountClients?) {
        switch backend {
        case .client(let client): return (client, nil)
        case .server(let server, let service):
            let (configuration, interceptor) = (self, connection.interceptor)
            let accounts = AccountClients(
                issuer: server.absoluteString, secrets: records, { makeAccountList(of: service, $0) },
                makeClient: { configuration.makeClient(at: server, $0, [interceptor]) })
            // The model has a client without an account until a sign-in is stored.
            return (accounts.idleClient, accounts)
        }
    }
}
