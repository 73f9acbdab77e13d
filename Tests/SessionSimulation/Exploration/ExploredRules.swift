// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchTesting

// The rules that hold in every order of events.

extension ExploredWorld {
    /// Checks a change of the record.
    mutating func write(_ new: TokenRecord<ExploredTicket>?, by number: Int) {
        checkWrite(new, by: number)
        if let ticket = new?.credential { stored.insert(ticket) }
        record = setting.keepsRecords ? new : new?.credential.map { TokenRecord(credential: $0) }
        for process in processes.indices {
            processes[process].isCurrent = process == number
            guard new?.credential == nil else { continue }
            for (waiter, kind) in processes[process].waiters {
                guard case .use(let refused, _) = kind else { continue }
                processes[process].waiters[waiter] = .use(refused: refused, sawNone: true)
            }
        }
    }

    private mutating func checkWrite(_ new: TokenRecord<ExploredTicket>?, by number: Int) {
        let operation = processes[number].machine.operations.first
        if let old = record?.credential {
            let next = new?.credential
            if next?.family != old.family {
                let isByUser = operation?.isReplacement == true || operation?.isStepUp == true && next != nil
                // Where a write that failed cannot be checked, nobody knows what the store holds.
                let isRefused = issuer.kind == .rotating && issuer.lost.contains([old.family, old.number])
                let isConfirmed = doubted.map { (time + processes[number].skew - $0) * 10 >= 20 } ?? false
                if !isByUser, !isSilent, !isRefused, !isConfirmed, !issuer.families[old.family].isRevoked {
                    violation = violated("\(old) was given up, by neither the user nor the issuer")
                }
                left.insert(old.family)
            } else if let next, next.number < old.number {
                violation = violated("\(old) was replaced by the older \(next)")
            } else if let next, next.access.number == old.access.number, next.access.strength == old.access.strength,
                next.access.rotations < old.access.rotations
            {
                violation = violated("the rotation of \(old) was undone by \(next)")
            }
        }
        if let next = new?.credential, left.contains(next.family), !isSilent {
            violation = violated("\(next), which was left, came back")
        }
    }

    /// Checks the result that a caller gets.
    mutating func resumed(
        _ waiter: Int, _ result: Result<CredentialSnapshot<ExploredTicket>?, any Error>, in number: Int
    ) {
        guard let kind = processes[number].waiters.removeValue(forKey: waiter) else {
            violation = violated("a caller continues twice, or after it has left")
            return
        }
        if processes[number].machine.suspension != .none, kind == .suspension, holders.values.contains(number) {
            violation = violated("\(number) is suspended while it holds a lock")
        }
        if kind == .rest { checkSettled(number) }
        if kind == .signOut, case .success(let snapshot?) = result {
            signedOut.insert(snapshot.credential.family)
            processes[number].pending.append(.revocation(snapshot.credential))
        }
        guard case .use(let refused, let sawNone) = kind else { return }
        if recovering == waiter, case .success(let snapshot?) = result, snapshot.credential.access.born >= time - 1 {
            recovering = nil
        }
        switch result {
        case .success(let snapshot?):
            check(snapshot.credential, insteadOf: refused)
            // A step-up begins a family of the same user, who may go on with both.
            if stepUps == 0, let known = processes[number].known, known.family != snapshot.credential.family {
                violation = violated("\(snapshot.credential) is used by a process that knows that it was left")
            }
        case .success(nil): violation = violated("a caller gets nothing")
        case .failure(AuthError.missingToken):
            if !sawNone { violation = violated("a caller hears that nobody is signed in") }
        case .failure(AuthError.reauthenticationRequired):
            if !issuer.families.contains(where: \.isRevoked), issuer.kind != .rotating, doubted == nil {
                violation = violated("a caller hears that the issuer ended the session")
            }
        case .failure: break
        }
    }

    private mutating func check(_ ticket: ExploredTicket, insteadOf refused: ExploredTicket?) {
        let isStored = stored.contains { stored in
            var token = stored.credential(for: ticket.resource.map { ExploredTicket.targets[$0] })
            // A response rotates a credential whether that can be stored or not.
            token?.access.rotations = ticket.access.rotations
            return token.map { $0.hasSameAccessToken(as: ticket) } ?? false
        }
        if !isStored { violation = violated("\(ticket) is used before it is stored") }
        if let refused, refused.hasSameAccessToken(as: ticket) {
            violation = violated("a caller gets the credential that was refused")
        }
    }

    /// Checks that nothing waits forever once nothing is on its way.
    mutating func checkRest() {
        guard violation == nil, orphans.isEmpty,
            processes.allSatisfy({ $0.pending.isEmpty && !$0.isNotified && $0.machine.suspension == .none })
        else { return }
        for (number, process) in processes.enumerated() {
            let machine = process.machine
            if machine.wait(moment(of: process)) == .zero { return }
            if process.waiters.contains(where: { $0.value != .rest || machine.unstored == nil }) {
                violation = violated("\(number): a caller waits forever")
                return
            }
            if machine.unstored == nil, holders.values.contains(number) {
                violation = violated("\(number): a lock is never released")
                return
            }
            guard !isSilent, machine.unstored == nil, machine.staleness == nil, !machine.state.isUnread,
                processes.allSatisfy({ $0.machine.unstored == nil })
            else { continue }
            if let held = record?.credential, held.number < received[held.family] ?? 0 {
                violation = violated("the record holds \(held), and a newer refresh token was received")
            }
            if machine.state.credential != record?.credential, machine.refusedByIssuer == nil {
                violation = violated("\(number): the session holds \(machine.state), and the store something else")
            }
        }
        // Where nobody was killed in between, the server knows of each sign-out.
        guard !isSilent, toRevoke.isEmpty, record?.credential == nil else { return }
        for family in signedOut where !issuer.families[family].isRevoked && !issuer.mayHaveLost(family) {
            violation = violated("the server does not know that the user has left family \(family)")
        }
    }

    /// Checks that the end of a process that was told that it is at rest loses nothing.
    private mutating func checkSettled(_ number: Int) {
        let isBusy = processes[number].pending.contains { pending in
            switch pending {
            case .request, .response, .save, .saved: true
            default: false
            }
        }
        if isBusy || processes[number].machine.unstored != nil {
            violation = violated("\(number) is told that it is at rest, and something is under way")
        }
    }

    /// Checks that the session recovers once everything ends well, within a bound: each process gets a fresh credential.
    mutating func checkRecovery() {
        var world = self
        world.budget = Budget { ($0.uses, $0.refusals) = (0, 0) }
        world.calmDown()
        guard world.violation == nil, let ticket = world.record?.credential else { return }
        guard !world.issuer.families[ticket.family].isRevoked, !world.issuer.mayHaveLost(ticket.family) else { return }
        // What waits for a pause or a store goes on; in the end every pause is over, and the credential has expired.
        for step in [1, 1, 1, 1, 200] {
            world.calmDown()
            world.time += step
        }
        for number in world.processes.indices {
            let waiter = world.processes[number].nextWaiter + 1
            world.recovering = waiter
            world.use(.fresh, in: number)
            world.calmDown()
            guard world.violation == nil else {
                violation = violated("in calm: \(world.violation ?? "")")
                return
            }
            if world.recovering != nil {
                violation = violated("\(number) does not recover, with \(ticket)")
                return
            }
        }
    }

    /// Lets everything end well, in turn.
    private mutating func calmDown() {
        for _ in 0..<80 {
            guard violation == nil, let step = calmStep else { return }
            take(step)
        }
        violation = violated("calm brings no rest")
    }

    private var calmStep: Step? {
        for (number, process) in processes.enumerated() {
            if process.machine.suspension != .none { return .choice(.resume, number) }
            for (place, pending) in process.pending.enumerated() {
                guard let ending = calmEnding(of: pending, in: number) else { continue }
                return .end(number, place: place, pending, ending)
            }
            if process.isNotified { return .hear(number) }
            if process.machine.wait(moment(of: process)) == .zero { return .wake(number) }
        }
        return orphans.isEmpty ? nil : .orphan(0)
    }

    /// Returns how an effect ends in calm; nil while it waits for a lock.
    private func calmEnding(of pending: ExploredProcess.Pending, in number: Int) -> Step.Ending? {
        switch pending {
        case .enter(let section, let waits, let isCalledBack):
            if holders[section] == nil { return .well }
            return isCalledBack || !waits ? .occupied : nil
        case .request where processes[number].isWithdrawn: return .withdrawn
        case .request(_, _, _, let target): return isFailing(target) ? setting.failures.first : .well
        default: return .well
        }
    }
}

extension SessionMachine.StoreOperation {
    /// Whether it stores a new authentication of the same user.
    var isStepUp: Bool { if case .stepUp = kind { true } else { false } }
}
