// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

extension SessionScenario {
    /// After the storm: the session of a process is what the person last made of it, and memory and disk agree.
    func verify(_ process: SimulatedProcess, last: Result<HTTPStatus, any Error>?) {
        guard let session = session(of: process) else { return }
        let state = session.currentState
        let process = process.id
        let kept = disk.record?.credential
        switch record.withLock({ $0.expectation }) {
        case .signedIn(let family) where issuer.inspect({ $0.families[family].isRevoked }):
            guard case .failure(AuthError.reauthenticationRequired)? = last else {
                return violated("\(process): a session that the issuer ended goes on: \(String(describing: last))")
            }
            if state != .signedOut(.issuer) { violated("\(process): the issuer's end is not seen: \(state)") }
        case .signedIn(let family):
            guard case .success(.ok)? = last else {
                return violated("\(process): lost: \(String(describing: last)) in state \(state)")
            }
            let current = SimulatedIssuer.parse(state.credential?.access ?? "", "a")?.family
            if current != family { violated("\(process): the session holds another account's credential") }
            if kept != state.credential { violated("\(process): the store and the session differ") }
        case .signedOut:
            guard case .failure(AuthError.missingToken)? = last else {
                return violated("\(process): resurrected: \(String(describing: last)) in state \(state)")
            }
            if kept != nil { violated("\(process): the store holds a credential after the sign-out") }
        }
        verifyObservers(of: process, against: state)
    }

    /// Nobody missed the last state, saw one twice, or saw another history than the others.
    private func verifyObservers(of process: Int, against state: Session<Tokens>.State) {
        let observed = record.withLock { $0.lives[process].observed }
        for (observer, states) in observed.enumerated() {
            let name = "observer \(process).\(observer)"
            if states.last != state { violated("\(name) does not know the current state") }
            if zip(states, states.dropFirst()).contains(where: ==) { violated("\(name) saw a state twice") }
        }
        if observed[0] != observed[1] { violated("two observers saw different histories") }
    }

    /// Each version of a credential was renewed once; only a lost answer allows a repeat.
    func verifyLedger() {
        let ledger = issuer.inspect { $0 }
        for (token, count) in ledger.renewals where count - ledger.faults[token, default: 0] > 1 {
            violated("\(token) was renewed \(count) times with \(ledger.faults[token, default: 0]) faults")
        }
        for life in record.withLock({ $0.lives }) where !life.process.isKilled {
            if life.open != 0 || life.watching != 0 { violated("a task or a stream does not end") }
        }
    }
}
