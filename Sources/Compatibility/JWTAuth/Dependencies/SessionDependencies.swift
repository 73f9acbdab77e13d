// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchAuth
public import LatchCore

extension AuthDependencies {
    /// Sends requests with the session's token.
    public var jwtAuthClient: JWTAuthClient {
        get { self[JWTAuthClient.self].bound(to: self) }
        set { self[JWTAuthClient.self] = newValue.bound(to: nil) }
    }

    /// Signs in and out.
    ///
    /// Unless it was set, it acts on the session of these values.
    public var authTokensClient: AuthTokensClient {
        get { override(of: AuthTokensClient.self) ?? AuthTokensClient(account) }
        set { self[AuthTokensClient.self] = newValue }
    }

    /// The storage of the tokens; setting it creates a new session.
    public var keychainClient: KeychainClient {
        get { self[KeychainClient.self] }
        set { self[KeychainClient.self] = newValue }
    }

    /// Sends requests without a token.
    public var httpRequestClient: HTTPRequestClient {
        get { self[HTTPRequestClient.self].bound(to: self) }
        set { self[HTTPRequestClient.self] = newValue.bound(to: nil) }
    }

    /// The clock; setting it creates a new session.
    public var wallClock: WallClock {
        get { self[WallClock.self] }
        set { self[WallClock.self] = newValue }
    }

    /// The refresh policy; setting it creates a new session.
    public var refreshPolicy: RefreshPolicy {
        get { self[RefreshPolicy.self] }
        set { self[RefreshPolicy.self] = newValue }
    }

    /// The state of the session; a test or a preview may set the initial state.
    ///
    /// Reading it is observable: a view, or `withObservationTracking`, is notified of the next change. Setting it
    /// creates a new session, with tokens in memory.
    public var authSession: AuthSession? {
        get { account.observed.value }
        set {
            self[InitialSession.self] = InitialSession(session: newValue)
            keychainClient = .inMemory(newValue?.tokens)
        }
    }

    /// The state of the session, and then each change once and in order.
    public var authSessions: AsyncStream<AuthSession?> { account.observed.changes }

    /// The account of these values.
    var account: AuthAccount { currentHost.account(of: self) }

    /// The issuer's date, if its responses have revealed it; otherwise this device's date.
    var issuerDate: Date { currentHost.existing?.session.issuerDate ?? wallClock.now }

    /// The session with which the client was created, or the session of these values.
    private var currentHost: SessionHost { self[JWTAuthClient.self].host ?? host }
}

/// The session state that is visible before its store has been read.
struct InitialSession: AuthDependencyKey, SessionShaping {
    let session: AuthSession?

    static var testValue: InitialSession { InitialSession(session: nil) }
}

extension KeychainClient: LiveAuthDependencyKey, SessionShaping {
    /// The storage in which this platform keeps secrets.
    public static var liveValue: KeychainClient { .live() }
    /// A storage in memory for one test.
    public static var testValue: KeychainClient { .inMemory() }
    /// A storage in memory for one preview.
    public static var previewValue: KeychainClient { .inMemory() }
}

extension AuthTokensClient: AuthDependencyKey {
    /// A client that does nothing; the session's own client is used unless another value is set.
    public static var testValue: AuthTokensClient { AuthTokensClient(save: { _ in }, destroy: {}) }
}

extension HTTPRequestClient: LiveAuthDependencyKey {
    /// The network.
    public static var liveValue: HTTPRequestClient { HTTPRequestClient() }
    /// A client that fails: a test sets the responses of its network.
    public static var testValue: HTTPRequestClient {
        HTTPRequestClient { _, _ in throw MissingDependency(name: "httpRequestClient.send") }
    }
}

extension JWTAuthClient: AuthDependencyKey {
    /// A client that fails: a program or a test sets the base URL and the refresh.
    public static var testValue: JWTAuthClient {
        JWTAuthClient(
            baseURL: { throw MissingDependency(name: "jwtAuthClient.baseURL") },
            refresh: { _ in throw MissingDependency(name: "jwtAuthClient.refresh") })
    }
}

extension WallClock: LiveAuthDependencyKey, SessionShaping {
    /// The clock of this machine.
    public static var liveValue: WallClock { .system }
}

extension RefreshPolicy: LiveAuthDependencyKey, SessionShaping {
    /// Refreshes shortly before the expiry, when a caller needs the token.
    public static var liveValue: RefreshPolicy { RefreshPolicy() }
}
