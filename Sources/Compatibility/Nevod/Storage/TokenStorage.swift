// SPDX-License-Identifier: Apache-2.0

import FoundationBridge
import LatchAuth
package import LatchCore

/// The storage of the token of one account, and the session of all interceptors over it.
///
/// ```swift
/// let storage = TokenStorage<Token>(storage: KeychainStorage(service: "com.example.app"))
/// await storage.save(Token(value: "…"))               // sign-in
/// try await storage.save(Token(value: "…")).get()     // the same, but throws
/// await storage.save(nil)                             // sign-out
/// ```
///
/// A token is visible once it is stored. Saving another one, or nil, discards the result of a running refresh.
public actor TokenStorage<Token: TokenModel> {
    /// The session, which refreshes the token and is the only one to write it.
    nonisolated let session: Session<TokenCredential<Token>>
    nonisolated let refresher: TokenRefresher<Token>
    private let onError: @Sendable (TokenStorageError) -> Void

    /// Creates a storage for one token, which is read when it is first used.
    ///
    /// - Parameters:
    ///   - storage: The underlying storage.
    ///   - key: The key of the token; a different one for each account.
    ///   - onError: Called with each failure.
    public init(
        storage: any KeyValueStorage, key: StorageKey = .token,
        onError: (@Sendable (TokenStorageError) -> Void)? = nil
    ) {
        self.init(storage: storage, key: key, onError: onError, clock: .system)
    }

    /// Creates a storage with the clock for delays between refreshes.
    package init(
        storage: any KeyValueStorage, key: StorageKey = .token,
        onError: (@Sendable (TokenStorageError) -> Void)? = nil, clock: WallClock
    ) {
        let onError = onError ?? { _ in }
        let refresher = TokenRefresher<Token>(clock: clock)
        self.refresher = refresher
        self.onError = onError
        session = Session(
            store: StoredToken(storage: storage, key: key, onError: onError), clock: clock,
            refresh: { try await refresher.refresh($0.credential) })
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
            // A session returns no credential during its own refresh; the last one is the token to replace.
            if isRefreshing { return session.currentState.credential?.token }
            return try await session.currentCredential().token
        } catch {
            throw failed(.failedToAccess(error))
        }
    }

    /// Replaces the token: a sign-in; nil is a sign-out.
    ///
    /// - Returns: Success, or the failure, which is reported to `onError` too. After a failure the stored token is
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

    /// Replaces the token like `save(_:)`, but throws if that fails; the stored token is then unchanged.
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

    /// Removes the token: a sign-out.
    @discardableResult
    public func clear() async -> Result<Void, TokenStorageError> { await save(nil) }

    private var isRefreshing: Bool { ActiveRefreshes.contains(session) }

    /// The refresh of this session that the current task is part of.
    private var attempt: RefreshAttempt? { .current(of: ObjectIdentifier(session)) }

    private func failed(_ error: TokenStorageError) -> TokenStorageError {
        onError(error)
        return error
    }
}

/// An error of a token storage.
public enum TokenStorageError: Error, CustomStringConvertible {
    /// The stored bytes are not a token of this type; they were moved to another key, and the storage is empty.
    case failedToDecode(any Error)
    /// The token could not be encoded; the stored one is unchanged.
    case failedToEncode(any Error)
    /// The underlying storage is unavailable; the stored token still exists.
    case failedToAccess(any Error)

    /// A description without the stored bytes.
    public var description: String {
        switch self {
        case .failedToDecode: "The stored token could not be decoded and was moved to another key."
        case .failedToEncode: "The token could not be encoded."
        case .failedToAccess(let error as any CodedError): "The token storage is unavailable: \(error.message)"
        case .failedToAccess: "The token storage is unavailable."
        }
    }
}

/// The token store of a session over a key-value storage.
private struct StoredToken<Token: TokenModel>: LatchAuth.TokenStore {
    let storage: any KeyValueStorage
    let key: StorageKey
    /// Called when the stored bytes cannot be decoded.
    let onError: @Sendable (TokenStorageError) -> Void

    /// Returns the stored token, or its absence.
    ///
    /// Bytes that are not a token would make every request fail. They are moved to another key and reported, and the
    /// application continues with a new login.
    func load() async throws -> TokenCredential<Token>? {
        guard let record = try await storage.data(for: key) else { return .signedOut }
        do {
            return TokenCredential(token: try Token.decode(from: record), record: record)
        } catch {
            try await storage.set(record, for: key.damaged)
            try await storage.remove(for: key)
            onError(.failedToDecode(error))
            return .signedOut
        }
    }

    /// Replaces the stored token, or removes it.
    func save(_ credential: TokenCredential<Token>) async throws {
        guard let record = credential.record else { return try await storage.remove(for: key) }
        try await storage.set(record, for: key)
    }

    /// Removes the stored token.
    func clear() async throws { try await storage.remove(for: key) }
}
