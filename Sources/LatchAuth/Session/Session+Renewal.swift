// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchCore
import LatchHTTP

extension Session {
    /// Waits for the renewal that is under way, or begins one.
    func shareRenewal(of value: Value) async throws -> Value {
        if let renewal { return try await renewal.value() }
        let shared = SharedResult<Value>()
        renewal = shared
        let generation = generation
        // A task of its own: no caller's cancellation reaches it.
        Task(executorPreference: executor) { await self.runRenewal(of: value, shared, in: generation) }
        return try await shared.value()
    }

    /// The body of the renewal's task; it finishes `shared` on every path, or callers would wait for ever.
    ///
    /// A sign-out may have finished `shared` before, and a new renewal may have begun: that one is left alone.
    private func runRenewal(of value: Value, _ shared: SharedResult<Value>, in generation: Int) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await successor(of: value, in: generation))
        } catch is CancellationError {
            // Nobody cancelled us; a cancelled part of the renewal must not look like a cancelled caller.
            result = .failure(AuthError.renewalFailed.caused(by: HTTPError.cancelled))
        } catch {
            result = .failure(error)
        }
        if renewal === shared { renewal = nil }
        shared.finish(result)
    }

    /// One renewal, in the order that keeps a user from being lost.
    ///
    /// First what is not yet stored is stored, then the store is asked whether another process was faster, and only then
    /// the issuer, since a refresh token is used up by asking (RFC 9700 §4.14.2).
    ///
    /// - Throws: `superseded` where a sign-in or sign-out came in between; what was obtained is then dropped.
    private func successor(of value: Value, in generation: Int) async throws -> Value {
        if let uncommitted { return try await commit(uncommitted, in: generation) }
        guard let stored = try await storedCredential(in: generation) else {
            // Another process signed the person out.
            end(.person)
            throw AuthError.missingToken
        }
        if !stored.renewsLike(value) {
            // Another process renewed or switched: its credential is the current one.
            adopt(stored)
            if !isExpired(stored) { return stored }
        }
        let fresh: Value
        do {
            fresh = try await requestSuccessor(of: stored)
        } catch {
            guard endsSession(error) else { throw error }
            return try await afterRefusal(of: stored, cause: error, in: generation)
        }
        guard generation == self.generation else { throw AuthError.superseded }
        return try await commit(fresh, in: generation)
    }

    /// Asks the issuer, under the idempotency key of the last attempt if that was for the same refresh token.
    ///
    /// The key is kept until a commit succeeds: an answer that was lost on the way is then given again.
    private func requestSuccessor(of value: Value) async throws -> Value {
        let key: String
        if let begun, begun.credential.renewsLike(value) { key = begun.key } else { key = random.identifier() }
        begun = (value, key)
        let renewal = Renewal(credential: value, idempotencyKey: key)
        let scope = RenewalScope.sessions + [ObjectIdentifier(self)]
        let sent = clock.now
        let fresh = try await RenewalScope.$sessions.withValue(scope) { try await renew(renewal) }
        if let issued = fresh.issued { observe(issuerDate: issued, ofRequestSentAt: sent) }
        return fresh
    }

    /// Stores what the issuer handed out, and only then lets it be seen.
    private func commit(_ fresh: Value, in generation: Int) async throws -> Value {
        uncommitted = fresh
        await enterStore()
        defer { leaveStore() }
        guard generation == self.generation else { throw AuthError.superseded }
        do {
            try await store.save(fresh)
        } catch {
            // The predecessor is used up at the issuer: `fresh` stays in memory until it can be stored.
            throw AuthError.fromStore(error)
        }
        uncommitted = nil
        begun = nil
        pausedUntil = .distantPast
        adopt(fresh)
        return fresh
    }

    /// What the store holds now; nil when another process signed the person out.
    ///
    /// - Throws: A `store…` code, or `superseded`. What cannot be read is never taken for nothing.
    private func storedCredential(in generation: Int) async throws -> Value? {
        await enterStore()
        defer { leaveStore() }
        guard generation == self.generation else { throw AuthError.superseded }
        do { return try await store.load() } catch { throw AuthError.fromStore(error) }
    }

    /// The issuer refused to renew `value`: the end, unless the store meanwhile holds another one.
    private func afterRefusal(of value: Value, cause: any Error, in generation: Int) async throws -> Value {
        await enterStore()
        defer { leaveStore() }
        guard generation == self.generation else { throw AuthError.superseded }
        do {
            if let stored = try await store.load(), !stored.renewsLike(value) {
                adopt(stored)
                return stored
            }
            try await store.clear()
        } catch {
            throw AuthError.fromStore(error)
        }
        self.generation += 1
        begun = nil
        end(.issuer)
        throw AuthError.reauthenticationRequired.caused(by: cause)
    }

    /// Whether `error` is the issuer's word that the session is over.
    private func endsSession(_ error: any Error) -> Bool {
        if case AuthError.reauthenticationRequired = error { return true }
        guard let response = (error as? HTTPError)?.response else { return false }
        if response.status == .unauthorized { return true }
        // RFC 6749 §5.2: 400 is also the status of mistakes in the request, which end nothing.
        guard response.status == .badRequest, let body = try? JSONValue(parsing: response.body.bytes) else {
            return false
        }
        return body["error"]?.stringValue == "invalid_grant"
    }

    /// Whether the session goes on after `error`.
    func isTransient(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: false
        case AuthError.reauthenticationRequired, AuthError.superseded, AuthError.missingToken: false
        default: true
        }
    }
}
