// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchFoundationBridge
import LatchHTTP
import Observation
import Synchronization

/// The only account of some dependencies, created when it is first needed.
final class SessionHost: Sendable {
    private let created: Mutex<AuthAccount?>

    init() { created = Mutex(nil) }

    /// Creates the host of an existing session.
    init(of session: Session<Tokens>) { created = Mutex(AuthAccount(session, initially: nil)) }

    /// The account, if it has been created.
    var existing: AuthAccount? { created.withLock { $0 } }

    func account(of values: AuthDependencies) -> AuthAccount {
        if let existing { return existing }
        let account = AuthAccount(values)
        return created.withLock { created in
            if let first = created { return first }
            created = account
            return account
        }
    }
}

/// A session of the core; its errors are converted to those of this package.
final class AuthAccount: Sendable {
    let session: Session<Tokens>
    let observed: ObservedSession
    /// The last response to a request without a token that may have issued tokens.
    private let issuing = Mutex<IssuingResponse?>(nil)

    /// A response with a date.
    private struct IssuingResponse: Sendable {
        let body: [UInt8]
        let date: Date
        /// The date of the request, by this device's clock.
        let sent: Date
    }

    convenience init(_ values: AuthDependencies) {
        let fallback = values[JWTAuthClient.self].refresh
        let session = Session<Tokens>(
            store: KeychainRecords(keychain: values.keychainClient), policy: values.refreshPolicy,
            clock: values.wallClock
        ) { request in try await TokenRefresh.run(request, fallback: fallback) }
        self.init(session, initially: values[InitialSession.self].session)
    }

    /// Creates the account of a session.
    ///
    /// - Parameter initial: The session that is visible before the store has been read.
    init(_ session: Session<Tokens>, initially initial: AuthSession?) {
        self.session = session
        observed = ObservedSession(session, initially: initial)
    }

    /// Reads the store, unless that has already succeeded.
    func restore() async throws {
        do { try await session.restore() } catch { throw KeychainError.loading(error) }
    }

    /// Returns the tokens of the signed-in user.
    func tokens() async throws -> AuthTokens? {
        try await restore()
        return session.currentState.credential.map(AuthTokens.init)
    }

    /// Signs in; within a refresh, the tokens become its result.
    func signIn(_ tokens: AuthTokens) async throws {
        if let attempt = RefreshAttempt.current(of: ObjectIdentifier(session)), attempt.save(tokens) { return }
        await learnClock(from: tokens)
        // The session's tokens may contain more than these two, such as scopes and the key to which they are bound.
        let current = session.currentState.credential.flatMap { AuthTokens($0) == tokens ? $0 : nil }
        do { try await session.signIn(current ?? tokens.core) } catch { throw KeychainError.saving(error) }
    }

    /// Records a response to a request without a token, because it may be the response to a login.
    func note(_ response: HTTPResponse, ofRequestSentAt sent: Date) {
        // A response from a cache has an age (RFC 9111 §5.1) and an old date. Every JWT begins with `eyJ`.
        guard response.status.isSuccess, response.fields["Age"] == nil, response.body.bytes.contains("eyJ".utf8),
            let date = response.fields[.date].flatMap(HTTPDate.init)?.date
        else { return }
        issuing.withLock { $0 = IssuingResponse(body: response.body.bytes, date: date, sent: sent) }
    }

    /// Corrects the session's clock, if the last recorded response issued `tokens`.
    ///
    /// Only the issuer's date counts, because any other response may come from another server or from a cache.
    func learnClock(from tokens: AuthTokens) async {
        let response = issuing.withLock { issuing in
            defer { issuing = nil }
            return issuing
        }
        guard let response, response.body.contains(tokens.access.utf8) else { return }
        await session.learnClock(from: response.date, ofRequestSentAt: response.sent)
    }

    func signOut() async throws {
        do { try await session.signOut() } catch { throw KeychainError.saving(error) }
    }

    /// Refreshes the tokens if that is due.
    func refreshExpired() async throws {
        do {
            let tokens = try await session.credential()
            _ = try AuthTokens(tokens).toJWT()
        } catch {
            throw mapped(error)
        }
    }

    /// Converts an error of the session to one of this package.
    func mapped(_ error: any Error) -> any Error {
        switch error {
        case let failure as RefreshFailure: failure.cause
        case AuthError.missingToken: AuthTokens.Error.missingToken
        case AuthError.superseded where !session.currentState.isSignedIn: AuthTokens.Error.missingToken
        // The issuer's refusal ends the session, and must differ from the error of a session that never existed.
        case AuthError.reauthenticationRequired: Self.tokenError(in: error) ?? AuthTokens.Error.invalidToken
        default: KeychainError.loading(error)
        }
    }

    /// Returns the `AuthTokens.Error` that the refresh closure threw, if it is the root cause.
    private static func tokenError(in error: any Error) -> AuthTokens.Error? {
        var error: (any Error)? = error
        while let coded = error as? AuthError { error = coded.cause }
        return error as? AuthTokens.Error
    }
}

/// The state of a session, observable by views and tests.
final class ObservedSession: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let session: Session<Tokens>
    /// The session that is visible before the store has been read.
    private let initial: AuthSession?
    private let watch = Mutex<Task<Void, Never>?>(nil)

    init(_ session: Session<Tokens>, initially initial: AuthSession?) {
        self.session = session
        self.initial = initial
        let changes = changes
        // Detached, like the task in `changes`, because a task's local values may retain this session.
        let task = Task.detached { [weak self] in
            // The first element is the current state, which is not a change.
            for await _ in changes.dropFirst() { self?.notify() }
        }
        watch.withLock { $0 = task }
    }

    deinit { watch.withLock { $0 }?.cancel() }

    /// The current state; an observing reader is notified of the next change.
    var value: AuthSession? {
        registrar.access(self, keyPath: \.value)
        return AuthSession(session.currentState) ?? initial
    }

    /// The current state, and then each change once.
    var changes: AsyncStream<AuthSession?> {
        let states = session.states
        let initial = initial
        let (stream, continuation) = AsyncStream.makeStream(of: AuthSession?.self)
        let task = Task.detached {
            var last: AuthSession??
            for await state in states {
                let next = AuthSession(state) ?? initial
                guard last != .some(next) else { continue }
                last = .some(next)
                continuation.yield(next)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func notify() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
