// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
public import Synchronization

// Performs the effects of the session's machine, and reports the end of each to it.

extension Session {
    /// Passes an event to the machine, and performs its effects.
    func send(_ event: SessionMachine<Value>.Event) {
        let now = moment
        let effects = machine.handle(event, now)
        // Observers and callers must see the same credential. Until the new state is published, all callers ask the
        // actor.
        hideOtherCredential()
        for effect in effects where effect.isPublication { perform(effect) }
        show(now)
        if machine.refresh != nil { beginRequests() }
        for effect in effects where !effect.isPublication { perform(effect) }
        if !machine.mayRequest { requests = nil }
        if case .left(let waiter) = event { authenticators[waiter] = nil }
        wait(now)
        stayAwake()
    }

    /// Sends the event of a caller, and waits until the machine lets the caller continue.
    ///
    /// - Throws: The failure, or `CancellationError` if the calling task is canceled and may leave.
    /// - Parameter isLeavable: Whether the caller's cancellation ends the wait; it never ends the operation.
    func value(
        isLeavable: Bool = false, _ event: (Int) -> SessionMachine<Value>.Event?
    ) async throws -> CredentialSnapshot<Value>? {
        let waiter = waiters.newTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiters.add(waiter, continuation)
                if let event = event(waiter) {
                    if case .rest = event {} else { continueAfterExpiry() }
                    send(event)
                }
                // The task may have been canceled before the continuation existed.
                if isLeavable, Task.isCancelled { waiters.resume(waiter, with: .failure(CancellationError())) }
            }
        } onCancel: {
            guard isLeavable, waiters.resume(waiter, with: .failure(CancellationError())) else { return }
            Task.detached(executorPreference: executor) { await self.send(.left(waiter)) }
        }
    }

    /// The time and randomness of an event.
    nonisolated var moment: SessionMoment {
        SessionMoment(date: clock.now, uptime: clock.uptime, random: random)
    }

    /// Closes the fast path without the actor if it shows another credential than the machine.
    private func hideOtherCredential() {
        let (current, generation) = (machine.state.credential, machine.generation)
        view.withLock { view in
            if view.generation != generation || view.current != current { view.due = .distantPast }
        }
    }

    /// Shows the credential to the fast path without the actor.
    private func show(_ now: SessionMoment) {
        let current = machine.state.credential
        let due = machine.isContradicted ? .distantPast : current.map { machine.dueDate(of: $0, now) } ?? .distantFuture
        let generation = machine.generation
        view.withLock { view in
            (view.current, view.generation, view.due) = (current, generation, due)
            view.clockOffset = machine.issuerOffset(now)
        }
        if current?.expiry != nil { watchDate() }
    }

    private func perform(_ effect: SessionMachine<Value>.Effect) {
        switch effect {
        case .enter(let section, let waits): enter(section, waits: waits)
        case .leaveQueue(let section): entries[section]?.cancel()
        case .leave(let section): locks.removeValue(forKey: section)?.release()
        case .load:
            run { [records, lock = locks[.store]] session in
                await session.send(.loaded(Self.result { try await records.load(under: lock) }))
            }
        case .save(let record):
            run { [records, lock = locks[.store]] session in
                do {
                    try await records.save(record, under: lock)
                    await session.send(.saved(nil))
                } catch {
                    await session.send(.saved(SessionFailure(error)))
                }
            }
        case .announce: run { [records] _ in await records.coordination?.announceChange() }
        case .request(let id, let request): beginRequests().send(request, id: id)
        case .authenticate(let id, let waiter, let requirement): authenticate(id, waiter, requirement)
        case .cancelAuthentication: authentication?.cancel()
        case .revoke(let value, let isCertain):
            guard let revocations else { return }
            revoke { if isCertain { _ = await revocations.add(value) } else { await revocations.keep(value) } }
        case .publish(let state):
            let isRestored = broadcast.current == .restoring
            broadcast.send(state)
            if isRestored, case .signedOut = state, let revocations { revoke { _ = await revocations.retry() } }
        case .publishStepUp(let requirement):
            stepUpBroadcast.send(requirement)
            if requirement != nil { stepUpRefusalBroadcast.send(stepUpRefusals + 1) }
        case .resume(let waiter, let result):
            authenticators[waiter] = nil
            waiters.resume(waiter, with: result)
        }
    }

    /// Returns the task that sends the requests of the running refresh.
    ///
    /// It is created in the task of the caller that begins the refresh, so that the requests inherit its task-local
    /// values.
    @discardableResult
    func beginRequests() -> RequestRunner<Value> {
        if let requests { return requests }
        let runner = RequestRunner(of: self, on: executor)
        requests = runner
        return runner
    }

    /// Begins a task of the session, which no caller's cancellation, priority or task-local value reaches.
    ///
    /// It has a high priority, because the most urgent caller may wait for it.
    @discardableResult
    private func run(_ body: @escaping @Sendable (Session) async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor, priority: .high) { await body(self) }
    }

    /// Runs an attempt to revoke credentials, which `settled(within:)` waits for.
    private func revoke(_ body: @escaping @Sendable () async -> Void) {
        revoking.attempts += 1
        run { session in
            await body()
            await session.revocationEnded()
        }
    }

    private func revocationEnded() {
        revoking.attempts -= 1
        for waiter in revoking.waiters { waiters.resume(waiter, with: .success(nil)) }
        revoking.waiters = []
    }

    private static func result<Success>(
        _ body: () async throws -> Success
    ) async -> Result<Success, SessionFailure> {
        do { return .success(try await body()) } catch { return .failure(SessionFailure(error)) }
    }

    private func enter(_ section: SessionSection, waits: Bool) {
        guard let coordination = records.coordination else { return send(.entered(section, .entered)) }
        entries[section] = run { session in
            do {
                let lock = waits ? try await coordination.enter(section) : try await coordination.enterIfFree(section)
                await session.entered(
                    section, lock, lock == nil ? .occupied(by: coordination.holder(of: section)) : .entered)
            } catch is CancellationError {
                await session.entered(section, nil, .occupied(by: coordination.holder(of: section)))
            } catch {
                await session.entered(section, nil, .failed(SessionFailure(error)))
            }
        }
    }

    private func entered(
        _ section: SessionSection, _ lock: SessionLock?, _ entry: SessionMachine<Value>.Entry
    ) {
        entries[section] = nil
        locks[section] = lock
        send(.entered(section, entry))
    }

    private func authenticate(_ id: Int, _ waiter: Int, _ requirement: StepUpRequirement) {
        guard let satisfy = authenticators.removeValue(forKey: waiter) else { return }
        authentication = Task(executorPreference: executor) {
            let result = await Self.result {
                try await ActiveRefreshes.of(self) { try await satisfy(requirement) }
            }
            await self.send(.authenticated(request: id, result))
        }
    }

    /// Sends a request to the issuer, as long as no other process may do so.
    func respond(to request: RefreshRequest<Value>, id: Int) async {
        let (sent, lock) = (clock.now, locks[.refresh])
        let mayBeSent: @Sendable () -> Bool = { [isShared = records.coordination != nil] in lock?.isHeld ?? !isShared }
        guard mayBeSent() else { return send(.responded(request: id, .withdrawn)) }
        do {
            let fresh = try await ActiveRefreshes.of(self, while: mayBeSent) { try await refresh(request) }
            let offset = fresh.issued.map { ClockOffset.seconds(to: $0, sent: sent, received: clock.now) }
            send(.responded(request: id, .issued(fresh, clockOffset: offset)))
        } catch let error as IncompleteRefresh<Value> {
            let failure = IssuerFailure(error.error, now: clock.now)
            send(.responded(request: id, .incomplete(error.grant, failure)))
        } catch {
            let failure = IssuerFailure(error, now: clock.now)
            send(.responded(request: id, failure.isUnsent && !mayBeSent() ? .withdrawn : .failed(failure)))
        }
    }
}

// MARK: - Time

extension Session {
    /// Returns the credential if it needs no refresh: the fast path of nearly every request, without the actor.
    @inlinable
    nonisolated func freshSnapshot(for target: TokenTarget? = nil) -> CredentialSnapshot<Value>? {
        guard target == nil else { return nil }
        let now = clock.now
        return view.withLock { view in
            guard let current = view.current, now.addingTimeInterval(view.clockOffset) < view.due else { return nil }
            return CredentialSnapshot(credential: current, generation: view.generation)
        }
    }

    /// Corrects the clock by the `Date` of the issuer's response.
    ///
    /// The state changes if that makes the credential expired, or fresh again.
    ///
    /// - Parameter sent: The time of the request by this session's clock.
    package nonisolated func observe(issuerDate: Date, ofRequestSentAt sent: Date) {
        let now = clock.now
        let offset = ClockOffset.seconds(to: issuerDate, sent: sent, received: now)
        let hasMoved = view.withLock { view in
            defer { view.clockOffset = offset }
            return view.clockOffset != offset
        }
        guard hasMoved else { return }
        Task.detached(executorPreference: executor) { await self.send(.clockMeasured(offset)) }
    }

    /// Waits until the machine's next action.
    private func wait(_ now: SessionMoment) {
        guard let wait = machine.wait(now) else {
            timer?.task.cancel()
            timer = nil
            return
        }
        let wake = now.uptime + wait
        if let timer, timer.wake <= wake + .milliseconds(5), timer.wake >= wake - .milliseconds(5) { return }
        timer?.task.cancel()
        // An unstored successor exists only here, so it keeps its session alive.
        let keeper = machine.unstored == nil ? nil : self
        let task = Task.detached(executorPreference: executor) { [weak self, clock] in
            do { try await clock.sleep(for: wait) } catch { return }
            await (keeper ?? self)?.wake()
        }
        timer = (task, wake)
    }

    private func wake() {
        timer = nil
        send(.timePassed)
    }

    /// Listens for jumps of this device's date, because a sleeping task does not notice them.
    private func watchDate() {
        guard dateWatch == nil else { return }
        let changes = clock.dateChanges()
        dateWatch = Task.detached(executorPreference: executor) { [weak self] in
            for await _ in changes { await self?.send(.timePassed) }
        }
    }

    /// Begins to listen to the system and to other sessions over the record, once.
    func listen() {
        if lifecycle == nil, let events = LifecycleEvent.systemEvents { follow(events) }
        guard listener == nil, let coordination = records.coordination else { return }
        let changes = coordination.changes()
        listener = Task.detached(executorPreference: executor) { [weak self] in
            for await _ in changes { await self?.recordMayHaveChanged() }
        }
    }

    /// Follows the life cycle of the app.
    private func follow(_ events: AsyncStream<LifecycleEvent>) {
        lifecycle = Task.detached(executorPreference: executor) { [weak self] in
            for await event in events {
                switch event {
                case .didResume: await self?.continueAfterExpiry()
                case .protectedDataAvailable: await self?.storeWasUnlocked()
                }
            }
        }
    }

    /// Prevents the system from suspending the program while a refresh, its lock or its result could be lost.
    private func stayAwake() {
        let isBusy = machine.lock == .held || machine.needsLock
        if isBusy, !isExpired {
            guard activity == nil else { return }
            activity = SystemActivity { [weak self] in await self?.expire() }
        } else {
            activity?.end()
            activity = nil
        }
    }

    /// Releases all locks, because the system is suspending the program.
    private func expire() async {
        isExpired = true
        await prepareToSuspend(within: .zero)
    }

    /// Continues after the system has suspended the program; a call shows that the program runs again.
    func continueAfterExpiry() {
        guard isExpired else { return }
        resume()
    }

    private func recordMayHaveChanged() {
        if records.mayHaveChanged { send(.recordChanged) }
    }
}

/// The task that sends the requests of one refresh, with its caller's task-local values.
final class RequestRunner<Value: SessionCredential>: Sendable {
    private typealias Request = (request: RefreshRequest<Value>, id: Int)

    private let requests: AsyncStream<Request>.Continuation

    /// Creates a runner in the current task's context.
    init(of session: Session<Value>, on executor: (any TaskExecutor)?) {
        let (stream, requests) = AsyncStream.makeStream(of: Request.self)
        self.requests = requests
        Task(executorPreference: executor, priority: .high) { [weak session] in
            // A request that hangs must not delay the next one, because a step-up has a separate grant.
            for await (request, id) in stream {
                Task(executorPreference: executor, priority: .high) { [session] in
                    await session?.respond(to: request, id: id)
                }
            }
        }
    }

    deinit { requests.finish() }

    func send(_ request: RefreshRequest<Value>, id: Int) { requests.yield((request, id)) }
}

/// The callers that wait for a session; canceling one does not affect the others.
final class WaiterTable<Value: Sendable>: Sendable {
    /// The mutable state; a continuation is removed before it is resumed, so that it is resumed only once.
    private struct Waiting {
        var nextTicket = 0
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    }

    private let waiting = Mutex(Waiting())

    /// Returns a number that no other caller has.
    func newTicket() -> Int {
        waiting.withLock { waiting in
            waiting.nextTicket += 1
            return waiting.nextTicket
        }
    }

    /// Adds a caller.
    func add(_ ticket: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        waiting.withLock { $0.waiters[ticket] = continuation }
    }

    /// Resumes a caller.
    ///
    /// - Returns: False if the caller has already left.
    @discardableResult
    func resume(_ ticket: Int, with result: Result<Value, any Error>) -> Bool {
        guard let waiter = waiting.withLock({ $0.waiters.removeValue(forKey: ticket) }) else { return false }
        waiter.resume(with: result)
        return true
    }
}

extension SessionMachine.Effect {
    /// Whether the effect shows the state to observers.
    fileprivate var isPublication: Bool { if case .publish = self { true } else { false } }
}
