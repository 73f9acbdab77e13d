// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation
import LatchCore
import Synchronization

extension Session {
    /// Makes `value` the session's credential: a sign-in, or a switch to another account.
    ///
    /// A renewal of what was there before is dropped, and who waits for it gets `AuthError.superseded`.
    /// - Throws: A `store…` code when it cannot be stored; the session is then what the store still holds.
    public func signIn(_ value: Value) async throws { try await signIn(value, askedAt: nil) }

    /// The same, for a credential that was asked for at `sent` by this session's clock: its date tells the issuer's.
    package func signIn(_ value: Value, askedAt sent: Date?) async throws {
        if let sent, let issued = value.issued { observe(issuerDate: issued, ofRequestSentAt: sent) }
        try await replaceRecord(by: newRecord(of: value, signIn: random.identifier()))
    }

    /// Signs the person out on this device.
    ///
    /// - Returns: The credential that was current, so that the issuer can be told.
    /// - Throws: A `store…` code when the store cannot forget it; the session is then what the store still holds.
    @discardableResult
    public func signOut() async throws -> Value? { try await replaceRecord(by: nil) }

    /// Does with the store what the person wants, and makes it the session's state.
    ///
    /// - Returns: The credential that was current.
    /// - Throws: A `store…` code, also where the store failed and has stored all the same.
    @discardableResult
    private func replaceRecord(by record: TokenRecord<Value>?) async throws -> Value? {
        listen()
        var failure: (any Error)?
        let last = try await withStore {
            var last = uncommitted?.value ?? state.credential
            if last == nil, isUnread, record == nil { last = await readableCredential() }
            failure = try await store(record)
            beginGeneration()
            identify(by: record)
            if let value = record?.credential { adopt(value) } else { end(.person) }
            endStepUp(with: record?.credential)
            return last
        }
        await records.coordination?.announceChange()
        if let failure { throw AuthError.fromStore(failure) }
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
        listen()
        let loaded: Result<TokenRecord<Value>?, any Error>
        do {
            loaded = .success(try await withStore { try await records.load() })
        } catch {
            loaded = .failure(error)
        }
        restoration = nil
        // A sign-in or sign-out meanwhile knows better than what was read.
        guard generation == self.generation else { return shared.finish(.success(())) }
        switch loaded {
        case .success(let record):
            identify(by: record)
            if let value = record?.credential { adopt(value) } else { end(record?.end ?? .noAccount) }
            shared.finish(.success(()))
        case .failure(let error):
            let error = AuthError.fromStore(error)
            if keeps(.unreadableNotEmpty) { publish(.unavailable(error)) } else { end(.noAccount) }
            shared.finish(.failure(error))
        }
    }

    /// Whether the store has not been read with success; only then may reading it change the state.
    var isUnread: Bool {
        switch state {
        case .unknown, .restoring, .unavailable: true
        case .signedIn, .expired, .signedOut: false
        }
    }

    /// What an unread store holds; nil when it cannot be read, which must not keep a person from signing out.
    private func readableCredential() async -> Value? {
        do { return try await records.load()?.credential } catch { return nil }
    }

    /// Makes all that is under way worthless: its waiters get `superseded`, and its results find another generation.
    ///
    /// Called only after the store has accepted the change, so that a failed sign-out or sign-in disturbs nothing.
    ///
    /// - Parameter error: What those are told who wait for a renewal of the earlier generation.
    func beginGeneration(failing error: AuthError = .superseded) {
        generation += 1
        firstGeneration = generation
        identify(by: nil)
        uncommitted = nil
        begun = nil
        pausedUntil = .distantPast
        renewal?.finish(.failure(error))
        renewal = nil
        renewalTask?.cancel()
        renewalTask = nil
        stepUpRun?.finish(.failure(error))
        stepUpRun = nil
        stepUpTask?.cancel()
        stepUpTask = nil
    }

    /// Makes a stored credential the visible one.
    func adopt(_ value: Value) {
        let due = dueDate(of: value)
        view.withLock { view in
            view.current = value
            view.generation = generation
            view.due = due
        }
        showAge(of: value)
        watchTime(of: value)
    }

    /// Makes it visible that nobody is signed in.
    func end(_ reason: SignedOutReason) {
        view.withLock { $0.current = nil }
        timer?.cancel()
        timer = nil
        endStepUp(with: nil)
        publish(.signedOut(reason))
    }

    /// The only place that changes the state: the actor's copy first, then the one that others read.
    func publish(_ state: State) {
        self.state = state
        broadcast.send(state)
    }
}
