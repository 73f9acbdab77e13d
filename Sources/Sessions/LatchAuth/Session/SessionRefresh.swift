// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import PortableFoundation
import Synchronization

/// The sessions whose refresh or step-up the current task belongs to.
///
/// A refresh through a client that carries the same session would wait for itself indefinitely; the session
/// detects it by this value.
package enum ActiveRefreshes {
    /// The identities of the actors, outermost first, since a refresh may need another session's credential.
    @TaskLocal package static var sessions: [ObjectIdentifier] = []

    /// Runs a refresh or a step-up of `session`.
    nonisolated(nonsending) static func of<Result>(
        _ session: some Actor, _ body: () async throws -> Result
    ) async throws -> Result {
        try await $sessions.withValue(sessions + [ObjectIdentifier(session)], operation: body)
    }
}

// MARK: - One refresh for all callers

extension Session {
    /// Waits for the running refresh, or starts one.
    ///
    /// - Parameter isNeeded: Whether the caller cannot use `value` any more. If no caller needs a successor at once,
    ///   none waits for the lock of another process.
    func shareRefresh(of value: Value, isNeeded: Bool = true) async throws -> Value {
        if let refreshResult {
            refreshIsNeeded = refreshIsNeeded || isNeeded
            return try await refreshResult.value()
        }
        let shared = SharedResult<Value>()
        refreshResult = shared
        refreshIsNeeded = isNeeded
        let generation = generation
        // A task of its own: no caller's cancellation reaches it.
        refreshTask = Task(executorPreference: executor) { await self.runRefresh(of: value, shared, in: generation) }
        return try await shared.value()
    }

    /// Runs the refresh; it finishes `shared` on every path, since callers would otherwise wait indefinitely.
    ///
    /// A sign-out may have finished `shared` before, and a new refresh may have begun: that one is left alone.
    private func runRefresh(of value: Value, _ shared: SharedResult<Value>, in generation: Int) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await successor(of: value, in: generation))
        } catch is CancellationError {
            // The session has not cancelled the task; a cancelled part of it must not look like a cancelled caller.
            result = .failure(AuthError.refreshFailed.caused(by: HTTPError.cancelled))
        } catch {
            result = .failure(error)
        }
        if refreshResult === shared { (refreshResult, refreshTask) = (nil, nil) }
        shared.finish(result)
    }

    /// Returns the successor of a credential, in the order that keeps a user signed in.
    ///
    /// An unstored successor is stored first; then the record shows whether another process refreshed; then the key of
    /// the request is stored; and only then it is sent, since a request uses up the refresh token
    /// (RFC 9700 §4.14.2). No other process refreshes meanwhile.
    ///
    /// - Throws: `superseded` if a sign-in or sign-out came in between; the result is then dropped.
    private func successor(of value: Value, in generation: Int) async throws -> Value {
        if let uncommitted {
            return try await commit(uncommitted.value, after: uncommitted.predecessor, in: generation)
        }
        let lock = try await refreshLock(for: value)
        defer { release(lock) }
        let (current, key) = try await prepare(refreshOf: value, in: generation)
        guard let key else { return current }
        let fresh: Value
        do {
            fresh = try await requestSuccessor(of: current, key: key)
        } catch {
            guard endsSession(error) else { throw error }
            return try await handleRefusal(of: current, cause: error, in: generation)
        }
        guard isCurrent(generation) else { throw AuthError.superseded }
        return try await commit(fresh, after: current, in: generation)
    }

    /// Reads the record and stores the key of the request.
    ///
    /// The key is that of the last attempt with the same refresh token, whether it was made by this session, by another
    /// process or before a crash: the issuer then repeats a response that was lost.
    ///
    /// - Returns: The credential to refresh and the key; no key if another session has refreshed already.
    private func prepare(
        refreshOf value: Value, in generation: Int
    ) async throws -> (credential: Value, key: String?) {
        try await withStore {
            guard isCurrent(generation) else { throw AuthError.superseded }
            var record = try await records.load()
            let current = try follow(record)
            if isOther(current, than: value), !isExpired(current) { return (current, nil) }
            let key = lastKey(for: current, in: record) ?? random.identifier()
            pendingRefresh = (current, key)
            if records.keepsRecords, record?.refreshKey != key {
                record?.refreshKey = key
                if let record { try await store(record) }
            }
            return (current, key)
        }
    }

    /// Whether two credentials are separated by a refresh.
    ///
    /// An issuer may keep the refresh token (RFC 6749 §6); then only the access token differs.
    private func isOther(_ current: Value, than value: Value) -> Bool {
        !current.hasSameRefreshToken(as: value) || !current.hasSameAccessToken(as: value)
    }

    /// Returns the key of the last attempt to refresh `current`; nil if this is the first.
    private func lastKey(for current: Value, in record: TokenRecord<Value>?) -> String? {
        if let key = record?.refreshKey { return key }
        guard let pendingRefresh, !isOther(current, than: pendingRefresh.credential) else { return nil }
        return pendingRefresh.key
    }

    /// Asks the issuer.
    private func requestSuccessor(of value: Value, key: String) async throws -> Value {
        let request = RefreshRequest(credential: value, idempotencyKey: key)
        let sent = clock.now
        let fresh = try await ActiveRefreshes.of(self) { try await refresh(request) }.succeeding(value)
        if let issued = fresh.issued { observe(issuerDate: issued, ofRequestSentAt: sent) }
        return fresh
    }

    /// Stores an issued credential, and only then makes it visible.
    ///
    /// If another session has changed the record meanwhile, that record is kept, and `fresh` is dropped.
    func commit(_ fresh: Value, after predecessor: Value, in generation: Int) async throws -> Value {
        uncommitted = (fresh, predecessor)
        // If storing fails, `fresh` stays in memory until it is stored: the issuer no longer accepts the predecessor.
        let current = try await withStore {
            guard isCurrent(generation) else { throw AuthError.superseded }
            if records.keepsRecords {
                let record = try await records.load()
                guard let stored = record?.credential, record?.sessionID == sessionID, isStill(stored, predecessor)
                else {
                    uncommitted = nil
                    return try follow(record)
                }
            }
            let record = newRecord(of: fresh, sessionID: sessionID)
            try await store(record)
            identify(by: record)
            adopt(fresh)
            return fresh
        }
        uncommitted = nil
        pendingRefresh = nil
        pausedUntil = .distantPast
        await records.coordination?.announceChange()
        return current
    }

    /// Whether the stored credential is still the refreshed one.
    ///
    /// If no other session writes, a rotation by a response (`rotate`) does not count as a refresh.
    private func isStill(_ stored: Value, _ predecessor: Value) -> Bool {
        records.coordination == nil ? stored.hasSameRefreshToken(as: predecessor) : !isOther(stored, than: predecessor)
    }

    /// Adopts the credential that a response made of the current one, stored before it becomes visible.
    ///
    /// It is not a sign-in: the generation stays, and a running refresh replaces the result.
    ///
    /// - Parameter snapshot: The credential of the request that was responded to.
    /// - Returns: The credential that is current now; nil if the response belongs to an earlier one.
    func rotate(
        _ snapshot: CredentialSnapshot<Value>, by response: HTTPResponse, to request: HTTPRequest
    ) async -> Value? {
        var rotated: Value?
        do {
            try await withStore {
                guard snapshot.generation == generation, let current = state.credential else { return }
                let stored = records.keepsRecords ? try await records.load() : nil
                guard !records.keepsRecords || stored?.credential == current else { return }
                rotated = current.rotated(by: response, to: request, sentWith: snapshot.credential)
                guard let rotated else { return }
                var record = newRecord(of: rotated, sessionID: stored?.sessionID ?? sessionID)
                record.refreshKey = stored?.refreshKey
                recordedIssueDate = record.issued
                try await records.save(record)
            }
        } catch {
            // The server has rotated it, stored or not, and would refuse the predecessor. The next rotation or refresh
            // stores again, and a refresh reports the failure.
        }
        guard let rotated, snapshot.generation == generation else { return nil }
        adopt(rotated)
        return rotated
    }
}

// MARK: - Failures

extension Session {
    /// Refreshes a credential that is due, and hides a failure as long as the old credential is accepted.
    ///
    /// After such a failure no attempt is made before `pausedUntil`, so that an outage does not become a flood.
    func refreshedIfDue(_ current: Value) async throws -> Value {
        guard !isExpired(current) else {
            // A caller whose refresh fails must not read an earlier state because the timer is late.
            publishExpiry(of: current)
            return try await shareRefresh(of: current)
        }
        guard clock.now >= pausedUntil else { return current }
        let generation = generation
        do {
            return try await shareRefresh(of: current, isNeeded: false)
        } catch let error where isTransient(error) {
            pauseRefresh(after: error)
            guard generation == self.generation else { throw AuthError.superseded }
            guard let latest = state.credential else { throw error }
            guard isExpired(latest) else { return latest }
            // It expired while the session found out that another one refreshes.
            guard case AuthError.refreshElsewhere = error else { throw error }
            return try await shareRefresh(of: latest)
        }
    }

    /// Whether the session continues after `error`.
    private func isTransient(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: false
        case AuthError.reauthenticationRequired, AuthError.superseded, AuthError.missingToken: false
        default: true
        }
    }

    /// Whether the issuer ends the session by `error`.
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

    /// Ends the session after the issuer refused to refresh `value`, unless the record now holds another credential.
    private func handleRefusal(of value: Value, cause: any Error, in generation: Int) async throws -> Value {
        let current = try await withStore { () -> Value? in
            guard isCurrent(generation) else { throw AuthError.superseded }
            let record = try await records.load()
            guard let stored = record?.credential, stored.hasSameRefreshToken(as: value) else {
                return try follow(record)
            }
            try await store(TokenRecord(credential: nil, end: .issuer))
            self.generation += 1
            pendingRefresh = nil
            end(.issuer)
            return nil
        }
        if let current { return current }
        await records.coordination?.announceChange()
        throw AuthError.reauthenticationRequired.caused(by: cause)
    }

    /// The longest pause that an issuer may request; a session that refreshes later than this is effectively lost.
    private nonisolated static var longestPause: Duration { .seconds(600) }

    /// Delays the next attempt by the policy's pause or by the issuer's `Retry-After`, and up to a quarter more.
    ///
    /// The quarter spreads the devices that one outage has synchronised.
    private func pauseRefresh(after error: any Error) {
        let requested = min(requestedPause(by: error) ?? .zero, Self.longestPause)
        let jitter = 1 + random.unit() / 4
        pausedUntil = clock.now.addingTimeInterval(max(policy.pauseAfterFailure, requested).inSeconds * jitter)
    }

    /// Returns the pause that the issuer requests (RFC 9110 §10.2.3), in an error or in its cause.
    private func requestedPause(by error: any Error) -> Duration? {
        switch error {
        case let error as any RetryAfterError: error.retryAfter
        case let error as HTTPError: error.response?.retryDelay(now: clock.now)
        case let error as AuthError: error.cause.flatMap(requestedPause)
        default: nil
        }
    }
}

// MARK: - The lock among processes

extension Session {
    /// Returns the lock that is held during a refresh request; nil if there is only one session.
    ///
    /// - Throws: `refreshElsewhere` if another session holds it and no caller needs a successor of `value` at once.
    private func refreshLock(for value: Value) async throws -> SessionLock? {
        guard let coordination = records.coordination else { return nil }
        do {
            if let lock = try await coordination.enterIfFree(.refresh) { return lock }
            // The other session may take long. A caller that joins before this line decides whether to wait for it.
            guard refreshIsNeeded || isExpired(value) else { throw AuthError.refreshElsewhere }
            return try await coordination.enter(.refresh)
        } catch {
            throw AuthError.fromStore(error)
        }
    }

    /// Releases the lock, or keeps it until the issued credential is stored.
    ///
    /// Another session would otherwise use up the same refresh token, which some issuers treat as theft
    /// (RFC 9700 §4.14.2). The kernel releases the lock with this process.
    private func release(_ lock: SessionLock?) {
        guard let lock else { return }
        guard uncommitted != nil else { return lock.release() }
        keptLock?.release()
        keptLock = lock
        storing?.cancel()
        storing = Task.detached(executorPreference: executor) { [weak self, clock] in
            var pause = 1
            while await self?.storeUncommitted() ?? false {
                do { try await clock.sleep(for: .seconds(pause)) } catch { return }
                pause = min(pause * 2, 15)
            }
        }
    }

    /// Releases the kept lock: nothing is left to store.
    func releaseKeptLock() {
        keptLock?.release()
        keptLock = nil
    }

    /// Stores the issued credential though no caller needs it now: other sessions may wait.
    ///
    /// - Returns: Whether it failed again.
    private func storeUncommitted() async -> Bool {
        guard let (value, predecessor) = uncommitted else { return false }
        do {
            _ = try await commit(value, after: predecessor, in: generation)
        } catch {
            // The next caller of the session gets the error.
        }
        return uncommitted != nil
    }
}

// MARK: - Time

extension Session {
    /// The issuer's time, as far as its responses reveal it.
    nonisolated var issuerNow: Date {
        let now = clock.now
        return now.addingTimeInterval(view.withLock { $0.clockOffset })
    }

    /// Whether the issuer would refuse `value` because of its age.
    nonisolated func isExpired(_ value: Value) -> Bool {
        guard let expiry = value.expiry else { return false }
        return expiry <= issuerNow
    }

    /// Returns the credential when it needs no refresh: the path of nearly every request, without the actor.
    nonisolated func freshSnapshot() -> CredentialSnapshot<Value>? {
        let now = clock.now
        return view.withLock { view in
            guard let current = view.current, now.addingTimeInterval(view.clockOffset) < view.due else { return nil }
            return CredentialSnapshot(credential: current, generation: view.generation)
        }
    }

    /// Returns the date from which a refresh of `value` is due.
    func dueDate(of value: Value) -> Date {
        guard let expiry = value.expiry else { return .distantFuture }
        // Without a refresh token an early request could only end the session early.
        guard value.isRefreshable || !policy.needsRefreshToken else { return expiry }
        let life = expiry.timeIntervalSince(value.issued ?? recordedIssueDate ?? issuerNow)
        // A negative lead would make an expired credential look fresh, a negative jitter a fresh one due.
        let share = max(0, min(policy.greatestShare, 0.5))
        let lead = max(0, min(policy.lead.inSeconds, max(0, life) * share))
        let jitter = max(0, min(policy.jitter.inSeconds, lead / 2)) * random.unit()
        return expiry.addingTimeInterval(jitter - lead)
    }

    /// Corrects the clock by the `Date` of a response of the issuer; the state follows where that makes the credential
    /// expired, or fresh again.
    ///
    /// - Parameter sent: The time of the request, by this session's clock.
    package nonisolated func observe(issuerDate: Date, ofRequestSentAt sent: Date) {
        let now = clock.now
        let offset = ClockOffset.seconds(to: issuerDate, sent: sent, received: now)
        let hasMoved = view.withLock { view in
            defer { view.clockOffset = offset }
            view.offsetMeasured = now
            return view.clockOffset != offset
        }
        guard hasMoved else { return }
        Task(executorPreference: executor) { await self.timeHasMoved() }
    }

    /// Whether the issuer's clock should be measured again.
    nonisolated var wantsIssuerDate: Bool {
        let now = clock.now
        return view.withLock { abs(now.timeIntervalSince($0.offsetMeasured)) > 60 }
    }

    /// Publishes whether the credential has expired, in either direction: a corrected clock may make an expired one
    /// fresh again.
    func publishExpiry(of value: Value) { publish(isExpired(value) ? .expired(value) : .signedIn(value)) }

    /// Follows the credential through time, so that its expiry is published without a request.
    func watchTime(of value: Value) {
        timer?.cancel()
        timer = nil
        guard value.expiry != nil else { return }
        watchDate()
        // Detached: it outlives its creator, whose task-local values may hold this very session.
        timer = Task.detached(executorPreference: executor) { [weak self, clock] in
            while let wait = await self?.passTime(of: value) {
                do { try await clock.sleep(for: wait) } catch { return }
            }
        }
    }

    /// Does the work that is due now.
    ///
    /// - Returns: The time until the next work; nil when `value` is no longer current or nothing will be due.
    private func passTime(of value: Value) async -> Duration? {
        guard state.credential == value, let expiry = value.expiry else { return nil }
        publishExpiry(of: value)
        guard policy.refreshesInBackground else {
            return isExpired(value) ? nil : wait(until: expiry)
        }
        let due = view.withLock { $0.due }
        if issuerNow >= due, clock.now >= pausedUntil {
            do { _ = try await shareRefresh(of: value, isNeeded: isExpired(value)) } catch {
                pauseRefresh(after: error)
            }
            guard state.credential == value else { return nil }
        }
        let pause = pausedUntil.timeIntervalSince(clock.now)
        let next = issuerNow >= due ? Duration.seconds(min(max(pause, 1), 86_400)) : wait(until: due)
        return isExpired(value) ? next : min(next, wait(until: expiry))
    }

    /// Restarts the timer: the issuer's clock is known more precisely, or this device's date has jumped.
    private func timeHasMoved() {
        guard let value = state.credential else { return }
        publishExpiry(of: value)
        watchTime(of: value)
    }

    /// Listens for jumps of this device's date, once: a sleeping task does not see them.
    private func watchDate() {
        guard dateWatch == nil else { return }
        let changes = clock.dateChanges()
        dateWatch = Task.detached(executorPreference: executor) { [weak self] in
            for await _ in changes { await self?.dateHasJumped() }
        }
    }

    private func dateHasJumped() {
        // A pause until a date of the old time could last for days of the new one.
        pausedUntil = .distantPast
        timeHasMoved()
    }

    /// Returns the time until a date by the issuer's clock, at most a day.
    ///
    /// The timer looks at the clock again afterwards, so it may wait longer. An extreme expiry, such as the year
    /// 10^20, would overflow `Duration` and crash the program.
    private func wait(until date: Date) -> Duration {
        // A little late rather than a little early: waking early would only mean to wait again.
        .seconds(min(max(date.timeIntervalSince(issuerNow), 0) + 0.001, 86_400))
    }
}
