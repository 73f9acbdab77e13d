// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchTesting
package import PortableFoundation

/// The session's machine in several processes over one record, with an issuer: every order of events, and every fault.
package struct ExploredWorld: ExploredModel {
    package typealias Machine = SessionMachine<ExploredTicket>

    /// The numbers of the events that no process causes by itself.
    package struct Budget: Hashable, Sendable {
        /// Requests of callers, in each process.
        package var uses = 2
        package var signIns = 0
        package var signOuts = 0
        /// Steps of the clock.
        package var ticks = 0
        /// Failures of the store, the locks, the issuer and the network.
        package var faults = 0
        package var kills = 0
        /// Access tokens that the resource refuses before they expire.
        package var refusals = 1
        package var suspensions = 0
        /// Refusals that arrive when the credential has a successor already.
        package var lateRefusals = 0

        package init(_ change: (inout Budget) -> Void = { _ in }) { change(&self) }
    }

    /// A defect that is put into the session from outside, to see whether the exploration finds it.
    package struct Mutation: Sendable {
        package let name: String
        /// Changes the machine and the event before the machine sees it.
        package var before: @Sendable (inout Machine, inout Machine.Event) -> Void = { _, _ in }
        /// Changes the machine and the effects after an event.
        package var after: @Sendable (inout Machine, inout [Machine.Effect], Machine.Event) -> Void = { _, _, _ in }

        package init(_ name: String, before: @escaping @Sendable (inout Machine, inout Machine.Event) -> Void) {
            (self.name, self.before) = (name, before)
        }

        package init(
            _ name: String, after: @escaping @Sendable (inout Machine, inout [Machine.Effect], Machine.Event) -> Void
        ) {
            (self.name, self.after) = (name, after)
        }
    }

    private var processes: [ExploredProcess]
    private var record: TokenRecord<ExploredTicket>?
    private var holders: [SessionSection: Int] = [:]
    private var issuer: ExploredIssuer
    private var budget: Budget
    private var uses: [Int]
    private var time = 0
    private var starts: Int
    private var signIns = 0
    /// The requests of killed processes that are on their way.
    private var orphans: [ExploredProcess.Pending] = []
    /// The families that the user has left.
    private var left: Set<Int> = []
    /// The tickets that the resource has refused.
    private var refused: Set<ExploredTicket> = []
    /// The tickets that were stored.
    private var stored: Set<ExploredTicket> = []
    /// Whether a change was not announced, so that a process may not know of it.
    private var isSilent = false
    /// Whether a response was lost, or a request left behind, so that an issuer without a replay window ends the session.
    private var mayReuse: Bool
    package private(set) var violation: String?
    private let mutation: Shared<Mutation>?

    /// Creates a world with a signed-in user.
    ///
    /// - Parameters:
    ///   - processes: The number of processes.
    ///   - repeats: Whether the issuer repeats a response under the same key.
    ///   - mutation: A defect, to see whether it is found.
    package init(processes: Int, repeats: Bool = true, budget: Budget, mutation: Mutation? = nil) {
        self.processes = (0..<processes).map { ExploredProcess(start: $0) }
        self.budget = budget
        self.mutation = mutation.map(Shared.init)
        uses = Array(repeating: budget.uses, count: processes)
        starts = processes
        issuer = ExploredIssuer(repeats: repeats)
        mayReuse = !repeats
        let ticket = issuer.signIn(at: 0)
        stored = [ticket]
        record = TokenRecord(credential: ticket, sessionID: "first")
        if !repeats { mayReuse = false }
        for number in self.processes.indices {
            send(.restore(newWaiter(.other, in: number)), to: number)
            while !self.processes[number].pending.isEmpty { end(0, in: number, .well) }
        }
    }

    static func date(_ time: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(time) * 10) }
}

/// A value that plays no part in the identity of a state.
private struct Shared<Value: Sendable>: Hashable, Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
    static func == (one: Self, other: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

// MARK: - Steps

extension ExploredWorld {
    /// An event that may happen next.
    package enum Step: Sendable, CustomStringConvertible {
        case use(Int)
        case refusal(Int), lateRefusal(Int)
        case signIn(Int)
        case signOut(Int)
        case suspend(Int), suspendNow(Int), resume(Int)
        case hear(Int)
        case tick
        case wake(Int)
        case kill(Int)
        /// The end of a pending effect, in one of several ways.
        case end(Int, place: Int, ExploredProcess.Pending, Ending)
        case orphan(Int)

        /// The way in which an effect ends.
        package enum Ending: String, Sendable {
            case well, busy, abandoned, failed, lost, failedAfterwards
        }

        package var description: String {
            switch self {
            case .use(let process): "\(process): a request"
            case .refusal(let process): "\(process): a request whose credential was refused"
            case .lateRefusal(let process): "\(process): a request whose earlier credential was refused"
            case .signIn(let process): "\(process): another user signs in"
            case .signOut(let process): "\(process): the user signs out"
            case .suspend(let process): "\(process): is about to be suspended"
            case .suspendNow(let process): "\(process): is suspended"
            case .resume(let process): "\(process): resumes"
            case .hear(let process): "\(process): hears of a change"
            case .tick: "time passes"
            case .wake(let process): "\(process): has something to do by itself"
            case .kill(let process): "\(process): is killed"
            case .end(let process, _, let pending, let ending): "\(process): \(pending.name) ends \(ending.rawValue)"
            case .orphan: "a request arrives after its sender is gone"
            }
        }
    }

    package var steps: [Step] {
        var steps: [Step] = []
        for (number, process) in processes.enumerated() {
            for (place, pending) in process.pending.enumerated() {
                steps += endings(of: pending, in: number).map { .end(number, place: place, pending, $0) }
            }
            if process.isNotified { steps.append(.hear(number)) }
            if process.machine.wait(moment(of: process)) == .zero { steps.append(.wake(number)) }
            if uses[number] > 0 {
                steps.append(.use(number))
                if budget.refusals > 0, process.machine.state.credential != nil { steps.append(.refusal(number)) }
            }
            if budget.lateRefusals > 0, process.machine.state.credential?.number ?? 0 > 0 {
                steps.append(.lateRefusal(number))
            }
            if budget.signIns > 0 { steps.append(.signIn(number)) }
            if budget.signOuts > 0 { steps.append(.signOut(number)) }
            if process.machine.isSuspended {
                if !process.machine.awaitingRest.isEmpty { steps.append(.suspendNow(number)) }
                steps.append(.resume(number))
            } else if budget.suspensions > 0 {
                steps.append(.suspend(number))
            }
            if budget.kills > 0 { steps.append(.kill(number)) }
        }
        if budget.ticks > 0 { steps.append(.tick) }
        return steps + orphans.indices.map(Step.orphan)
    }

    private func endings(of pending: ExploredProcess.Pending, in process: Int) -> [Step.Ending] {
        let mayFail = budget.faults > 0
        switch pending {
        case .enter(let section, let waits, let isCalledBack):
            let isFree = holders[section] == nil
            if isFree { return (mayFail ? [.well, .failed] : [.well]) + (isCalledBack ? [.abandoned] : []) }
            return isCalledBack ? [.abandoned] : waits ? [] : [.busy]
        case .load: return mayFail ? [.well, .failed] : [.well]
        case .save: return mayFail ? [.well, .failed, .failedAfterwards] : [.well]
        case .request: return mayFail ? [.well, .failed, .lost] : [.well]
        case .response(_, .success): return mayFail ? [.well, .lost] : [.well]
        case .loaded, .saved, .response: return [.well]
        }
    }

    package func after(_ step: Step) -> ExploredWorld {
        var world = self
        world.take(step)
        world.checkRest()
        return world
    }

    private mutating func take(_ step: Step) {
        switch step {
        case .use(let number):
            uses[number] -= 1
            let waiter = newWaiter(.use(refused: nil, sawNone: record?.credential == nil), in: number)
            send(.use(waiter, .init(.fresh)), to: number)
        case .refusal(let number):
            guard let refused = processes[number].machine.state.credential else { return }
            uses[number] -= 1
            budget.refusals -= 1
            self.refused.insert(refused)
            let waiter = newWaiter(.use(refused: refused, sawNone: record?.credential == nil), in: number)
            let generation = processes[number].machine.generation
            send(.use(waiter, .init(.replacing(refused), generation: generation)), to: number)
        case .lateRefusal(let number):
            guard var old = processes[number].machine.state.credential else { return }
            budget.lateRefusals -= 1
            old.number -= 1
            let waiter = newWaiter(.use(refused: old, sawNone: record?.credential == nil), in: number)
            let generation = processes[number].machine.generation
            send(.use(waiter, .init(.replacing(old), generation: generation)), to: number)
        case .signIn(let number):
            budget.signIns -= 1
            signIns += 1
            send(.signIn(newWaiter(.other, in: number), issuer.signIn(at: time), since: nil), to: number)
        case .signOut(let number):
            budget.signOuts -= 1
            send(.signOut(newWaiter(.other, in: number)), to: number)
        case .suspend(let number):
            budget.suspensions -= 1
            send(.suspend(newWaiter(.suspension, in: number)), to: number)
        case .suspendNow(let number):
            for waiter in processes[number].machine.awaitingRest { send(.suspendNow(waiter), to: number) }
        case .resume(let number): send(.resume, to: number)
        case .hear(let number):
            processes[number].isNotified = false
            send(.recordChanged, to: number)
        case .tick:
            budget.ticks -= 1
            time += 1
        case .wake(let number): send(.timePassed, to: number)
        case .kill(let number): kill(number)
        case .end(let number, let place, _, let ending): end(place, in: number, ending)
        case .orphan(let place):
            guard case .request(_, let ticket, let key) = orphans.remove(at: place) else { return }
            _ = issuer.respond(to: ticket, key: key, at: time, mayReuse: mayReuse)
            violation = violation ?? issuer.violation
        }
    }

    private mutating func newWaiter(_ waiter: ExploredProcess.Waiter, in number: Int) -> Int {
        processes[number].nextWaiter += 1
        processes[number].waiters[processes[number].nextWaiter] = waiter
        return processes[number].nextWaiter
    }

    private mutating func kill(_ number: Int) {
        budget.kills -= 1
        for pending in processes[number].pending {
            switch pending {
            case .request: orphans.append(pending)
            case .saved: isSilent = true
            default: break
            }
            switch pending {
            case .request, .response: loseResponse()
            default: break
            }
        }
        if processes[number].machine.unstored != nil { loseResponse() }
        if case .verifying? = processes[number].machine.operations.first?.phase { isSilent = true }
        for (section, holder) in holders where holder == number { holders[section] = nil }
        processes[number] = ExploredProcess(start: starts)
        starts += 1
    }

    private mutating func loseResponse() {
        if !issuer.repeats { mayReuse = true }
    }

    private mutating func end(_ place: Int, in number: Int, _ ending: Step.Ending) {
        let pending = processes[number].pending.remove(at: place)
        if [.failed, .lost, .failedAfterwards].contains(ending) { budget.faults -= 1 }
        let failure = SessionFailure(AuthError.storeLocked)
        switch (pending, ending) {
        case (.enter(let section, _, _), .well):
            holders[section] = number
            send(.entered(section, .entered), to: number)
        case (.enter(let section, _, _), .busy): send(.entered(section, .busy), to: number)
        case (.enter(let section, _, _), .abandoned): send(.entered(section, .abandoned(holder: "x")), to: number)
        case (.enter(let section, _, _), _): send(.entered(section, .failed(failure)), to: number)
        case (.load, .well):
            guard processes[number].machine.operations.first?.readsOnly == true else {
                return send(.loaded(.success(record)), to: number)
            }
            processes[number].pending.append(.loaded(record))
        case (.load, _): send(.loaded(.failure(failure)), to: number)
        case (.loaded(let record), _): send(.loaded(.success(record)), to: number)
        case (.save(let new), .well):
            write(new, by: number)
            processes[number].pending.append(.saved)
        case (.save(let new), .failedAfterwards):
            write(new, by: number)
            send(.saved(failure), to: number)
        case (.save, _): send(.saved(failure), to: number)
        case (.saved, _): send(.saved(nil), to: number)
        case (.request(let id, let ticket, let key), .well):
            let response = issuer.respond(to: ticket, key: key, at: time, mayReuse: mayReuse)
            violation = violation ?? issuer.violation
            processes[number].pending.append(.response(id: id, response))
            // A connection that was closed before a later request was answered carries nothing any more.
            orphans.removeAll { orphan in
                guard case .request(_, let old, _) = orphan else { return false }
                return old.family == ticket.family && old.number < ticket.number
            }
        case (.request(let id, _, _), .failed): processes[number].pending.append(.response(id: id, .unavailable))
        case (.request(let id, _, _), _): processes[number].pending.append(.response(id: id, .lost))
        case (.response(let id, _), .lost):
            loseResponse()
            send(.responded(request: id, .failure(IssuerFailure(.unanswered, AuthError.refreshFailed))), to: number)
        case (.response(let id, let response), _): send(.responded(request: id, result(of: response)), to: number)
        }
    }

    private func result(of response: ExploredResponse) -> Result<ExploredTicket, IssuerFailure> {
        switch response {
        case .success(let ticket): .success(ticket)
        case .ended: .failure(IssuerFailure(.ended, AuthError.reauthenticationRequired))
        case .unavailable: .failure(IssuerFailure(.failed, AuthError.refreshFailed))
        case .lost: .failure(IssuerFailure(.unanswered, AuthError.refreshFailed))
        }
    }
}

// MARK: - Events and effects

extension ExploredWorld {
    private func moment(of process: ExploredProcess) -> SessionMoment {
        // Identifiers that no other event has, and no random share of anything.
        let seed = UInt64(process.start * 16 + signIns) * 256 + UInt64(process.machine.requestCount)
        return SessionMoment(
            date: Self.date(time), uptime: .seconds(time * 10), random: RandomSource { seed })
    }

    private mutating func send(_ event: Machine.Event, to number: Int) {
        var event = event
        var machine = processes[number].machine
        mutation?.value.before(&machine, &event)
        var effects = machine.handle(event, moment(of: processes[number]))
        mutation?.value.after(&machine, &effects, event)
        processes[number].machine = machine
        for effect in effects { perform(effect, in: number) }
    }

    private mutating func perform(_ effect: Machine.Effect, in number: Int) {
        switch effect {
        case .enter(let section, let waits):
            processes[number].pending.append(.enter(section, waits: waits, isCalledBack: false))
        case .leaveQueue(let section):
            processes[number].pending = processes[number].pending.map { pending in
                guard case .enter(section, let waits, _) = pending else { return pending }
                return .enter(section, waits: waits, isCalledBack: true)
            }
        case .leave(let section):
            if holders[section] != number { violated("\(number) leaves \(section) without being inside") }
            holders[section] = nil
        case .load: processes[number].pending.append(.load)
        case .save(let record): processes[number].pending.append(.save(record))
        case .announce:
            for other in processes.indices where other != number { processes[other].isNotified = true }
        case .request(let id, let request):
            let ticket = request.credential
            if !refused.contains(ticket), time < ticket.born + ExploredTicket.life - 1 {
                violated("\(ticket) is refreshed for no reason")
            }
            processes[number].pending.append(.request(id: id, ticket, key: request.idempotencyKey))
        case .cancelRequest(let id): cancelRequest(id, in: number)
        case .resume(let waiter, let result): resumed(waiter, result, in: number)
        case .authenticate, .cancelAuthentication, .revoke, .publish, .publishStepUp: break
        }
    }

    /// The request may have arrived; its sender hears no more of it than that it was cancelled.
    private mutating func cancelRequest(_ id: Int, in number: Int) {
        for (place, pending) in processes[number].pending.enumerated() {
            switch pending {
            case .request(id, _, _):
                orphans.append(pending)
                processes[number].pending[place] = .response(id: id, .lost)
                loseResponse()
            // It may have arrived before it was cancelled.
            default: break
            }
        }
    }

    private mutating func violated(_ rule: String) { violation = violation ?? rule }
}

// MARK: - Rules

extension ExploredWorld {
    /// Checks a change of the record.
    private mutating func write(_ new: TokenRecord<ExploredTicket>?, by number: Int) {
        let isReplacement = processes[number].machine.operations.first?.isReplacement == true
        if let old = record?.credential {
            if new?.credential?.family != old.family {
                let isRevoked = issuer.families[old.family].isRevoked
                if !isReplacement, !isRevoked { violated("\(old) was given up, by neither the user nor the issuer") }
                left.insert(old.family)
            } else if let next = new?.credential, next.number < old.number {
                violated("\(old) was replaced by the older \(next)")
            }
        }
        if let next = new?.credential {
            if left.contains(next.family) { violated("\(next), which was left, came back") }
            stored.insert(next)
        }
        record = new
        guard new?.credential == nil else { return }
        for process in processes.indices {
            for (waiter, kind) in processes[process].waiters {
                guard case .use(let refused, _) = kind else { continue }
                processes[process].waiters[waiter] = .use(refused: refused, sawNone: true)
            }
        }
    }

    /// Checks the result that a caller gets.
    private mutating func resumed(
        _ waiter: Int, _ result: Result<CredentialSnapshot<ExploredTicket>?, any Error>, in number: Int
    ) {
        guard let kind = processes[number].waiters.removeValue(forKey: waiter) else {
            return violated("a caller continues twice")
        }
        if processes[number].machine.isSuspended, kind == .suspension, holders.values.contains(number) {
            violated("\(number) is suspended while it holds a lock")
        }
        guard case .use(let refused, let sawNone) = kind else { return }
        let families = issuer.families
        switch result {
        case .success(let snapshot?):
            if !stored.contains(snapshot.credential) {
                violated("\(snapshot.credential) is used before it is stored")
            }
            if let refused, refused == snapshot.credential { violated("a caller gets the credential that was refused") }
        case .success(nil): break
        case .failure(AuthError.missingToken):
            if !sawNone { violated("a caller hears that nobody is signed in") }
        case .failure(AuthError.reauthenticationRequired):
            if !families.contains(where: \.isRevoked) { violated("a caller hears that the issuer ended the session") }
        case .failure: break
        }
    }

    /// Checks that nothing waits forever once nothing is on its way.
    private mutating func checkRest() {
        guard violation == nil, orphans.isEmpty,
            processes.allSatisfy({ $0.pending.isEmpty && !$0.isNotified && !$0.machine.isSuspended })
        else { return }
        for (number, process) in processes.enumerated() {
            let machine = process.machine
            if machine.wait(moment(of: process)) == .zero { return }
            if !process.waiters.isEmpty { return violated("\(number): a caller waits forever") }
            if machine.unstored == nil, holders.values.contains(number) {
                return violated("\(number): a lock is never released")
            }
            guard !isSilent, machine.unstored == nil, machine.staleness == nil, !machine.isUnread,
                processes.allSatisfy({ $0.machine.unstored == nil })
            else { continue }
            if machine.state.credential != record?.credential, machine.refusedByIssuer == nil {
                return violated("\(number): the session holds \(machine.state), and the store something else")
            }
        }
    }
}
