// SPDX-License-Identifier: Apache-2.0

public import LatchCore
package import PortableFoundation
import Synchronization

/// The signed-in state of one account on this device: it keeps a credential fresh and does not lose a user.
///
/// ```swift
/// let session = Session(store: store) { request in try await issuer.refresh(request.credential) }
/// try await session.signIn(tokens)
/// let current = try await session.credential()
/// ```
///
/// Each rule below prevents one way of losing a session:
/// - a caller names the credential that was refused, so that a late refusal of an old one causes no refresh;
/// - all callers share one refresh, and a cancelled caller neither cancels it nor fails the others;
/// - an issued credential is stored before anything uses it, and is kept in memory until that succeeds;
/// - a store that cannot be read is `unavailable`, never `signedOut`;
/// - only the issuer or the user ends a session, never the network;
/// - a refresh that ends after a sign-out or a new sign-in is dropped;
/// - the sessions of several processes over one record refresh once for all, and follow each other's changes;
/// - the idempotency key of a refresh is stored before the request, so that a crash can be recovered from.
///
/// <doc:SessionGuarantees> explains them.
public actor Session<Value: SessionCredential> {
    /// The state of a session over its credential.
    public typealias State = SessionState<Value>

    /// A closure that obtains the successor of a credential from the issuer.
    ///
    /// It ends the session only by throwing `AuthError.reauthenticationRequired`, or the `HTTPError` of a 401 or of a
    /// 400 `invalid_grant` (RFC 6749 §5.2). Any other error leaves the session as it is.
    public typealias Refresh = @Sendable (RefreshRequest<Value>) async throws -> Value

    /// The durable copy, which outranks memory: another process may have refreshed or signed out meanwhile.
    ///
    /// Used only inside `withStore`.
    let records: SessionRecords<Value>
    /// The request to the issuer; it runs in a task of the session's own, so no caller's cancellation reaches it.
    let refresh: Refresh
    /// The refresh policy, fixed for the session's lifetime, so that the path without the actor may read it.
    nonisolated let policy: RefreshPolicy
    /// This device's clock, which may be wrong; `issuerNow` decides about expiry.
    nonisolated let clock: WallClock
    /// The source of jitter and idempotency keys; a simulation passes a seeded one.
    nonisolated let random: RandomSource
    /// The executor of the refresh, the restoration and the timer; nil is the global pool.
    let executor: (any TaskExecutor)?
    /// The issuer that a session was created with, for modules above; see `Session.init(tokenEndpoint:)`.
    package nonisolated let issuer: (any Sendable)?

    /// The part that the fast path reads; only the actor writes it, except for the clock's offset.
    nonisolated let view = Mutex(SessionView<Value>())
    /// A copy of `state` that other tasks read and watch without the actor.
    nonisolated let broadcast = StateBroadcast<State>(.unknown)
    /// The pending step-up; separate from the state, since the credential is valid for all other requests.
    nonisolated let stepUpBroadcast = StateBroadcast<StepUpRequirement?>(nil)

    /// The current state; only `publish(_:)` changes it, so that `broadcast` never falls behind.
    private(set) var state = State.unknown
    /// The number of sign-ins, sign-outs and step-ups so far.
    ///
    /// An operation that began in an earlier generation has no effect in a later one.
    var generation = 0
    /// The generation of the last sign-in; later ones come from step-ups of the same user.
    var signInGeneration = 0
    /// The identifier of the sign-in that the credential comes from; nil if the store keeps none.
    var sessionID: String?
    /// The issue date of the credential according to the record; see `TokenRecord.issued`.
    var recordedIssueDate: Date?
    /// The running refresh; there is never a second one in a generation.
    var refreshResult: SharedResult<Value>?
    /// Whether a caller that waits for the refresh cannot use the current credential.
    var refreshIsNeeded = false
    /// The task of the running refresh; cancelled when the generation ends, so that it releases its lock.
    var refreshTask: Task<Void, Never>?
    /// The credential and the key of a refresh that has begun and not succeeded.
    var pendingRefresh: (credential: Value, key: String)?
    /// The end of the pause after a failed refresh, during which a credential that is still accepted is used.
    var pausedUntil = Date.distantPast
    /// The running step-up, shared by all requests that need it.
    var stepUpResult: SharedResult<Void>?
    /// The task of the running step-up; cancelled by a sign-out or a sign-in.
    var stepUpTask: Task<Void, Never>?
    /// The running restoration, shared by all callers that arrive before it ends.
    private var restoration: SharedResult<Void>?
    /// A successor that is issued and not yet stored: the next attempt stores it before it requests another.
    ///
    /// The session keeps its refresh lock as long: no other session may use the predecessor.
    var uncommitted: (value: Value, predecessor: Value)? { didSet { if uncommitted == nil { releaseKeptLock() } } }
    /// The lock of the refresh that issued `uncommitted`.
    var keptLock: SessionLock?
    /// The task that stores `uncommitted` while no caller uses the session.
    var storing: Task<Void, Never>?
    /// The task that follows the current credential through time; a new credential gets a new one.
    var timer: Task<Void, Never>?
    /// The task that listens to the other sessions over the same record.
    var listener: Task<Void, Never>?
    /// The task that listens for jumps of this device's date.
    var dateWatch: Task<Void, Never>?
    /// Whether an operation is inside `withStore`.
    ///
    /// The actor alone would not keep two of them apart: it is reentrant at every `await`.
    var storeIsBusy = false
    /// The operations that wait for the store, in order of arrival; each is resumed exactly once.
    ///
    /// Unlike `AsyncMutex` it ignores cancellation: a sign-out or a store of issued tokens must not be lost by it.
    var storeQueue: [CheckedContinuation<Void, Never>] = []

    /// Creates a session over the credential in `store`.
    ///
    /// - Parameters:
    ///   - store: Keeps the credential; read at the first use or by `restore()`.
    ///   - policy: Decides when to refresh.
    ///   - clock: The time, and the means to wait for it.
    ///   - random: The source of jitter and idempotency keys.
    ///   - executor: Runs the session's own tasks; nil means the global pool.
    ///   - refresh: Obtains a successor from the issuer.
    public init(
        store: any TokenStore<Value>,
        policy: RefreshPolicy = RefreshPolicy(),
        clock: WallClock = .system,
        random: RandomSource = .system,
        executor: (any TaskExecutor)? = nil,
        refresh: @escaping Refresh
    ) {
        self.init(
            store: store, policy: policy, clock: clock, random: random, executor: executor, issuer: nil,
            refresh: refresh)
    }

    /// Creates a session with its issuer.
    package init(
        store: any TokenStore<Value>, policy: RefreshPolicy, clock: WallClock, random: RandomSource,
        executor: (any TaskExecutor)?, issuer: (any Sendable)?, refresh: @escaping Refresh
    ) {
        records = SessionRecords(store)
        self.refresh = refresh
        self.policy = policy
        self.clock = clock
        self.random = random
        self.executor = executor
        self.issuer = issuer
    }

    deinit {
        timer?.cancel()
        listener?.cancel()
        dateWatch?.cancel()
        storing?.cancel()
        keptLock?.release()
        broadcast.finish()
        stepUpBroadcast.finish()
    }
}

// MARK: - State

extension Session {
    /// The current state and each later change once, in order.
    ///
    /// The stream ends with the session, or when its consumer stops.
    public nonisolated var states: AsyncStream<State> { broadcast.stream() }

    /// The current state.
    public nonisolated var currentState: State { broadcast.current }

    /// Whether the store has not been read successfully; only then may reading it change the state.
    var isUnread: Bool {
        switch state {
        case .unknown, .restoring, .unavailable: true
        case .signedIn, .expired, .signedOut: false
        }
    }

    /// Changes the state, which nothing else does: the actor's copy first, then the one that other tasks read.
    func publish(_ state: State) {
        self.state = state
        broadcast.send(state)
    }

    /// Makes a stored credential the visible one.
    func adopt(_ value: Value) {
        let due = dueDate(of: value)
        view.withLock { view in
            view.current = value
            view.generation = generation
            view.due = due
        }
        publishExpiry(of: value)
        watchTime(of: value)
    }

    /// Publishes that no user is signed in.
    func end(_ reason: SignedOutReason) {
        view.withLock { $0.current = nil }
        timer?.cancel()
        timer = nil
        endStepUp(with: nil)
        publish(.signedOut(reason))
    }

    /// Begins a generation and abandons all running operations: their waiters get `error`.
    ///
    /// Called only after the store has accepted the change, so that a failed sign-out or sign-in disturbs nothing.
    func beginGeneration(failing error: AuthError = .superseded) {
        generation += 1
        signInGeneration = generation
        identify(by: nil)
        uncommitted = nil
        pendingRefresh = nil
        pausedUntil = .distantPast
        refreshResult?.finish(.failure(error))
        refreshResult = nil
        refreshTask?.cancel()
        refreshTask = nil
        stepUpResult?.finish(.failure(error))
        stepUpResult = nil
        stepUpTask?.cancel()
        stepUpTask = nil
    }

    /// Whether an operation that began in `generation` still counts.
    func isCurrent(_ generation: Int) -> Bool { generation == self.generation }

    /// Whether the user of `generation` is still signed in: a step-up begins a generation too.
    func isSameUser(_ generation: Int) -> Bool { (signInGeneration...self.generation).contains(generation) }
}

// MARK: - Credential

extension Session {
    /// Returns the credential to use now, refreshed first if that is due.
    ///
    /// - Throws: `AuthError.missingToken` when no user is signed in, `reauthenticationRequired` when the issuer ended the
    ///   session, a `store…` code when the store cannot be used, or the error of the refresh. While the old credential is
    ///   still accepted, a failed refresh throws nothing.
    public nonisolated func credential() async throws -> Value { try await snapshot().credential }

    /// Returns the credential as it is, fresh or expired, without a refresh.
    ///
    /// - Throws: As `credential()` if there is none or the store cannot be read.
    package func currentCredential() async throws -> Value {
        if ActiveRefreshes.sessions.contains(ObjectIdentifier(self)) { throw AuthError.refreshReentered }
        if state.credential == nil { try await restore() }
        if case .signedOut = state { try await confirmSignOut() }
        switch state {
        case .signedIn(let value), .expired(let value): return value
        case .signedOut(.issuer): throw AuthError.reauthenticationRequired
        case .unavailable(let error): throw error
        case .signedOut, .unknown, .restoring: throw AuthError.missingToken
        }
    }

    /// Returns a credential other than `refused`, refreshed if the session still holds that one.
    ///
    /// - Parameter refused: The credential that the server refused, as it was sent.
    /// - Throws: As `credential()`, and the error of the refresh.
    public func refreshed(replacing refused: Value) async throws -> Value {
        try await refreshed(replacing: refused, in: nil)
    }

    /// Returns the credential to use now, with its generation.
    package nonisolated func snapshot() async throws -> CredentialSnapshot<Value> {
        if let fresh = freshSnapshot() { return fresh }
        return try await refreshedSnapshotIfDue()
    }

    /// Returns the credential as it is, with its generation.
    func currentSnapshot() async throws -> CredentialSnapshot<Value> {
        let value = try await currentCredential()
        return CredentialSnapshot(credential: value, generation: generation)
    }

    /// Returns a credential of the same user as the refused one, with its generation.
    package func refreshed(replacing refused: CredentialSnapshot<Value>) async throws -> CredentialSnapshot<Value> {
        let value = try await refreshed(replacing: refused.credential, in: refused.generation)
        guard isSameUser(refused.generation) else { throw AuthError.superseded }
        // A step-up may have come just after the refresh; its credential is then the one to use.
        let isLatest = refused.generation == generation
        return CredentialSnapshot(credential: isLatest ? value : state.credential ?? value, generation: generation)
    }

    /// Refreshes unless the refusal is a late one of a credential that is no longer current.
    ///
    /// - Parameter generation: The generation of the refused credential; nil if unknown to the caller.
    /// - Throws: `AuthError.superseded` if another user has signed in since.
    private func refreshed(replacing refused: Value, in generation: Int?) async throws -> Value {
        let current = try await currentCredential()
        guard generation.map(isSameUser) ?? true else { throw AuthError.superseded }
        if !current.hasSameAccessToken(as: refused), !isExpired(current) { return current }
        return try await shareRefresh(of: current)
    }

    /// Returns the snapshot on the slow path of `snapshot()`.
    ///
    /// Another caller may have refreshed while this one waited for the actor, so the view is read again. The
    /// generation is read before the refresh: a snapshot of a later one would repeat a request as another user.
    private func refreshedSnapshotIfDue() async throws -> CredentialSnapshot<Value> {
        let current = try await currentCredential()
        if let fresh = freshSnapshot() { return fresh }
        let generation = generation
        let value = try await refreshedIfDue(current)
        return CredentialSnapshot(credential: value, generation: generation)
    }
}

// MARK: - Signing in and out

extension Session {
    /// Makes `value` the session's credential: a sign-in, or a switch to another account.
    ///
    /// A refresh of the earlier credential is dropped, and its waiters get `AuthError.superseded`.
    /// - Throws: A `store…` code when it cannot be stored; the session then follows what the store still holds.
    public func signIn(_ value: Value) async throws { try await signIn(value, requestedAt: nil) }

    /// Signs in with a credential that was requested at `sent` by this session's clock: its date shows the issuer's.
    package func signIn(_ value: Value, requestedAt sent: Date?) async throws {
        if let sent, let issued = value.issued { observe(issuerDate: issued, ofRequestSentAt: sent) }
        try await replaceRecord(by: newRecord(of: value, sessionID: random.identifier()))
    }

    /// Signs the user out on this device.
    ///
    /// - Returns: The credential that was current, so that the issuer can revoke it.
    /// - Throws: A `store…` code when the store cannot remove it; the session then follows what the store still holds.
    @discardableResult
    public func signOut() async throws -> Value? { try await replaceRecord(by: nil) }

    /// Signs the user out: first on this device, with or without a network, and then at the server.
    ///
    /// - Parameter end: Asks the server to end the session; returns whether it confirmed, and never throws, since the user
    ///   is signed out already.
    /// - Returns: Whether the server confirmed; false as well if no user was signed in.
    /// - Throws: As ``signOut()``; the server is notified nevertheless.
    package nonisolated func signOut(ending end: (Value) async -> Bool) async throws -> Bool {
        let current = currentState.credential
        do {
            guard let last = try await signOut() else { return false }
            return await end(last)
        } catch {
            // The store may still contain the credential: the server should not accept it.
            if let current { _ = await end(current) }
            throw error
        }
    }

    /// Replaces the record as the user wants, and makes it the session's state.
    ///
    /// - Returns: The credential that was current.
    /// - Throws: A `store…` code, also if the store reported a failure and has stored nevertheless.
    @discardableResult
    private func replaceRecord(by record: TokenRecord<Value>?) async throws -> Value? {
        listen()
        var failure: (any Error)?
        let last = try await withStore {
            var last = uncommitted?.value ?? state.credential
            // A store that cannot be read must not prevent a sign-out.
            if last == nil, isUnread, record == nil { last = try? await records.load()?.credential }
            failure = try await store(record)
            beginGeneration()
            identify(by: record)
            if let value = record?.credential { adopt(value) } else { end(.user) }
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

    /// Runs the restoration; it finishes `shared` on every path, since callers would otherwise wait indefinitely.
    private func runRestoration(_ shared: SharedResult<Void>, in generation: Int) async {
        listen()
        let loaded: Result<TokenRecord<Value>?, any Error>
        do {
            loaded = .success(try await withStore { try await records.load() })
        } catch {
            loaded = .failure(error)
        }
        restoration = nil
        // A sign-in or sign-out meanwhile outranks the record that was read.
        guard generation == self.generation else { return shared.finish(.success(())) }
        switch loaded {
        case .success(let record):
            identify(by: record)
            if let value = record?.credential { adopt(value) } else { end(record?.end ?? .noAccount) }
            shared.finish(.success(()))
        case .failure(let error):
            let error = AuthError.fromStore(error)
            publish(.unavailable(error))
            shared.finish(.failure(error))
        }
    }
}
