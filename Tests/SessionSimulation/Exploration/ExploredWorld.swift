// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
import LatchFoundation
import LatchTesting

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
        /// Requests to each of the resources that need an access token of their own.
        package var targets = 0
        /// Responses that rotate the credential.
        package var rotations = 0
        /// Requests whose resource requires another authentication of the user.
        package var stepUps = 0
        /// Sessions that the issuer ends.
        package var revocations = 0
        /// Callers that wait no longer.
        package var leavers = 0
        /// Steps by which the date of a process moves ahead.
        package var jumps = 0
        /// Callers that wait for rest.
        package var rests = 0

        package init(_ change: (inout Budget) -> Void = { _ in }) { change(&self) }
    }

    /// The properties of a world that no event changes.
    package struct Setting: Hashable, Sendable {
        package var processes = 2
        package var issuer = ExploredIssuer.Kind.strict(replays: .max)
        /// The resources whose requests always fail, in every way, and the ways.
        package var failures: [Step.Ending] = []
        package var failing: Set<Int> = []
        /// Of so many states one is checked for whether its session recovers; 0 for none.
        package var recoveries = 0
        /// Whether an authentication of the user brings a refresh token.
        package var stepUpsAreGrants = true
        package var keepsRecords = true
        package var isShared = true

        package init(_ change: (inout Setting) -> Void = { _ in }) { change(&self) }

        var machine: Machine {
            var policy = RefreshPolicy(
                lead: .seconds(10), jitter: .zero, pauseAfterFailure: .seconds(10), greatestShare: 0.5)
            policy.timeLimit = .seconds(30)
            policy.requestWindow = .seconds(20)
            policy.patience = .seconds(10)
            policy.confirmationDelay = .seconds(20)
            return Machine(policy: policy, keepsRecords: keepsRecords, isShared: isShared)
        }
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

    let setting: Setting
    var processes: [ExploredProcess]
    var record: TokenRecord<ExploredTicket>?
    var holders: [SessionSection: Int] = [:]
    var issuer: ExploredIssuer
    var budget: Budget
    var uses: [Int]
    var time = 0
    var starts: Int
    var signIns = 0
    var stepUps = 0
    /// The newest refresh tokens that sessions have received, by family.
    var received: [Int: Int] = [:]
    /// The credentials that were left and are not revoked, which are stored beside the record.
    var toRevoke: [ExploredTicket] = []
    /// The families that the user has signed out of.
    var signedOut: Set<Int> = []
    /// The step of the clock of the first refusal that was a gateway's.
    var doubted: Int?
    /// The caller by which a recovery is checked.
    var recovering: Int?
    /// The requests of killed processes that are on their way.
    var orphans: [ExploredProcess.Pending] = []
    /// The families that the user has left.
    var left: Set<Int> = []
    /// The tickets that the resource has refused.
    var refused: Set<ExploredTicket> = []
    /// The tickets that were stored.
    var stored: Set<ExploredTicket> = []
    /// The refresh tokens that were sent, by the keys of their requests.
    var keys: [String: [Int]] = [:]
    /// Whether a change was not announced, so that a process may not know of it.
    var isSilent = false
    package var violation: String?
    let mutation: Unhashed<Mutation>?

    /// Creates a world with a signed-in user.
    ///
    /// - Parameter mutation: A defect, to see whether it is found.
    package init(_ setting: Setting, budget: Budget, mutation: Mutation? = nil) {
        self.setting = setting
        processes = (0..<setting.processes).map { ExploredProcess(start: $0, setting.machine) }
        self.budget = budget
        self.mutation = mutation.map(Unhashed.init)
        uses = Array(repeating: budget.uses, count: setting.processes)
        starts = setting.processes
        issuer = ExploredIssuer(setting.issuer)
        let ticket = issuer.signIn(at: 0)
        stored = [ticket]
        record = TokenRecord(credential: ticket, sessionID: setting.keepsRecords ? "first" : nil)
        for number in processes.indices {
            send(.use(newWaiter(.other, in: number), .init(.record)), to: number)
            while !processes[number].pending.isEmpty { end(0, in: number, .well) }
        }
    }

    static func date(_ time: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(time) * 10) }
}

// MARK: - Steps

extension ExploredWorld {
    /// An event that may happen next.
    package enum Step: Sendable, CustomStringConvertible {
        /// What no process causes by itself.
        package enum Choice: String, Sendable {
            case use = "a request"
            case refusal = "a request whose credential was refused"
            case lateRefusal = "a request whose earlier credential was refused"
            case target = "a request to the first resource"
            case secondTarget = "a request to the second resource"
            case refusedTarget = "a request to the first resource, which refused its credential"
            case rest = "waits for rest"
            case rotate = "a response rotates the credential"
            case stepUp = "a request that requires another authentication"
            case signIn = "another user signs in"
            case signOut = "the user signs out"
            case leave = "a caller waits no longer"
            case suspend = "is about to be suspended"
            case suspendNow = "is suspended"
            case suspendUnsent = "is suspended before it has sent its request"
            case resume = "resumes"
            case jump = "the date moves ahead"
            case kill = "is killed"
        }

        /// The way in which an effect ends.
        package enum Ending: String, Sendable {
            case well, occupied, failed, lost, rejected, failedAfterwards
            case refused, userRequired, doubted, incomplete, unanswered, withdrawn
        }

        case choice(Choice, Int)
        case tick
        case revocation
        case hear(Int)
        case wake(Int)
        /// The end of a pending effect, in one of several ways.
        case end(Int, place: Int, ExploredProcess.Pending, Ending)
        case orphan(Int)
        /// The issuer hears that a credential was left.
        case revoke(Int)

        package var description: String {
            switch self {
            case .choice(let choice, let process): "\(process): \(choice.rawValue)"
            case .tick: "time passes"
            case .revocation: "the issuer ends the session"
            case .hear(let process): "\(process): hears of a change"
            case .wake(let process): "\(process): has something to do by itself"
            case .end(let process, _, let pending, let ending): "\(process): \(pending.name) ends \(ending.rawValue)"
            case .orphan: "a request arrives after its sender is gone"
            case .revoke: "a credential that was left is revoked"
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
            steps += choices(of: process, number).map { .choice($0, number) }
        }
        if budget.ticks > 0 { steps.append(.tick) }
        if budget.revocations > 0 { steps.append(.revocation) }
        if record?.credential == nil { steps += toRevoke.indices.map(Step.revoke) }
        return steps + orphans.indices.map(Step.orphan)
    }

    private func choices(of process: ExploredProcess, _ number: Int) -> [Step.Choice] {
        let current = process.machine.state.credential
        var choices: [Step.Choice] = []
        if uses[number] > 0 {
            choices.append(.use)
            if budget.refusals > 0, current != nil { choices.append(.refusal) }
            if budget.targets > 0 {
                choices.append(.target)
                if !setting.failing.isEmpty { choices.append(.secondTarget) }
                if budget.refusals > 0, current?.resources[0] != nil { choices.append(.refusedTarget) }
            }
            if budget.stepUps > 0, current != nil { choices.append(.stepUp) }
        }
        if budget.lateRefusals > 0, current?.access.number ?? 0 > 0 { choices.append(.lateRefusal) }
        if budget.rotations > 0, current != nil { choices.append(.rotate) }
        if budget.signIns > 0 { choices.append(.signIn) }
        if budget.signOuts > 0 { choices.append(.signOut) }
        if budget.leavers > 0, process.firstLeavable != nil { choices.append(.leave) }
        if budget.rests > 0 { choices.append(.rest) }
        if process.machine.suspension != .none {
            choices.append(.resume)
            if process.machine.awaitingRest.values.contains(true) {
                choices += process.isRequesting && setting.isShared ? [.suspendNow, .suspendUnsent] : [.suspendNow]
            }
        } else if budget.suspensions > 0 {
            choices.append(.suspend)
        }
        if budget.jumps > 0 { choices.append(.jump) }
        if budget.kills > 0 { choices.append(.kill) }
        return choices
    }

    private func endings(of pending: ExploredProcess.Pending, in process: Int) -> [Step.Ending] {
        let mayFail = budget.faults > 0
        switch pending {
        case .enter(let section, let waits, let isCalledBack):
            let isFree = holders[section] == nil
            if isFree { return (mayFail ? [.well, .failed] : [.well]) + (isCalledBack ? [.occupied] : []) }
            return isCalledBack || !waits ? [.occupied] : []
        case .load: return mayFail ? [.well, .failed] : [.well]
        case .save: return mayFail ? [.well, .failed, .failedAfterwards] : [.well]
        case .request where processes[process].isWithdrawn: return [.withdrawn]
        case .request(_, _, _, let target):
            if isFailing(target) { return setting.failures }
            guard mayFail else { return [.well] }
            let usual: [Step.Ending] = [.well, .failed, .rejected, .lost, .unanswered, .incomplete]
            return usual + (target == nil ? [.doubted] : [.refused, .userRequired, .doubted])
        case .response(_, _, .success), .response(_, _, .incomplete): return mayFail ? [.well, .lost] : [.well]
        case .revocation: return mayFail ? [.well, .failed] : [.well]
        case .authentication: return mayFail ? [.well, .failed] : [.well]
        case .loaded, .saved, .response: return [.well]
        }
    }

    /// Whether the requests for a target always fail.
    func isFailing(_ target: TokenTarget?) -> Bool {
        target.flatMap { ExploredTicket.targets.firstIndex(of: $0) }.map(setting.failing.contains) ?? false
    }

    /// Whether an ending uses up the budget of faults.
    func isFault(_ ending: Step.Ending, of pending: ExploredProcess.Pending) -> Bool {
        if case .request(_, _, _, let target) = pending, isFailing(target) { return false }
        switch ending {
        case .well, .occupied, .withdrawn: return false
        default: return true
        }
    }

    package func after(_ step: Step) -> ExploredWorld {
        var world = self
        world.take(step)
        world.checkRest()
        if setting.recoveries > 0, world.violation == nil, world.isSampled { world.checkRecovery() }
        return world
    }

    /// Whether this state is one of those that are checked for their recovery.
    private var isSampled: Bool {
        var hasher = Hasher()
        hash(into: &hasher)
        return UInt(bitPattern: hasher.finalize()) % UInt(setting.recoveries) == 0
    }

    mutating func take(_ step: Step) {
        switch step {
        case .choice(let choice, let number): take(choice, in: number)
        case .tick:
            budget.ticks -= 1
            time += 1
        case .revocation:
            budget.revocations -= 1
            issuer.families[issuer.families.count - 1].isRevoked = true
        case .hear(let number):
            processes[number].isNotified = false
            if !processes[number].isCurrent { send(.recordChanged, to: number) }
        case .wake(let number): send(.timePassed, to: number)
        case .end(let number, let place, _, let ending): end(place, in: number, ending)
        case .orphan(let place):
            guard case .request(_, let ticket, let key, _) = orphans.remove(at: place) else { return }
            _ = issuer.respond(to: ticket, key: key, at: time)
            violation = violation ?? issuer.violation
        case .revoke(let place): issuer.revoke(toRevoke.remove(at: place))
        }
    }

    private mutating func take(_ choice: Step.Choice, in number: Int) {
        let machine = processes[number].machine
        let current = machine.state.credential
        switch choice {
        case .use: use(.fresh, in: number)
        case .refusal:
            guard let current else { return }
            budget.refusals -= 1
            refused.insert(current)
            use(.replacing(current), in: number)
        case .target:
            budget.targets -= 1
            use(.fresh, target: ExploredTicket.targets[0], in: number)
        case .secondTarget:
            budget.targets -= 1
            use(.fresh, target: ExploredTicket.targets[1], in: number)
        case .rest:
            budget.rests -= 1
            send(.rest(newWaiter(.rest, in: number), suspends: false), to: number)
        case .refusedTarget:
            guard let token = current?.credential(for: ExploredTicket.targets[0]) else { return }
            budget.refusals -= 1
            refused.insert(token)
            use(.replacing(token), target: ExploredTicket.targets[0], in: number)
        case .lateRefusal:
            guard var old = current else { return }
            budget.lateRefusals -= 1
            uses[number] += 1
            old.number -= 1
            old.access.number -= 1
            use(.replacing(old), in: number)
        case .rotate:
            budget.rotations -= 1
            let successor = Machine.Successor { current in
                var rotated = current
                rotated.access.rotations += 1
                return rotated
            }
            send(.rotate(newWaiter(.other, in: number), generation: machine.generation, successor), to: number)
        case .stepUp:
            budget.stepUps -= 1
            uses[number] -= 1
            let requirement = StepUpRequirement(contextClasses: ["gold"])
            let waiter = newWaiter(.use(refused: nil, sawNone: record?.credential == nil), in: number)
            send(.requireStepUp(waiter, requirement, generation: machine.generation, mayAsk: true), to: number)
        case .signIn:
            budget.signIns -= 1
            signIns += 1
            send(.replace(newWaiter(.other, in: number), issuer.signIn(at: time), since: nil), to: number)
        case .signOut:
            budget.signOuts -= 1
            send(.replace(newWaiter(.signOut, in: number), nil, since: nil), to: number)
        case .leave:
            guard let waiter = processes[number].firstLeavable else { return }
            budget.leavers -= 1
            processes[number].waiters[waiter] = nil
            send(.left(waiter), to: number)
        case .suspend:
            budget.suspensions -= 1
            send(.rest(newWaiter(.suspension, in: number), suspends: true), to: number)
        case .suspendNow:
            // The system may stop the connection, and another process takes the lock.
            for (place, pending) in processes[number].pending.enumerated().reversed() {
                // What was sent arrives; its answer waits for the process.
                if case .request(_, let ticket, _, _) = pending {
                    issuer.lose(ticket)
                    end(place, in: number, .well)
                }
                if case .response(_, let ticket, _) = pending { issuer.lose(ticket) }
            }
            if let unstored = machine.unstored { issuer.lose(unstored.predecessor) }
            freeze(number)
        case .suspendUnsent:
            processes[number].isWithdrawn = true
            if let unstored = machine.unstored { issuer.lose(unstored.predecessor) }
            freeze(number)
        case .resume: send(.resume, to: number)
        case .jump:
            budget.jumps -= 1
            processes[number].skew += 1
        case .kill: kill(number)
        }
    }

    private mutating func freeze(_ number: Int) {
        for (waiter, suspends) in processes[number].machine.awaitingRest.sorted(by: { $0.key < $1.key }) where suspends
        {
            send(.suspendNow(waiter), to: number)
        }
    }

    mutating func use(_ need: Machine.Use.Need, target: TokenTarget? = nil, in number: Int) {
        uses[number] -= 1
        var refused: ExploredTicket?
        if case .replacing(let ticket) = need { refused = ticket }
        // A sign-in that has not returned yet may come after this request.
        let machine = processes[number].machine
        let sawNone =
            record?.credential == nil
            || processes.contains { $0.machine.operations.contains(where: \.isReplacement) }
        let waiter = newWaiter(.use(refused: refused, sawNone: sawNone), in: number)
        var use = Machine.Use(need, generation: refused == nil ? nil : machine.generation, target: target)
        if case .signedOut = machine.state { use.isConfirmed = processes[number].isCurrent }
        send(.use(waiter, use), to: number)
    }

    mutating func newWaiter(_ waiter: ExploredProcess.Waiter, in number: Int) -> Int {
        processes[number].nextWaiter += 1
        processes[number].waiters[processes[number].nextWaiter] = waiter
        return processes[number].nextWaiter
    }

    private mutating func kill(_ number: Int) {
        budget.kills -= 1
        for pending in processes[number].pending {
            switch pending {
            case .request(_, let ticket, _, _):
                orphans.append(pending)
                issuer.lose(ticket)
            case .response(_, let ticket, _): issuer.lose(ticket)
            case .saved: isSilent = true
            case .revocation(let ticket): toRevoke.append(ticket)
            default: break
            }
        }
        if let unstored = processes[number].machine.unstored {
            issuer.lose(unstored.predecessor)
            // Only its memory held the successor.
            received[unstored.value.family] = nil
        }
        if case .verifying? = processes[number].machine.operations.first?.phase { isSilent = true }
        for (section, holder) in holders where holder == number { holders[section] = nil }
        processes[number] = ExploredProcess(start: starts, setting.machine)
        starts += 1
    }

    /// Returns the first violation.
    func violated(_ rule: String) -> String { violation ?? rule }
}

extension ExploredProcess {
    /// Whether a request is on its way to the issuer.
    var isRequesting: Bool { pending.contains { if case .request = $0 { true } else { false } } }

    /// The first caller that may leave.
    var firstLeavable: Int? {
        waiters.filter { if case .use = $0.value { true } else { false } }.keys.min()
    }
}
