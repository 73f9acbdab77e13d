// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore

extension DependencyValues {
    /// Sends requests with the session's token.
    public var jwtAuthClient: JWTAuthClient {
        get { self[JWTAuthClient.self].bound(to: self) }
        set { self[JWTAuthClient.self] = newValue.bound(to: nil) }
    }

    /// Signs in and out.
    ///
    /// Unless another was set it is a face of these values' session.
    public var authTokensClient: AuthTokensClient {
        get { override(of: AuthTokensClient.self) ?? AuthTokensClient(account) }
        set { self[AuthTokensClient.self] = newValue }
    }

    /// Keeps the tokens; setting it means another session.
    public var keychainClient: KeychainClient {
        get { self[KeychainClient.self] }
        set { self[KeychainClient.self] = newValue }
    }

    /// Sends requests without a token.
    public var httpRequestClient: HTTPRequestClient {
        get { self[HTTPRequestClient.self].bound(to: self) }
        set { self[HTTPRequestClient.self] = newValue.bound(to: nil) }
    }

    /// The time; setting it means another session.
    public var wallClock: WallClock {
        get { self[WallClock.self] }
        set { self[WallClock.self] = newValue }
    }

    /// The policy of refreshes; setting it creates another session.
    public var renewalPolicy: RefreshPolicy {
        get { self[RefreshPolicy.self] }
        set { self[RefreshPolicy.self] = newValue }
    }

    /// The session, which a test or a preview may set to begin with.
    ///
    /// Setting it means another session, over tokens that are kept in memory.
    public var authSession: AuthSession? {
        get { account.observed.value }
        set {
            self[InitialSession.self] = InitialSession(session: newValue)
            keychainClient = .inMemory(newValue?.tokens)
        }
    }

    /// The account of these values; there is one.
    var account: AuthAccount { host.account(of: self) }
}

/// The session that is visible before its store has been read.
struct InitialSession: TestDependencyKey, SessionShaping {
    let session: AuthSession?

    static var testValue: InitialSession { InitialSession(session: nil) }
}

extension KeychainClient: DependencyKey, SessionShaping {
    /// The place where this platform keeps secrets.
    public static var liveValue: KeychainClient { .live() }
    /// A place of the test's own that ends with it.
    public static var testValue: KeychainClient { .inMemory() }
    /// A place that ends with the preview.
    public static var previewValue: KeychainClient { .inMemory() }
}

extension AuthTokensClient: TestDependencyKey {
    /// A client that does nothing: unless another value is set, the session's own client is used.
    public static var testValue: AuthTokensClient { AuthTokensClient(save: { _ in }, destroy: {}) }
}

extension HTTPRequestClient: DependencyKey {
    /// The network.
    public static var liveValue: HTTPRequestClient { HTTPRequestClient() }
    /// Fails: a test says what its network answers.
    public static var testValue: HTTPRequestClient {
        HTTPRequestClient { _, _ in throw MissingDependency(name: "httpRequestClient.send") }
    }
}

extension JWTAuthClient: TestDependencyKey {
    /// Fails: a program and a test say where the API is, and how to refresh.
    public static var testValue: JWTAuthClient {
        JWTAuthClient(
            baseURL: { throw MissingDependency(name: "jwtAuthClient.baseURL") },
            refresh: { _ in throw MissingDependency(name: "jwtAuthClient.refresh") })
    }
}

extension WallClock: DependencyKey, SessionShaping {
    /// The clock of this machine.
    public static var liveValue: WallClock { .system }
}

extension RefreshPolicy: DependencyKey, SessionShaping {
    /// Refreshes shortly before the end, when a caller needs the token.
    public static var liveValue: RefreshPolicy { RefreshPolicy() }
}
