// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import Synchronization
public import LatchCore

/// The live signed-in state on this device: it keeps a credential fresh and cannot lose a user.
///
/// ```swift
/// let session = Session(store: store) { renewal in try await issuer.refresh(renewal.credential) }
/// try await session.signIn(tokens)
/// let current = try await session.credential()
/// ```
///
/// Its rules, one each for a way in which sessions get lost:
/// - a caller says which credential was refused, so that a late refusal of an old one causes no renewal;
/// - all callers share one renewal, and a cancelled caller neither cancels it nor fails the others;
/// - what the issuer handed out is stored before anybody sees it, and is kept in memory until that succeeds;
/// - a store that cannot be read is `unavailable`, never `signedOut`;
/// - only the issuer or the person ends a session, never the network;
/// - a renewal that ends after a sign-out or a new sign-in is dropped;
/// - sessions of several processes over one record renew once for all, and hear of each other's changes;
/// - what a renewal is asked with is written down before, so that a crash in the middle of it can be repaired.
public actor Session<Value: SessionCredential> {
    /// What the session knows at a moment.
    public typealias State = SessionState<Value>

    /// Obtains a successor of a credential from the issuer.
    ///
    /// It ends the session only by throwing `AuthError.reauthenticationRequired`, or the `HTTPError` of a 401 or of a
    /// 400 `invalid_grant` (RFC 6749 §5.2). Whatever else it throws leaves the session as it is.
    public typealias Renew = @Sendable (Renewal<Value>) async throws -> Value

    /// The durable copy, which outranks memory: another process may have renewed or signed out meanwhile.
    ///
    /// Used only inside of `withStore`.
    let records: SessionRecords<Value>
    /// The way to the issuer; it runs in a task of the session's own, so no caller's cancellation reaches it.
    let renew: Renew
    /// Fixed for the session's life, so that the path without the actor may read it.
    nonisolated let policy: RenewalPolicy
    /// This device's clock, which may be wrong; `issuerNow` is what decides about expiry.
    nonisolated let clock: WallClock
    /// For jitter and idempotency keys; a simulation gives the seed's.
    nonisolated let random: RandomSource
    /// Where the renewal, the restoration and the timer run; nil is the global pool.
    let executor: (any TaskExecutor)?
    /// The rule that a simulation has this session leave out; nil everywhere else.
    nonisolated let broken: SessionRule?

    /// What the fast path reads; written by the actor alone, except for the clock's offset.
    nonisolated let view = Mutex(SessionView<Value>())
    /// Follows `state`, and lets others read and watch it without the actor.
    nonisolated let broadcast = StateBroadcast<State>(.unknown)
    /// What a server has asked of the person; beside the state, since the credential is good for everything else.
    nonisolated let stepUpBroadcast = StateBroadcast<StepUpRequirement?>(nil)

    /// What the session knows; only `publish(_:)` changes it, so that `broadcast` never falls behind.
    var state = State.unknown
    /// Counts sign-ins and sign-outs.
    ///
    /// What began in an earlier generation has no effect in a later one.
    var generation = 0
    /// The generation in which the person signed in who is signed in now; later ones come of a step-up.
    var firstGeneration = 0
    /// Names the sign-in that the credential comes from, as the record does; nil where the store keeps none.
    var signInID: String?
    /// When the credential was handed out, as the record says, or a session that saw it; see `TokenRecord.handedOut`.
    var handedOut: Date?
    /// The renewal that is under way; there is never a second one in a generation.
    var renewal: SharedResult<Value>?
    /// Whether somebody waits for it who can do nothing without it.
    var renewalIsNeeded = false
    /// The task that carries it out; cancelled when the generation ends, to give its turn back.
    var renewalTask: Task<Void, Never>?
    /// The step-up that is under way, for all whose requests need it.
    var stepUpRun: SharedResult<Void>?
    /// The task that carries it out; cancelled when somebody signs out or in.
    var stepUpTask: Task<Void, Never>?
    /// The reading of the store that is under way, for all who ask before it is done.
    var restoration: SharedResult<Void>?
    /// Handed out by the issuer and not yet stored: the next attempt stores it before it asks for another.
    ///
    /// The turn to ask goes with it: nobody else may use up what has a successor already.
    var uncommitted: (value: Value, predecessor: Value)? { didSet { if uncommitted == nil { endKeptTurn() } } }
    /// The turn of the renewal that gave it.
    var keptTurn: SessionTurn?
    /// Tries to store it while nobody uses the session.
    var storing: Task<Void, Never>?
    /// The key of a renewal that was begun and has not succeeded.
    var begun: (credential: Value, key: String)?
    /// Until when a failed renewal is not tried again as long as the credential is still accepted.
    var pausedUntil = Date.distantPast
    /// Follows the current credential through time; a new credential gets a new one.
    var timer: Task<Void, Never>?
    /// Listens to the other sessions over the same record.
    var listener: Task<Void, Never>?
    /// Listens for jumps of this device's date.
    var dateWatch: Task<Void, Never>?
    /// Whether an operation is inside of `withStore`.
    ///
    /// An actor alone would not keep two of them apart: it lets others in at every `await`.
    var storeIsBusy = false
    /// Who waits for the store, in order of arrival; each is resumed exactly once.
    var storeQueue: [CheckedContinuation<Void, Never>] = []

    /// A session over what `store` keeps.
    ///
    /// - Parameters:
    ///   - store: Keeps the credential; read at the first use or by `restore()`.
    ///   - policy: When to renew.
    ///   - clock: The time, and the means to wait for it.
    ///   - random: For jitter and idempotency keys.
    ///   - executor: Where the session's own tasks run; nil means the global pool.
    ///   - renew: Obtains a successor from the issuer.
    public init(
        store: any TokenStore<Value>,
        policy: RenewalPolicy = RenewalPolicy(),
        clock: WallClock = .system,
        random: RandomSource = .system,
        executor: (any TaskExecutor)? = nil,
        renew: @escaping Renew
    ) {
        self.init(
            store: store, policy: policy, clock: clock, random: random, executor: executor, breaking: nil, renew: renew)
    }

    /// The same, for a simulation that wants to see the breach of a rule.
    package init(
        store: any TokenStore<Value>, policy: RenewalPolicy, clock: WallClock, random: RandomSource,
        executor: (any TaskExecutor)?, breaking rule: SessionRule?, renew: @escaping Renew
    ) {
        records = SessionRecords(store)
        self.renew = renew
        self.policy = policy
        self.clock = clock
        self.random = random
        self.executor = executor
        broken = rule
    }

    deinit {
        timer?.cancel()
        listener?.cancel()
        dateWatch?.cancel()
        storing?.cancel()
        keptTurn?.end()
        broadcast.finish()
        stepUpBroadcast.finish()
    }

    /// The states from now on: first the current one, then each change once, in order.
    ///
    /// The stream ends with the session, or when its consumer stops.
    public nonisolated var states: AsyncStream<State> { broadcast.stream() }

    /// The state at this moment.
    public nonisolated var currentState: State { broadcast.current }

    /// The credential to use now, renewed before if that is due.
    ///
    /// - Throws: `AuthError.missingToken` when nobody is signed in, `reauthenticationRequired` when the issuer ended the
    ///   session, a `store…` code when the store cannot be used, or what the renewal threw. While the old credential is
    ///   still accepted, a failed renewal is no error.
    public nonisolated func credential() async throws -> Value {
        try await lease().credential
    }

    /// The credential as it is, fresh or expired, without a renewal.
    ///
    /// - Throws: As `credential()` where there is none or the store cannot be read.
    public func currentCredential() async throws -> Value { try await usableCredential() }

    /// The same, and the generation it belongs to.
    func currentLease() async throws -> Lease<Value> {
        let value = try await usableCredential()
        return Lease(credential: value, generation: generation)
    }

    /// A credential other than `refused`, renewed if the session still holds that one.
    ///
    /// - Parameter refused: The credential that the server refused, as it was sent.
    /// - Throws: As `credential()`, and whatever the renewal threw.
    public func renewed(replacing refused: Value) async throws -> Value {
        try await renewed(replacing: refused, in: nil)
    }

    /// The credential to use now, and the generation it belongs to.
    package nonisolated func lease() async throws -> Lease<Value> {
        if let fresh = freshLease() { return fresh }
        return try await renewedIfDue()
    }

    /// A credential of the same person as the refused one, and the generation it belongs to.
    package func renewed(replacing refused: Lease<Value>) async throws -> Lease<Value> {
        let value = try await renewed(replacing: refused.credential, in: refused.generation)
        guard isSamePerson(refused.generation) else { throw AuthError.superseded }
        // A step-up may have come just after the renewal; its credential is then the one to use.
        let isLatest = refused.generation == generation
        return Lease(credential: isLatest ? value : state.credential ?? value, generation: generation)
    }

    /// The common part of both: a late refusal of what is no longer current causes no renewal.
    ///
    /// - Parameter generation: The one that the refused credential belongs to; nil where the caller does not know.
    /// - Throws: `AuthError.superseded` where another person is signed in by now.
    private func renewed(replacing refused: Value, in generation: Int?) async throws -> Value {
        let current = try await usableCredential()
        guard generation.map(isSamePerson) ?? true else { throw AuthError.superseded }
        if !current.authorizesLike(refused), !isExpired(current), keeps(.lateRefusals) { return current }
        return try await shareRenewal(of: current)
    }

    /// The slow path of `lease()`.
    ///
    /// Another caller may have renewed while this one waited for the actor, hence the second look at the view. The
    /// generation is taken before the renewal: a lease of a later one would repeat a request as somebody else.
    private func renewedIfDue() async throws -> Lease<Value> {
        let current = try await usableCredential()
        if let fresh = freshLease() { return fresh }
        let generation = generation
        let value = try await renewedIfDue(current)
        return Lease(credential: value, generation: generation)
    }

    /// Renews what is due and makes a failure harmless as long as the old credential is accepted.
    ///
    /// After such a failure nobody tries again before `pausedUntil`, so that an outage does not become a flood.
    private func renewedIfDue(_ current: Value) async throws -> Value {
        guard !isExpired(current) else { return try await shareRenewal(of: current) }
        guard clock.now >= pausedUntil else { return current }
        let generation = generation
        do {
            return try await shareRenewal(of: current, isNeeded: false)
        } catch let error where isTransient(error) {
            pauseRenewal(after: error)
            guard generation == self.generation else { throw AuthError.superseded }
            guard let latest = state.credential else { throw error }
            guard isExpired(latest) else { return latest }
            // It expired while it was found out that somebody else renews.
            guard case AuthError.renewalElsewhere = error else { throw error }
            return try await shareRenewal(of: latest)
        }
    }

    /// The credential that is current, whatever its age.
    private func usableCredential() async throws -> Value {
        if RenewalScope.sessions.contains(ObjectIdentifier(self)) { throw AuthError.renewalReentered }
        if state.credential == nil { try await restore() }
        if case .signedOut = state { try await lookAgain() }
        switch state {
        case .signedIn(let value), .expired(let value): return value
        case .signedOut(.issuer): throw AuthError.reauthenticationRequired
        case .unavailable(let error): throw error
        case .signedOut, .unknown, .restoring: throw AuthError.missingToken
        }
    }
}
