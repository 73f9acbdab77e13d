// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
package import LatchCore
import LatchFoundationBridge

/// The storage of the token of one account, and the session of all interceptors over it.
///
/// ```swift
/// let storage = TokenStorage<Token>(storage: KeychainStorage(service: "com.example.app"))
/// await storage.save(Token(value: "…"))               // sign-in
/// try await storage.save(Token(value: "…")).get()     // the same, but throws
/// await storage.save(nil)                             // sign-out
/// ```
///
/// A token becomes visible after it was stored. Saving another token, or nil, discards the result of a running refresh.
///
/// An app and its extension can share a token with a storage that both can access, and a coordination:
///
/// ```swift no-check
/// let storage = TokenStorage<Token>(
///     storage: KeychainStorage(service: "com.example.app"),
///     coordination: FileCoordination(path: "\(sharedFolder)/account"))
/// ```
///
/// They then refresh once for both, and each follows the sign-ins and sign-outs of the other.
///
/// The token's bytes are stored under `key`. Facts about them, such as the key of a refresh that has begun, are stored
/// under `key` with the suffix `.facts`.
public actor TokenStorage<Token: TokenModel> {
    /// The session, which refreshes the token; only the session writes it.
    ///
    /// A client of the core can share the token, its refreshes and its sign-outs with a `SessionInterceptor` over the
    /// session. A refresh uses the strategy of the interceptor that was last created or last sent a request.
    public nonisolated let session: Session<TokenCredential<Token>>
    nonisolated let refresher: TokenRefresher<Token>
    private let onError: @Sendable (TokenStorageError) -> Void

    /// Creates a storage for one token, which is read when it is first used.
    ///
    /// - Parameters:
    ///   - storage: The underlying storage.
    ///   - key: The key of the token; a different one for each account.
    ///   - coordination: The coordination with other processes that use the token; nil if there are none. Each `key`
    ///     needs its own path.
    ///   - onError: Called with each failure.
    public init(
        storage: any KeyValueStorage, key: StorageKey = .token, coordination: FileCoordination? = nil,
        onError: (@Sendable (TokenStorageError) -> Void)? = nil
    ) {
        self.init(storage: storage, key: key, coordination: coordination, onError: onError, clock: .system)
    }

    /// Creates a storage with the clock for delays between refreshes.
    package init(
        storage: any KeyValueStorage, key: StorageKey = .token, coordination: FileCoordination? = nil,
        onError: (@Sendable (TokenStorageError) -> Void)? = nil, clock: WallClock
    ) {
        let onError = onError ?? { _ in }
        let refresher = TokenRefresher<Token>(clock: clock)
        self.refresher = refresher
        self.onError = onError
        session = Session(
            store: StoredToken(storage: storage, key: key, coordination: coordination, onError: onError),
            policy: Self.policy, clock: clock, refresh: { try await refresher.refresh($0) })
    }

    /// The refresh policy of a storage.
    private static var policy: RefreshPolicy {
        var policy = RefreshPolicy()
        // Failures are followed by the application's backoff, if there is one; it is part of the refresh.
        policy.countsFailedRequests = false
        policy.repeatsUnanswered = false
        policy.timeLimit += .seconds(60)
        return policy
    }

    /// Returns the token; nil if there is none, or if the storage cannot be read, which is reported to `onError`.
    public func load() async -> Token? {
        do {
            return try await read()
        } catch {
            return nil
        }
    }

    /// Returns the token; nil only if there is none.
    public func read() async throws(TokenStorageError) -> Token? {
        if let saved = attempt?.credential as? Token { return saved }
        do {
            // During its own refresh a session returns no credential; its last credential is the token to replace.
            if isRefreshing { return session.currentState.credential?.token }
            return try await session.currentCredential().token
        } catch {
            throw failed(.failedToAccess(error))
        }
    }

    /// Replaces the token, which signs in; nil signs out.
    ///
    /// - Returns: Success, or the failure, which is also reported to `onError`. After a failure the stored token is
    ///   unchanged.
    @discardableResult
    public func save(_ token: Token?) async -> Result<Void, TokenStorageError> {
        do {
            try await write(token)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Replaces the token like `save(_:)`, but throws a failure; the stored token is then unchanged.
    public func write(_ token: Token?) async throws(TokenStorageError) {
        let credential: TokenCredential<Token>
        do {
            credential = try token.map { token throws(TokenStorageError) in try TokenCredential(token) } ?? .signedOut
        } catch {
            throw failed(error)
        }
        if let token, let attempt, attempt.save(token) { return }
        do {
            try await session.signIn(credential)
        } catch {
            throw failed(.failedToAccess(error))
        }
        refresher.resetBackoff()
    }

    /// Removes the token, which signs out.
    @discardableResult
    public func clear() async -> Result<Void, TokenStorageError> { await save(nil) }

    private var isRefreshing: Bool { ActiveRefreshes.contains(session) }

    /// The refresh of this session to which the current task belongs.
    private var attempt: RefreshAttempt? { .current(of: ObjectIdentifier(session)) }

    private func failed(_ error: TokenStorageError) -> TokenStorageError {
        onError(error)
        return error
    }
}

// MARK: - Suspension

extension TokenStorage {
    /// Lets the storage finish critical work before the system suspends the app.
    ///
    /// The system ends an app that is suspended while it holds a lock in a shared folder, such as that of a
    /// `coordination`. Call this within `ProcessInfo.performExpiringActivity` or a background task, and call `resume()`
    /// when the app is active again. Until then no refresh begins.
    ///
    /// - Parameter limit: The time to wait for a running refresh; after that, it is repeated later with its key.
    public nonisolated func prepareToSuspend(within limit: Duration = .seconds(5)) async {
        await session.prepareToSuspend(within: limit)
    }

    /// Continues after `prepareToSuspend(within:)`.
    public nonisolated func resume() async { await session.resume() }
}

/// A stored token that cannot be read, or a token that cannot be stored.
public enum TokenStorageError: Error, CustomStringConvertible {
    /// The stored bytes are not a token of this type; they are kept under another key, and count as no token.
    case failedToDecode(any Error)
    /// The token could not be encoded; the stored token is unchanged.
    case failedToEncode(any Error)
    /// The underlying storage is unavailable; the stored token still exists.
    case failedToAccess(any Error)

    /// A description without the stored bytes.
    public var description: String {
        switch self {
        case .failedToDecode: "The stored token could not be decoded and is kept under another key."
        case .failedToEncode: "The token could not be encoded."
        case .failedToAccess(let error as any CodedError): "The token storage is unavailable: \(error.message)"
        case .failedToAccess: "The token storage is unavailable."
        }
    }
}
