// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import LatchCore

extension Session {
    /// Makes `value` the session's credential: a sign-in, or a switch to another account.
    ///
    /// A renewal of what was there before is dropped, and who waits for it gets `AuthError.superseded`.
    /// - Throws: A `store…` code when it cannot be stored; the session is then what it was.
    public func signIn(_ value: Value) async throws { try await signIn(value, askedAt: nil) }

    /// The same, for a credential that was asked for at `sent` by this session's clock: its date tells the issuer's.
    package func signIn(_ value: Value, askedAt sent: Date?) async throws {
        if let sent, let issued = value.issued { observe(issuerDate: issued, ofRequestSentAt: sent) }
        await enterStore()
        defer { leaveStore() }
        do {
            try await store.save(value)
        } catch {
            throw AuthError.fromStore(error)
        }
        beginGeneration()
        adopt(value)
    }

    /// Signs the person out on this device.
    ///
    /// - Returns: The credential that was current, so that the issuer can be told.
    /// - Throws: A `store…` code when the store cannot forget it; the session is then what it was.
    @discardableResult
    public func signOut() async throws -> Value? {
        await enterStore()
        defer { leaveStore() }
        var last = uncommitted ?? state.credential
        do {
            if last == nil, isUnread { last = await readableCredential() }
            try await store.clear()
        } catch {
            throw AuthError.fromStore(error)
        }
        beginGeneration()
        end(.person)
        return last
    }

    /// Reads the store, if that has not succeeded before.
    ///
    /// - Throws: A `store…` code when it cannot be read; the state is then `unavailable`, and the next call tries again.
    public func restore() async throws {
        guard isUnread else { return }
        if let restoration { return try await restoration.value() }
        let shared = SharedResult<Void>()
        restoration = shared
        publish(.restoring)
        let generation = generation
        Task(executorPreference: executor) { await self.runRestoration(shared, in: generation) }
        try await shared.value()
    }

    /// The body of the restoration's task; it finishes `shared` on every path, or callers would wait for ever.
    private func runRestoration(_ shared: SharedResult<Void>, in generation: Int) async {
        await enterStore()
        let loaded: Result<Value?, any Error>
        do { loaded = .success(try await store.load()) } catch { loaded = .failure(error) }
        leaveStore()
        restoration = nil
        // A sign-in or sign-out meanwhile knows better than what was read.
        guard generation == self.generation else { return shared.finish(.success(())) }
        switch loaded {
        case .success(let value?):
            adopt(value)
            shared.finish(.success(()))
        case .success(nil):
            end(.noAccount)
            shared.finish(.success(()))
        case .failure(let error):
            let error = AuthError.fromStore(error)
            publish(.unavailable(error))
            shared.finish(.failure(error))
        }
    }

    /// Whether the store has not been read with success; only then may reading it change the state.
    private var isUnread: Bool {
        switch state {
        case .unknown, .restoring, .unavailable: true
        case .signedIn, .expired, .signedOut: false
        }
    }

    /// What an unread store holds; nil when it cannot be read, which must not keep a person from signing out.
    private func readableCredential() async -> Value? {
        do { return try await store.load() } catch { return nil }
    }

    /// Makes all that is under way worthless: its waiters get `superseded`, and its results find another generation.
    ///
    /// Called only after the store has accepted the change, so that a failed sign-out or sign-in disturbs nothing.
    private func beginGeneration() {
        generation += 1
        uncommitted = nil
        begun = nil
        pausedUntil = .distantPast
        renewal?.finish(.failure(AuthError.superseded))
        renewal = nil
    }

    /// Makes a stored credential the visible one.
    func adopt(_ value: Value) {
        let due = dueDate(of: value)
        view.withLock { view in
            view.current = value
            view.generation = generation
            view.due = due
        }
        publish(isExpired(value) ? .expired(value) : .signedIn(value))
        watchTime(of: value)
    }

    /// Makes it visible that nobody is signed in.
    func end(_ reason: SignedOutReason) {
        view.withLock { $0.current = nil }
        timer?.cancel()
        timer = nil
        publish(.signedOut(reason))
    }

    /// The only place that changes the state: the actor's copy first, then the one that others read.
    func publish(_ state: State) {
        self.state = state
        broadcast.send(state)
    }
}

extension Session {
    /// Waits until no other operation of this session uses the store; they come in order of arrival.
    func enterStore() async {
        guard storeIsBusy else { return storeIsBusy = true }
        await withCheckedContinuation { storeQueue.append($0) }
    }

    /// Hands the store to the next in line, without letting anybody in between, or marks it free.
    func leaveStore() {
        guard storeQueue.isEmpty else { return storeQueue.removeFirst().resume() }
        storeIsBusy = false
    }
}
