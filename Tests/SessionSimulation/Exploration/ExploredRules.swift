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
                if !isByUser, !isSilent, !issuer.families[old.family].isRevoked {
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
        if processes[number].machine.isSuspended, kind == .suspension, holders.values.contains(number) {
            violation = violated("\(number) is suspended while it holds a lock")
        }
        guard case .use(let refused, let sawNone) = kind else { return }
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
            if !issuer.families.contains(where: \.isRevoked) {
                violation = violated("a caller hears that the issuer ended the session")
            }
        case .failure: break
        }
    }

    private mutating func check(_ ticket: ExploredTicket, insteadOf refused: ExploredTicket?) {
        let isStored = stored.contains { stored in
            var token = stored.credential(for: ticket.isForResource ? ExploredTicket.target : nil)
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
            processes.allSatisfy({ $0.pending.isEmpty && !$0.isNotified && !$0.machine.isSuspended })
        else { return }
        for (number, process) in processes.enumerated() {
            let machine = process.machine
            if machine.wait(moment(of: process)) == .zero { return }
            if !process.waiters.isEmpty {
                violation = violated("\(number): a caller waits forever")
                return
            }
            if machine.unstored == nil, holders.values.contains(number) {
                violation = violated("\(number): a lock is never released")
                return
            }
            guard !isSilent, machine.unstored == nil, machine.staleness == nil, !machine.isUnread,
                processes.allSatisfy({ $0.machine.unstored == nil })
            else { continue }
            if machine.state.credential != record?.credential, machine.refusedByIssuer == nil {
                violation = violated("\(number): the session holds \(machine.state), and the store something else")
            }
        }
    }
}

extension SessionMachine.StoreOperation {
    /// Whether it stores a new authentication of the same user.
    var isStepUp: Bool { if case .stepUp = kind { true } else { false } }
}
