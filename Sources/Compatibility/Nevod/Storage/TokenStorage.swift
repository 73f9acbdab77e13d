// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore

/// Keeps the token of one account, and is the session of all interceptors over it.
///
/// ```swift
/// let storage = TokenStorage<Token>(storage: KeychainStorage(service: "com.example.app"))
/// await storage.save(Token(value: "…"))               // sign-in
/// try await storage.save(Token(value: "…")).get()     // the same, with a failure to see
/// await storage.save(nil)                             // sign-out
/// ```
///
/// A token is visible once it is stored, not before. Saving another one, or nil, ends a refresh that is under way:
/// what it obtains is dropped.
public actor TokenStorage<Token: TokenModel> {
    /// Keeps the token fresh, and is the only one that writes it.
    nonisolated let session: Session<TokenCredential<Token>>
    nonisolated let desk: RefreshDesk<Token>
    private let onError: @Sendable (TokenStorageError) -> Void

    /// A storage for one token.
    ///
    /// Nothing is read before the first use.
    ///
    /// - Parameters:
    ///   - storage: Where the token is kept.
    ///   - key: Its name there; one name for each account.
    ///   - onError: Told of each failure, whether its caller looks at it or not.
    public init(
        storage: any KeyValueStorage, key: StorageKey = .token,
        onError: (@Sendable (TokenStorageError) -> Void)? = nil
    ) {
        self.init(storage: storage, key: key, onError: onError, clock: .system)
    }

    /// The same with a clock, by which it waits between refreshes.
    package init(
        storage: any KeyValueStorage, key: StorageKey = .token,
        onError: (@Sendable (TokenStorageError) -> Void)? = nil, clock: WallClock
    ) {
        let onError = onError ?? { _ in }
        let desk = RefreshDesk<Token>(clock: clock)
        self.desk = desk
        self.onError = onError
        session = Session(
            store: TokenRecords(storage: storage, key: key, onError: onError), clock: clock,
            renew: { try await desk.renew($0.credential) })
    }

    /// The token; nil where there is none, and where the storage cannot be read, which `onError` is told of.
    public func load() async -> Token? {
        do {
            return try await read()
        } catch {
            return nil
        }
    }

    /// The token; nil only where there is none.
    public func read() async throws(TokenStorageError) -> Token? {
        if let saved = RefreshNote.ofRenewal(at: desk)?.saved as? Token { return saved }
        do {
            // Within its own renewal a session gives no credential; what it last knew is the token to be replaced.
            if isRenewing { return session.currentState.credential?.token }
            return try await session.currentCredential().token
        } catch {
            throw failed(.failedToAccess(error))
        }
    }

    /// Replaces the token: a sign-in; nil is a sign-out.
    ///
    /// - Returns: Whether it is stored. Whoever does not look is told by `onError`, and by the next request, which is
    ///   sent with what is stored.
    @discardableResult
    public func save(_ token: Token?) async -> Result<Void, TokenStorageError> {
        do {
            try await write(token)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Replaces the token, as `save(_:)`, and throws where that fails; what was stored before is then unchanged.
    public func write(_ token: Token?) async throws(TokenStorageError) {
        let credential: TokenCredential<Token>
        do {
            credential = try token.map { token throws(TokenStorageError) in try TokenCredential(token) } ?? .nobody
        } catch {
            throw failed(error)
        }
        if let token, let note = RefreshNote.ofRenewal(at: desk), note.take(token) { return }
        do {
            try await session.signIn(credential)
        } catch {
            throw failed(.failedToAccess(error))
        }
        desk.forgetFailures()
    }

    /// Removes the token: a sign-out.
    @discardableResult
    public func clear() async -> Result<Void, TokenStorageError> { await save(nil) }

    private var isRenewing: Bool { RenewalScope.sessions.contains(ObjectIdentifier(session)) }

    private func failed(_ error: TokenStorageError) -> TokenStorageError {
        onError(error)
        return error
    }
}
