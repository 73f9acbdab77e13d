// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP

extension Session {
    /// Waits for the renewal that is under way, or begins one.
    ///
    /// - Parameter isNeeded: Whether the caller can do nothing with `value`. Where nobody needs a successor at once, none is
    ///   waited for while another process has its turn.
    func shareRenewal(of value: Value, isNeeded: Bool = true) async throws -> Value {
        if let renewal, keeps(.sharedRenewal) {
            renewalIsNeeded = renewalIsNeeded || isNeeded
            return try await renewal.value()
        }
        let shared = SharedResult<Value>()
        renewal = shared
        renewalIsNeeded = isNeeded
        let generation = generation
        // A task of its own: no caller's cancellation reaches it.
        renewalTask = Task(executorPreference: executor) { await self.runRenewal(of: value, shared, in: generation) }
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
        if renewal === shared { (renewal, renewalTask) = (nil, nil) }
        shared.finish(result)
    }

    /// One renewal, in the order that keeps a user from being lost.
    ///
    /// First what is not yet stored is stored, then the record is asked whether another process was faster, then it is
    /// written down what will be asked, and only then the issuer, since a refresh token is used up by asking
    /// (RFC 9700 §4.14.2). No other process asks meanwhile.
    ///
    /// - Throws: `superseded` where a sign-in or sign-out came in between; what was obtained is then dropped.
    private func successor(of value: Value, in generation: Int) async throws -> Value {
        if let uncommitted {
            return try await commit(uncommitted.value, after: uncommitted.predecessor, in: generation)
        }
        let turn = try await turnToRenew(value)
        defer { leave(turn) }
        let begun: (credential: Value, key: String)
        switch try await begin(renewalOf: value, in: generation) {
        case .done(let value): return value
        case .ask(let credential, let key): begun = (credential, key)
        }
        let fresh: Value
        do {
            fresh = try await requestSuccessor(of: begun.credential, key: begun.key)
        } catch {
            guard endsSession(error) else { throw error }
            return try await afterRefusal(of: begun.credential, cause: error, in: generation)
        }
        guard isCurrent(generation) else { throw AuthError.superseded }
        return try await commit(fresh, after: begun.credential, in: generation)
    }

    /// What a look at the record makes of a renewal that is due.
    private enum Beginning {
        /// Another session has renewed already.
        case done(Value)
        /// The issuer is to be asked, under this key.
        case ask(Value, key: String)
    }

    /// Reads the record and writes down what will be asked.
    ///
    /// The key is that of the last attempt for the same refresh token, whether it was made by this session, by another
    /// process or before a crash: an answer that was lost on the way is then given again.
    private func begin(renewalOf value: Value, in generation: Int) async throws -> Beginning {
        try await withStore {
            guard isCurrent(generation) else { throw AuthError.superseded }
            let known = TokenRecord(credential: state.credential, signIn: signInID)
            var record = keeps(.readAgain) ? try await records.load() : known
            let current = try follow(record)
            if isOther(current, than: value), !isExpired(current) { return .done(current) }
            let key = lastKey(for: current, in: record) ?? random.identifier()
            begun = (current, key)
            if records.areKept, record?.intent?.idempotencyKey != key, keeps(.intentFirst) {
                record?.intent = RenewalIntent(idempotencyKey: key, begun: clock.now)
                if let record { try await store(record) }
            }
            return .ask(current, key: key)
        }
    }

    /// Whether a renewal lies between two credentials.
    ///
    /// An issuer may leave the refresh token as it is (RFC 6749 §6); then only the access token tells.
    private func isOther(_ current: Value, than value: Value) -> Bool {
        !current.renewsLike(value) || !current.authorizesLike(value)
    }

    /// Whether what is stored is still what was renewed; it may have been exchanged by an answer, which is no renewal,
    /// where no other session writes.
    private func isStill(_ stored: Value, _ predecessor: Value) -> Bool {
        records.coordination == nil ? stored.renewsLike(predecessor) : !isOther(stored, than: predecessor)
    }

    /// What the last attempt to renew `current` was sent with; nil where this is the first.
    private func lastKey(for current: Value, in record: TokenRecord<Value>?) -> String? {
        guard keeps(.oneKey) else { return nil }
        if let intent = record?.intent { return intent.idempotencyKey }
        guard let begun, !isOther(current, than: begun.credential) else { return nil }
        return begun.key
    }

    /// Asks the issuer.
    private func requestSuccessor(of value: Value, key: String) async throws -> Value {
        let renewal = Renewal(credential: value, idempotencyKey: key)
        let scope = RenewalScope.sessions + [ObjectIdentifier(self)]
        let sent = clock.now
        let fresh = try await RenewalScope.$sessions.withValue(scope) { try await renew(renewal) }
            .succeeding(value)
        if let issued = fresh.issued { observe(issuerDate: issued, ofRequestSentAt: sent) }
        return fresh
    }

    /// Stores what the issuer handed out, and only then lets it be seen.
    ///
    /// Where another session has changed the record meanwhile, that stands, and `fresh` is dropped.
    func commit(_ fresh: Value, after predecessor: Value, in generation: Int) async throws -> Value {
        if keeps(.unstoredKept) { uncommitted = (fresh, predecessor) }
        // Where storing fails, `fresh` stays in memory until it can be stored: the predecessor is used up at the issuer.
        let current = try await withStore {
            guard isCurrent(generation) else { throw AuthError.superseded }
            if records.areKept, keeps(.othersStand) {
                let record = try await records.load()
                guard let stored = record?.credential, record?.signIn == signInID, isStill(stored, predecessor) else {
                    uncommitted = nil
                    return try follow(record)
                }
            }
            let record = newRecord(of: fresh, signIn: signInID)
            try await store(record)
            identify(by: record)
            adopt(fresh)
            return fresh
        }
        uncommitted = nil
        begun = nil
        pausedUntil = .distantPast
        await records.coordination?.announceChange()
        return current
    }

    /// The issuer refused to renew `value`: the end, unless the record meanwhile holds another one.
    private func afterRefusal(of value: Value, cause: any Error, in generation: Int) async throws -> Value {
        let current = try await withStore { () -> Value? in
            guard isCurrent(generation) else { throw AuthError.superseded }
            let record = try await records.load()
            guard let stored = record?.credential, stored.renewsLike(value) else { return try follow(record) }
            try await store(TokenRecord(credential: nil, end: .issuer))
            self.generation += 1
            begun = nil
            end(.issuer)
            return nil
        }
        if let current { return current }
        await records.coordination?.announceChange()
        throw AuthError.reauthenticationRequired.caused(by: cause)
    }

    /// Whether `error` is the issuer's word that the session is over.
    private func endsSession(_ error: any Error) -> Bool {
        if case AuthError.reauthenticationRequired = error { return true }
        guard keeps(.issuerEnds) else { return true }
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
