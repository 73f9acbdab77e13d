// SPDX-License-Identifier: Apache-2.0

public import LatchCore
package import LatchFoundation
import LatchHTTP
public import Synchronization

/// The signed-in state of one account on this device: it keeps a credential fresh and does not lose a user.
///
/// ```swift
/// let session = Session(store: store) { request in try await issuer.refresh(request.credential) }
/// try await session.signIn(tokens)
/// let current = try await session.credential()
/// ```
///
/// Each rule below prevents one cause of a lost session:
/// - a caller names the refused credential, so that a late refusal of an old one causes no refresh;
/// - all callers share one refresh, and a canceled caller neither cancels it nor fails the others;
/// - an issued credential is stored before anything uses it, and is kept in memory until that succeeds;
/// - a store that cannot be read is `unavailable`, never `signedOut`;
/// - only the issuer or the user ends a session, never the network;
/// - a refresh that ends after a sign-out or a new sign-in is dropped;
/// - the sessions of several processes over one record refresh once for all, and follow each other's changes;
/// - the idempotency key of a refresh is stored before the request, so that the session can recover from a crash.
///
/// <doc:SessionGuarantees> explains them.
public actor Session<Value: SessionCredential> {
    /// The state of a session with its credential.
    public typealias State = SessionState<Value>

    /// A closure that obtains the successor of a credential from the issuer.
    ///
    /// It ends the session by throwing `AuthError.reauthenticationRequired`, or the `HTTPError` of a response that says
    /// that the refresh token has ended. An example is a 400 `invalid_grant` (RFC 6749 §5.2). A refusal that may come
    /// from a gateway, such as another 401, ends the session only if it repeats after a pause. Any other error leaves
    /// the session unchanged.
    public typealias Refresh = @Sendable (RefreshRequest<Value>) async throws -> Value

    /// The decisions; `send(_:)` passes events to it and performs the effects.
    var machine: SessionMachine<Value>
    /// The stored copy, which takes precedence over memory, because another process may have refreshed or signed out
    /// in the meantime.
    let records: SessionRecords<Value>
    /// The request to the issuer, which runs in the session's own task, so that no caller's cancellation reaches it.
    let refresh: Refresh
    /// This device's clock, which may be wrong; `SessionMachine.issuerDate(_:)` decides about expiry.
    @usableFromInline nonisolated let clock: WallClock
    /// The source of jitter and idempotency keys; a simulation passes a seeded one.
    nonisolated let random: RandomSource
    /// The credentials whose revocation the issuer has not confirmed; nil if the session revokes none.
    nonisolated let revocations: RevocationQueue<Value>?
    /// The executor of the session's own tasks; nil for the global pool.
    let executor: (any TaskExecutor)?
    /// The issuer that the session was created with, for modules above; see `Session.init(tokenEndpoint:)`.
    package nonisolated let issuer: (any Sendable)?

    /// The part that the fast path reads; only the actor writes it, except for the clock offset.
    @usableFromInline nonisolated let view = Mutex(SessionView<Value>())
    /// A copy of the state that other tasks read and watch without the actor.
    nonisolated let broadcast = StateBroadcast<State>(.unknown)
    /// The pending step-up, which is separate from the state because the credential is valid for all other requests.
    nonisolated let stepUpBroadcast = StateBroadcast<StepUpRequirement?>(nil)
    /// The number of refusals that required a step-up.
    nonisolated let stepUpRefusalBroadcast = StateBroadcast(0)
    /// The callers that wait for the machine.
    nonisolated let waiters = WaiterTable<CredentialSnapshot<Value>?>()

    /// The locks that this session holds.
    var locks: [SessionSection: SessionLock] = [:]
    /// The tasks that wait for a lock.
    var entries: [SessionSection: Task<Void, Never>] = [:]
    /// The number of running attempts to revoke credentials, and the callers that wait for the end of one.
    var revoking: (attempts: Int, waiters: [Int]) = (0, [])
    /// The task that sends the requests of the running refresh.
    var requests: RequestRunner<Value>?
    /// The closures of the callers that can let the user authenticate.
    var authenticators: [Int: StepUp] = [:]
    /// The task in which the user authenticates.
    var authentication: Task<Void, Never>?
    /// The task that waits for the machine's next action, and the monotonic time of that action.
    var timer: (task: Task<Void, Never>, wake: Duration)?
    /// The task that listens to the other sessions over the same record.
    var listener: Task<Void, Never>?
    /// The task that listens for jumps of this device's date.
    var dateWatch: Task<Void, Never>?
    /// The task that follows the life of the app.
    var lifecycle: Task<Void, Never>?
    /// The activity that keeps the system from suspending the program during a refresh.
    var activity: SystemActivity?
    /// Whether the session was suspended because the time of an activity was over; the next caller ends the suspension.
    var isExpired = false

    /// Creates a session over the credential in `store`.
    ///
    /// - Parameters:
    ///   - store: The store of the credential, which is read at the first use or by `restore()`.
    ///   - policy: The times at which the session refreshes.
    ///   - clock: The clock of the session.
    ///   - random: The source of jitter and idempotency keys.
    ///   - executor: The executor of the session's own tasks; nil for the global pool.
    ///   - refresh: The closure that obtains a successor from the issuer.
    public init(
        store: any TokenStore<Value>,
        policy: RefreshPolicy = RefreshPolicy(),
        clock: WallClock = .system,
        random: RandomSource = .system,
        executor: (any TaskExecutor)? = nil,
        refresh: @escaping Refresh
    ) {
        self.init(
            store: store, policy: policy, clock: clock, random: random, executor: executor, issuer: nil, revoke: nil,
            refresh: refresh)
    }

    /// Creates a session with its issuer.
    package init(
        store: any TokenStore<Value>, policy: RefreshPolicy, clock: WallClock, random: RandomSource,
        executor: (any TaskExecutor)?, issuer: (any Sendable)?,
        revoke: (@Sendable (Value) async -> RevocationOutcome)?, refresh: @escaping Refresh
    ) {
        let records = SessionRecords(store)
        self.records = records
        machine = SessionMachine(
            policy: policy, keepsRecords: records.keepsRecords, isShared: records.coordination != nil)
        self.refresh = refresh
        self.clock = clock
        self.random = random
        self.executor = executor
        self.issuer = issuer
        revocations = revoke.map { [broadcast] revoke in
            RevocationQueue(
                records: records, clock: clock, executor: executor,
                isSignedOut: { if case .signedOut = broadcast.current { true } else { false } }, revoke: revoke)
        }
    }

    deinit {
        timer?.task.cancel()
        listener?.cancel()
        dateWatch?.cancel()
        lifecycle?.cancel()
        activity?.end()
        for lock in locks.values { lock.release() }
        broadcast.finish()
        stepUpBroadcast.finish()
        stepUpRefusalBroadcast.finish()
    }
}

// MARK: - State

extension Session {
    /// The current state and each later change once, in order.
    ///
    /// The stream ends with the session, or when its consumer stops.
    public nonisolated var states: AsyncStream<State> { broadcast.stream() }

    /// The state after the last change, without waiting.
    public nonisolated var currentState: State { broadcast.current }
}

// MARK: - Credential

extension Session {
    /// Returns the credential to use now, refreshed first if a refresh is due.
    ///
    /// - Throws: `AuthError.missingToken` if no user is signed in, or `reauthenticationRequired` if the issuer has
    ///   ended the session. A `store…` code if the store cannot be used, or the error of the refresh. While the old
    ///   credential is still accepted, a failed refresh throws nothing.
    @inlinable
    public nonisolated func credential() async throws -> Value {
        // Inlined, so that the caller's compiler knows the type. Otherwise metadata lookups would take most of the
        // time.
        if let fresh = freshSnapshot() { return fresh.credential }
        return try await refreshedSnapshot(for: nil).credential
    }

    /// Returns the credential for a resource that needs a separate access token (RFC 8707).
    ///
    /// All access tokens come from the session's one refresh token, and each is refreshed once for all callers.
    ///
    /// - Parameter target: The resource and the scopes that are needed there.
    /// - Throws: As `credential()`.
    public nonisolated func credential(for target: TokenTarget) async throws -> Value {
        try await snapshot(for: target).credential
    }

    /// Returns the current credential, fresh or expired, without a refresh.
    ///
    /// - Throws: As `credential()` if there is none or the store cannot be read.
    package func currentCredential() async throws -> Value { try await currentSnapshot().credential }

    /// Returns a credential other than `refused`, refreshed if the session still holds that one.
    ///
    /// - Parameter refused: The credential that the server refused, as it was sent.
    /// - Throws: As `credential()`, and the error of the refresh; `notRefreshable` without a refresh token.
    public func refreshed(replacing refused: Value) async throws -> Value {
        try await use(.init(.replacing(refused))).credential
    }

    /// Returns the credential to use now with its generation.
    package nonisolated func snapshot(for target: TokenTarget? = nil) async throws -> CredentialSnapshot<Value> {
        if let fresh = freshSnapshot(for: target) { return fresh }
        return try await refreshedSnapshot(for: target)
    }

    /// Returns the credential to use now if a refresh may be due.
    @usableFromInline
    nonisolated func refreshedSnapshot(for target: TokenTarget?) async throws -> CredentialSnapshot<Value> {
        try await use(.init(.fresh, target: target))
    }

    /// Returns the current credential with its generation, without a refresh.
    func currentSnapshot(for target: TokenTarget? = nil) async throws -> CredentialSnapshot<Value> {
        try await use(.init(.current, target: target))
    }

    /// Returns a credential of the same user as the refused one with its generation.
    ///
    /// - Throws: `AuthError.superseded` if another user has signed in since.
    package func refreshed(
        replacing refused: CredentialSnapshot<Value>, for target: TokenTarget? = nil
    ) async throws -> CredentialSnapshot<Value> {
        try await use(.init(.replacing(refused.credential), generation: refused.generation, target: target))
    }

    /// Requests a credential.
    private func use(_ use: SessionMachine<Value>.Use) async throws -> CredentialSnapshot<Value> {
        // A refresh that needs its own result would wait for itself.
        if ActiveRefreshes.contains(self) { throw AuthError.refreshReentered }
        listen()
        var use = use
        if case .signedOut = machine.state { use.isConfirmed = records.isCurrent }
        // The refresh of this caller may begin later, in a task without the caller's task-local values.
        if case .current = use.need {} else { beginRequests() }
        guard let snapshot = try await value(isLeavable: true, { .use($0, use) }) else { throw AuthError.missingToken }
        return snapshot
    }
}

// MARK: - Signing in and out

extension Session {
    /// Makes `value` the session's credential: a sign-in, or a switch to another account.
    ///
    /// A refresh of the earlier credential is dropped, and its waiters get `AuthError.superseded`.
    /// - Throws: A `store…` code if it cannot be stored; the session then follows the content of the store.
    public func signIn(_ value: Value) async throws { try await signIn(value, requestedAt: nil) }

    /// Signs in with a credential that was requested at `sent` by this session's clock; its date shows the issuer's
    /// clock.
    package func signIn(_ value: Value, requestedAt sent: Date?) async throws {
        if let sent, let issued = value.issued {
            send(.clockMeasured(ClockOffset.seconds(to: issued, sent: sent, received: clock.now)))
        }
        try await replaceCredential(with: value, since: nil)
    }

    /// Makes `value` the credential, unless another sign-in or sign-out has begun a generation since `generation`.
    func replaceCredential(with value: Value, since generation: Int?) async throws {
        listen()
        _ = try await self.value { .replace($0, value, since: generation) }
    }

    /// Signs the user out on this device.
    ///
    /// - Returns: The credential that was current, so that the issuer can revoke it.
    /// - Throws: A `store…` code if the store cannot remove it; the session then follows the content of the store.
    @discardableResult
    public func signOut() async throws -> Value? {
        listen()
        return try await value { .replace($0, nil, since: nil) }?.credential
    }

    /// Signs the user out: first on this device, with or without a network, and then at the server.
    ///
    /// If the server cannot be reached, it is asked again later, also after a restart, until a user signs in again.
    ///
    /// - Parameter revoke: A function that asks the server to end the session; nil for the one that the session was
    ///   created with.
    /// - Returns: Whether the server confirmed the sign-out; also false if no user was signed in.
    /// - Throws: As ``signOut()``; the server is notified nevertheless.
    package nonisolated func signOutAndRevoke(
        by revoke: (@Sendable (Value) async -> RevocationOutcome)? = nil
    ) async throws -> Bool {
        let current = currentState.credential
        // Observers of the sign-out that ask for the remaining revocations must wait for this credential.
        await revocations?.expectOne()
        do {
            guard let last = try await signOut() else {
                await revocations?.expectNone()
                return false
            }
            guard let revocations else { return await revoke?(last) == .confirmed }
            // A canceled caller has signed out nevertheless.
            return await Task(executorPreference: executor) {
                await revocations.add(last, revokingBy: revoke, isExpected: true)
            }.value
        } catch {
            await revocations?.expectNone()
            // The store may still contain the credential, so the server should no longer accept it.
            if let current { _ = await (revoke ?? revocations?.revoke)?(current) }
            throw error
        }
    }

    /// Tries again to revoke credentials of earlier sign-outs if no user is signed in.
    ///
    /// - Returns: Whether none remain.
    package nonisolated func revokeRemaining() async -> Bool { await revocations?.retry() ?? true }

    /// Reads the store, unless it was already read successfully.
    ///
    /// - Throws: A `store…` code if the store cannot be read; the state is then `unavailable`, and the next call tries
    ///   again.
    public func restore() async throws {
        guard machine.state.isUnread else { return }
        listen()
        // A refresh may begin in the background. If this is part of another session's refresh, it must know of that.
        beginRequests()
        _ = try await value(isLeavable: true) { .use($0, .init(.record)) }
    }

    /// Adopts the successor of the current credential from a response, and stores it before it becomes visible.
    ///
    /// It is not a sign-in: the generation stays, and a running refresh replaces the result.
    ///
    /// - Parameter snapshot: The credential of the request that the response answers.
    /// - Returns: The current credential; nil if the response belongs to an earlier one.
    func rotate(
        _ snapshot: CredentialSnapshot<Value>, by response: HTTPResponse, to request: HTTPRequest
    ) async -> Value? {
        let sent = snapshot.credential
        let successor = SessionMachine<Value>.Successor { $0.rotated(by: response, to: request, sentWith: sent) }
        do {
            return try await value { .rotate($0, generation: snapshot.generation, successor) }?.credential
        } catch {
            // The machine reports no failure here. The next rotation or refresh stores the credential again, and
            // reports a failure.
            return nil
        }
    }
}

// MARK: - Rest and suspension

extension Session {
    /// Waits until the process can end without losing anything.
    ///
    /// No request is in flight then, no successor waits to be stored, and no credential waits to be revoked.
    ///
    /// ```swift
    /// let token = try await session.credential()
    /// print(token.access)
    /// await session.settled(within: .seconds(60))
    /// exit(0)
    /// ```
    ///
    /// A command-line program, an extension and a server call it before they end, also after a signal. A caller whose
    /// credential is still accepted gets it before its refresh has ended. If the process ended then, the answer would
    /// be lost, and an issuer that detects reuse would end the session at the next refresh. Requests to the issuer have
    /// no time limit. A program that must end by some time sets a limit here, and should tell its user that it waits.
    /// Credentials that could not be revoked are stored, and the next start tries again.
    ///
    /// - Parameter limit: The maximum wait; nil for none.
    /// - Returns: Whether the session is at rest; false after the limit, or if the calling task is canceled.
    @discardableResult
    public func settled(within limit: Duration? = nil) async -> Bool { await settled(within: limit, orUnstored: false) }

    /// Waits until the session is at rest.
    ///
    /// - Parameter orUnstored: Whether the limit does not apply while a successor waits to be stored, because only this
    ///   process has it.
    package func settled(within limit: Duration?, orUnstored waitsForStore: Bool) async -> Bool {
        let rest = Task(executorPreference: executor) { try await self.rest() }
        let timer = limit.map { limit in
            Task.detached(executorPreference: executor) { [clock] in
                let end = clock.uptime + limit
                do {
                    try await clock.sleep(for: limit)
                    // The process was stopped in the meantime, so the answer may already be there.
                    if clock.uptime > end + .seconds(1) { try await clock.sleep(for: .seconds(2)) }
                    while waitsForStore, await self.machine.unstored != nil { try await clock.sleep(for: .seconds(1)) }
                } catch { return }
                rest.cancel()
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            do { try await rest.value } catch { return false }
            return true
        } onCancel: {
            rest.cancel()
        }
    }

    private func rest() async throws {
        repeat {
            _ = try await value(isLeavable: true) { .rest($0, suspends: false) }
            while revoking.attempts > 0 {
                _ = try await value(isLeavable: true) { waiter in
                    revoking.waiters.append(waiter)
                    return nil
                }
            }
            // After a revocation, another caller may sign in or refresh.
        } while !machine.isAtRest
    }

    /// Lets the session finish work that must not be interrupted, before the system suspends the program.
    ///
    /// The system ends an app that is suspended while it holds a lock in a shared container. On iOS, tvOS, watchOS and
    /// visionOS, a session keeps the program awake for a refresh, and releases its locks if the system suspends it
    /// anyway. This function is for programs that know more about a suspension, such as one that stops its own
    /// processes. Until `resume()`, no refresh begins, and a credential that is still accepted is used.
    ///
    /// - Parameter limit: The time after which the session releases its lock. A request in flight continues, and a
    ///   successor that could not be stored stays in memory.
    public func prepareToSuspend(within limit: Duration = .seconds(5)) async {
        await revocations?.suspend()
        var end: Task<Void, Never>?
        defer { end?.cancel() }
        do {
            _ = try await value { waiter in
                end = Task.detached(executorPreference: executor) { [weak self, clock] in
                    do { try await clock.sleep(for: limit) } catch { return }
                    await self?.send(.suspendNow(waiter))
                }
                return .rest(waiter, suspends: true)
            }
        } catch {
            // This does not fail. If it did, the program would be suspended nevertheless.
        }
    }

    /// Continues after `prepareToSuspend(within:)`.
    public func resume() {
        isExpired = false
        send(.resume)
        if let revocations { Task.detached(executorPreference: executor) { await revocations.resume() } }
    }

    /// Uses a store again after it was locked, such as a keychain before the device was unlocked.
    public func storeWasUnlocked() { send(.storeUnlocked) }
}
