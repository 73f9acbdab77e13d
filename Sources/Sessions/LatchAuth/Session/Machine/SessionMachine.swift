// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation

/// The decisions of a session as a value: events come in, effects go out.
///
/// It contains no clock, no lock, no store and no task. `Session` performs the effects and reports their ends. A test
/// can therefore try every order of events, and every failure, on the code that an app runs. <doc:ARefresh> draws the
/// steps.
package struct SessionMachine<Value: SessionCredential>: Sendable {
    /// The identifier of a caller that waits for the session.
    package typealias Waiter = Int

    /// The facts that a record keeps about its credential.
    package struct Facts: Sendable, Hashable {
        /// The identifier of the sign-in that the credential comes from; nil if the store keeps none.
        package var sessionID: String?
        /// The issue date of the credential; see `TokenRecord.issued`.
        package var issued: Date?
        /// The issuer's clock minus this device's, in seconds.
        package var clockOffset = 0.0
    }

    /// The request of a caller for a credential.
    package struct Use: Sendable {
        package enum Need: Sendable {
            /// The caller only needs the record to be read once.
            case record
            /// The current credential, without a refresh.
            case current
            /// A credential that is not due for a refresh, if one is available.
            case fresh
            /// A credential other than the one that a server refused.
            case replacing(Value)
        }

        package var need: Need
        /// The generation of the refused credential; nil if the caller does not know it.
        package var generation: Int?
        /// The resource that the credential is for; nil for the session's own.
        package var target: TokenTarget?
        /// Whether the record is known to be unchanged since the session last read it.
        package var isConfirmed: Bool

        package init(_ need: Need, generation: Int? = nil, target: TokenTarget? = nil, isConfirmed: Bool = false) {
            (self.need, self.generation, self.target, self.isConfirmed) = (need, generation, target, isConfirmed)
        }
    }

    package struct Caller: Sendable {
        package var waiter: Waiter
        package var use: Use
    }

    /// An event that the session reacts to.
    package enum Event: Sendable {
        // Callers.
        case use(Waiter, Use)
        case left(Waiter)
        /// A sign-in, or a sign-out for nil.
        ///
        /// With a generation, it takes effect only if no other has begun since.
        case replace(Waiter, Value?, since: Int?)
        case stepUp(Waiter, Value)
        /// A server refused a request because of the user's authentication, and the caller waits for a better one.
        case requireStepUp(Waiter, StepUpRequirement, generation: Int, mayAsk: Bool)
        case completeStepUp
        /// A response to a request with a credential of the generation has changed the credential.
        case rotate(Waiter, generation: Int, Successor)

        // The ends of effects.
        case entered(SessionSection, Entry)
        case loaded(Result<TokenRecord<Value>?, SessionFailure>)
        case saved(SessionFailure?)
        case responded(request: Int, Answer)
        case authenticated(request: Int, Result<Value, SessionFailure>)

        // The environment.
        /// Another session has changed the record.
        case recordChanged
        /// The time from `wait` has passed, or a clock was corrected.
        case timePassed
        /// A response showed the issuer's clock: its difference from this device's, in seconds.
        case clockMeasured(Double)
        /// The waiter waits until the session is at rest; the system may be about to suspend the program.
        case rest(Waiter, suspends: Bool)
        /// The time limit of a waiter that suspends is over: the program may be suspended now.
        case suspendNow(Waiter)
        case resume
        /// The device was unlocked, so a locked store can be used again.
        case storeUnlocked
    }

    /// The end of an attempt to enter a section.
    package enum Entry: Sendable, Hashable {
        case entered
        /// The named process is in the section, and the attempt does not wait, or its wait has ended by `leaveQueue` or
        /// a time limit.
        case occupied(by: String?)
        case failed(SessionFailure)
    }

    /// An action that the session performs; for some actions, an event reports the end.
    package enum Effect: Sendable {
        /// Enter a section, immediately or after a wait; ends with `entered`.
        case enter(SessionSection, waits: Bool)
        /// End a wait for a section; its `entered` still follows.
        case leaveQueue(SessionSection)
        case leave(SessionSection)
        /// Read the record; ends with `loaded`.
        case load
        /// Replace the record, or remove it; ends with `saved`.
        case save(TokenRecord<Value>?)
        /// Tell the other sessions that the record has changed.
        case announce
        /// Send a request to the issuer; ends with `responded`, but only when its connection ends.
        case request(id: Int, RefreshRequest<Value>)
        /// Let the user authenticate with the waiter's closure; ends with `authenticated`.
        case authenticate(id: Int, Waiter, StepUpRequirement)
        case cancelAuthentication
        /// Tell the issuer that a credential is no longer used: immediately if the user has signed out here.
        ///
        /// Otherwise it happens later, after the store has shown again that no user is signed in, because a store may
        /// lose its record temporarily.
        case revoke(Value, isCertain: Bool)
        case publish(SessionState<Value>)
        case publishStepUp(StepUpRequirement?)
        case resume(Waiter, Result<CredentialSnapshot<Value>?, any Error>)
    }

    /// The end of a request to the issuer.
    package enum Answer: Sendable {
        /// A successor, with the issuer's clock minus this device's by the date of the response.
        case issued(Value, clockOffset: Double?)
        /// A credential with the new refresh token of a response that is not usable otherwise.
        case incomplete(Value, IssuerFailure)
        case failed(IssuerFailure)
        /// Nothing was sent, because the session no longer excludes other processes.
        case withdrawn
    }

    /// Returns the successor of the current credential; nil if the response belongs to an earlier one.
    package typealias Successor = Unhashed<@Sendable (Value) -> Value?>

    package let policy: RefreshPolicy
    /// Whether the store keeps whole records, and not only credentials.
    package let keepsRecords: Bool
    /// Whether other sessions also use the record, and locks separate them.
    package let isShared: Bool

    // MARK: Known facts

    package var state = SessionState<Value>.unknown
    /// The number of sign-ins, sign-outs and step-ups so far.
    ///
    /// An operation of an earlier generation has no effect.
    package var generation = 0
    /// The generation of the last sign-in; later ones come from step-ups of the same user.
    package var signInGeneration = 0
    package var facts = Facts()
    /// The clocks at the time when the credential was adopted or the issuer's date was measured.
    package var anchor: ClockAnchor?
    /// The random share of the jitter of this credential's refresh.
    package var jitter = 0.0
    /// The credential that the issuer has refused to refresh, if the store could not remove it.
    package var refusedByIssuer: Value?
    /// Whether the last read record belongs to another sign-in or to none, and could not be followed yet.
    ///
    /// No caller gets the credential until it is followed.
    package var isContradicted = false
    /// The next attempt to read a reported change of the record.
    package var staleness: Retry?

    // MARK: Running work

    /// The operations on the store; the first is running.
    package var operations: [StoreOperation] = []
    /// The callers that wait for a successor; the exchange with the issuer may outlive them.
    package var refresh: Refresh?
    package var lock = LockState.none
    /// The exchange whose outcome is uncertain or not stored yet; its repetitions have the same key.
    package var exchange: Exchange?
    /// The requests in flight of ended sessions, and whether the user has ended each here.
    ///
    /// Their answers are revoked.
    package var strays: [Int: Bool] = [:]
    /// A successor that is issued but not stored yet.
    ///
    /// Until it is stored, no session requests another one.
    package var unstored: Unstored?
    /// The number of the last request to the issuer.
    package var requestCount = 0
    /// The pauses after failed requests for a target; nil stands for the session's own access token.
    package var pauses: [TokenTarget?: Pause] = [:]
    /// The monotonic times of the last requests to the issuer by target.
    package var requests: [TokenTarget?: [Duration]] = [:]
    /// The pending requirement of a server or the issuer.
    package var requirement: StepUpRequirement?
    /// The running authentication of the user, and the callers that wait for it.
    package var authentication: Authentication?
    package var suspension = Suspension.none
    /// The callers that wait for rest, and whether each announced a suspension.
    ///
    /// The wait of a caller that announced a suspension also ends with the suspension.
    package var awaitingRest: [Waiter: Bool] = [:]

    /// The effects of the current event, which are not part of the state between two events.
    var effects = Unhashed<[Effect]>([])

    /// Creates the machine of a session whose store has not been read.
    package init(policy: RefreshPolicy, keepsRecords: Bool, isShared: Bool) {
        (self.policy, self.keepsRecords, self.isShared) = (policy, keepsRecords, isShared)
    }

    /// Reacts to an event, and returns the effects to perform in order.
    package mutating func handle(_ event: Event, _ now: SessionMoment) -> [Effect] {
        effects.value = []
        react(to: event, now)
        settle(now)
        return effects.value
    }

    mutating func effect(_ effect: Effect) { effects.value.append(effect) }

    private mutating func react(to event: Event, _ now: SessionMoment) {
        switch event {
        case .use(let waiter, var use):
            // A record that was read a moment ago is not followed yet.
            use.isConfirmed = use.isConfirmed && operations.allSatisfy(\.isQueued)
            self.use(Caller(waiter: waiter, use: use), now)
        case .left(let waiter): leave(waiter)
        case .replace(let waiter, let value, let generation):
            let record = value.map { newRecord(of: $0, sessionID: now.random.identifier(), now) }
            enqueue(.replace(record, waiter, since: generation))
        case .stepUp(let waiter, let value): enqueue(.stepUp(value, since: generation, waiter))
        case .requireStepUp(let waiter, let requirement, let generation, let mayAsk):
            require(requirement, waiter, generation: generation, mayAsk: mayAsk)
        case .completeStepUp:
            // The user has now done what the pause was for.
            if requirement != nil { pauses = [:] }
            publish(stepUp: nil)
        case .rotate(let waiter, let generation, let successor): enqueue(.rotate(successor, since: generation, waiter))
        case .entered(.store, let entry): storeEntered(entry, now)
        case .entered(.refresh, let entry): lockEntered(entry, now)
        case .loaded(let result): recordLoaded(result, now)
        case .saved(let failure): recordSaved(failure, now)
        case .responded(let id, let answer): issuerResponded(to: id, answer, now)
        case .authenticated(let id, let result): userAuthenticated(id, result, now)
        case .recordChanged: recordChanged()
        case .timePassed: timePassed(now)
        case .clockMeasured(let offset):
            facts.clockOffset = offset
            anchor = ClockAnchor(now)
            timePassed(now)
        case .rest(let waiter, let suspends): rest(waiter, suspends: suspends)
        case .suspendNow(let waiter): if awaitingRest[waiter] != nil { freeze() }
        case .resume: resume(now)
        case .storeUnlocked: storeUnlocked()
        }
    }

    /// Takes every step that an event may have made possible.
    ///
    /// These are the next step of the refresh and of the store, the release of the lock, and the report of rest.
    private mutating func settle(_ now: SessionMoment) {
        beginOperations(now)
        while advance(now) { beginOperations(now) }
        if lock == .held, suspension == .frozen || !needsLock {
            lock = .none
            effect(.leave(.refresh))
        }
        for (waiter, suspends) in awaitingRest.sorted(by: { $0.key < $1.key }) where suspends ? maySuspend : isAtRest {
            awaitingRest[waiter] = nil
            succeed(waiter)
        }
    }
}

extension SessionMachine: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Caller: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Use: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Use.Need: Equatable, Hashable where Value: Hashable {}

// MARK: - State

extension SessionMachine {
    /// Whether a refresh is running, or a caller may begin one after the record has been read.
    var mayRequest: Bool { refresh != nil || operations.contains { !$0.callers.isEmpty } }

    /// Whether the user of `generation` is still signed in, because a step-up also begins a generation.
    func isSameUser(_ generation: Int) -> Bool { (signInGeneration...self.generation).contains(generation) }

    mutating func publish(_ state: SessionState<Value>) {
        guard self.state != state else { return }
        self.state = state
        effect(.publish(state))
    }

    /// Publishes the pending step-up, also if it is the same again, because another request was refused.
    mutating func publish(stepUp requirement: StepUpRequirement?) {
        guard self.requirement != nil || requirement != nil else { return }
        self.requirement = requirement
        effect(.publishStepUp(requirement))
    }

    /// Makes the credential of a stored record the visible one.
    mutating func adopt(_ value: Value, of record: TokenRecord<Value>?, _ now: SessionMoment) {
        facts = Facts(
            sessionID: record?.sessionID, issued: record?.issued, clockOffset: record?.clockOffset ?? facts.clockOffset)
        anchor = ClockAnchor(now)
        jitter = now.random.unit()
        (refusedByIssuer, pauses[nil]) = (nil, nil)
        // The lifetime is measured once, so that the date of the refresh does not move as time passes.
        if value.issued == nil, facts.issued == nil { facts.issued = issuerDate(now) }
        publishExpiry(of: value, now)
    }

    /// Publishes whether the credential has expired; after a clock correction, an expired one may be fresh again.
    mutating func publishExpiry(of value: Value, _ now: SessionMoment) {
        publish(isExpired(value, now) ? .expired(value) : .signedIn(value))
    }

    mutating func end(_ reason: SignedOutReason) {
        publish(stepUp: nil)
        publish(.signedOut(reason))
    }

    /// The issuer's date, as far as it is known from its responses, which decides about expiry.
    ///
    /// Decision: setting the date back does not make an expired credential fresh, because the monotonic clock counts
    /// from the moment when the credential was adopted. Setting the date forward counts, because an early refresh does
    /// no harm.
    package func issuerDate(_ now: SessionMoment) -> Date { now.date.addingTimeInterval(issuerOffset(now)) }

    /// The issuer's clock minus this device's, which may have been set back since the measurement.
    package func issuerOffset(_ now: SessionMoment) -> Double {
        facts.clockOffset + (anchor?.secondsSetBack(now) ?? 0)
    }

    /// Begins a generation after the store has accepted the change; all callers get `error`.
    ///
    /// A request in flight continues, and its answer is revoked; see `strays`.
    mutating func beginGeneration(failing error: AuthError = .superseded, isByUser: Bool = false) {
        generation += 1
        signInGeneration = generation
        facts = Facts(clockOffset: facts.clockOffset)
        for caller in refresh.take()?.callers ?? [] { fail(caller.waiter, error) }
        if let flight = exchange?.flight { strays[flight] = isByUser }
        (unstored, exchange, pauses, isContradicted) = (nil, nil, [:], false)
        if lock == .waiting { leaveQueue() }
        guard let authentication = authentication.take() else { return }
        effect(.cancelAuthentication)
        for waiter in authentication.waiters { fail(waiter, error) }
    }

    mutating func succeed(_ waiter: Waiter, _ value: Value? = nil) {
        let snapshot = value.map { CredentialSnapshot(credential: $0, generation: generation) }
        effect(.resume(waiter, .success(snapshot)))
    }

    mutating func fail(_ waiter: Waiter, _ error: any Error) {
        effect(.resume(waiter, .failure(error)))
    }
}

// MARK: - Callers

extension SessionMachine {
    /// Reads the record, once for all callers that arrive before the read.
    ///
    /// A session that already knows the record reads it again for later callers.
    mutating func readRecord(for caller: Caller? = nil) {
        let place = operations.lastIndex { $0.readsOnly && (state.isUnread || $0.isQueued) }
        if state.isUnread { publish(.restoring) }
        if place == nil { enqueue(.read) }
        if let caller { operations[place ?? operations.count - 1].callers.append(caller) }
    }

    /// Removes a canceled caller; work that it has started continues.
    private mutating func leave(_ waiter: Waiter) {
        awaitingRest[waiter] = nil
        refresh?.callers.removeAll { $0.waiter == waiter }
        authentication?.waiters.removeAll { $0 == waiter }
        for place in operations.indices { operations[place].callers.removeAll { $0.waiter == waiter } }
    }

    /// Gives a caller a credential, or lets it wait for one.
    mutating func use(_ caller: Caller, _ now: SessionMoment) {
        let (waiter, use) = (caller.waiter, caller.use)
        guard !state.isUnread else { return readRecord(for: caller) }
        if case .record = use.need { return succeed(waiter) }
        // The notification of a sign-in in another process may be late, or missing after a crash.
        let isDoubtful = isContradicted || isShared && state.credential == nil
        guard use.isConfirmed || !isDoubtful else { return readRecord(for: caller) }
        guard let value = state.credential else {
            let isEnded = state == .signedOut(.issuer)
            return fail(waiter, isEnded ? AuthError.reauthenticationRequired : AuthError.missingToken)
        }
        guard use.generation.map(isSameUser) ?? true else { return fail(waiter, AuthError.superseded) }
        if let current = value.credential(for: use.target), isUsable(current, for: use, now) {
            return succeed(waiter, current)
        }
        // If the timer is late, a caller whose refresh fails must not see an earlier state.
        publishExpiry(of: value, now)
        join(caller, of: value, now)
    }

    /// Whether a caller gets the credential without a refresh.
    private func isUsable(_ current: Value, for use: Use, _ now: SessionMoment) -> Bool {
        switch use.need {
        case .record, .current: true
        case .fresh: !isExpired(current, now) && (isFresh(current, now) || isPaused(use.target, now))
        case .replacing(let refused): !isExpired(current, now) && !current.hasSameAccessToken(as: refused)
        }
    }

    /// Whether a caller has nothing to use until the credential has a successor.
    func needsSuccessor(_ use: Use, of value: Value, _ now: SessionMoment) -> Bool {
        guard let current = value.credential(for: use.target) else { return true }
        if case .replacing(let refused) = use.need, current.hasSameAccessToken(as: refused) { return true }
        return isExpired(current, now)
    }
}
