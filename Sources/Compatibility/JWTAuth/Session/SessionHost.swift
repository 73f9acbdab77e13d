// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// Makes the one session of some dependencies when it is first needed.
final class SessionHost: Sendable {
    private let made = Mutex<AuthAccount?>(nil)

    func account(of values: DependencyValues) -> AuthAccount {
        if let account = made.withLock({ $0 }) { return account }
        let account = AuthAccount(values)
        return made.withLock { made in
            if let first = made { return first }
            made = account
            return account
        }
    }
}

/// One session of the core in the words of this package.
final class AuthAccount: Sendable {
    let session: Session<AuthTokens>
    let observed: ObservedSession

    init(_ values: DependencyValues) {
        let fallback = values[JWTAuthClient.self].refresh
        session = Session(
            store: KeychainRecords(keychain: values.keychainClient), policy: values.renewalPolicy,
            clock: values.wallClock
        ) { renewal in try await RefreshNote.run(renewal, fallback: fallback) }
        observed = ObservedSession(session, initially: values[InitialSession.self].session)
    }

    /// Reads the store, if that has not succeeded before.
    func restore() async throws {
        do { try await session.restore() } catch { throw KeychainError.loading(error) }
    }

    /// The tokens of who is signed in.
    func tokens() async throws -> AuthTokens? {
        try await restore()
        return session.currentState.credential
    }

    /// Signs in; within a refresh the tokens become what that has obtained.
    func signIn(_ tokens: AuthTokens) async throws {
        if isRefreshing, let note = RefreshNote.current { return note.save(tokens) }
        do { try await session.signIn(tokens) } catch { throw KeychainError.saving(error) }
    }

    func signOut() async throws {
        do { try await session.signOut() } catch { throw KeychainError.saving(error) }
    }

    /// Renews what is due.
    func refreshExpired() async throws {
        do {
            let tokens = try await session.credential()
            _ = try tokens.toJWT()
        } catch {
            throw facing(error)
        }
    }

    /// Whether the current task is part of this session's refresh.
    private var isRefreshing: Bool { RenewalScope.sessions.contains(ObjectIdentifier(session)) }

    /// An error of the session in the words of this package.
    func facing(_ error: any Error) -> any Error {
        switch error {
        case let failure as RefreshFailure: failure.cause
        case AuthError.missingToken: AuthTokens.Error.missingToken
        case AuthError.superseded where !session.currentState.isSignedIn: AuthTokens.Error.missingToken
        // The issuer's refusal ends the session, and must not look like a session that never was.
        case AuthError.reauthenticationRequired: Self.word(in: error) ?? AuthTokens.Error.invalidToken
        default: KeychainError.loading(error)
        }
    }

    /// What the program's refresh said in this package's own words, where that was the reason.
    private static func word(in error: any Error) -> AuthTokens.Error? {
        var error: (any Error)? = error
        while let coded = error as? AuthError { error = coded.cause }
        return error as? AuthTokens.Error
    }
}
