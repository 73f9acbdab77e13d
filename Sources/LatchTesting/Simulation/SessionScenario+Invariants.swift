// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

extension SessionScenario {
    /// After the storm: the session is what the person last made of it, and memory and store agree.
    func verify(_ session: Session<Tokens>, last: Result<HTTPStatus, any Error>?) {
        let state = session.currentState
        switch record.withLock({ $0.expectation }) {
        case .signedIn(let family) where issuer.inspect({ $0.families[family].isRevoked }):
            guard case .failure(AuthError.reauthenticationRequired)? = last else {
                return violated("a session that the issuer ended goes on: \(String(describing: last))")
            }
            if state != .signedOut(.issuer) { violated("the issuer's end is not seen: \(state)") }
        case .signedIn(let family):
            guard case .success(.ok)? = last else {
                return violated("lost: \(String(describing: last)) in state \(state)")
            }
            let kept = SimulatedIssuer.parse(state.credential?.access ?? "", "a")?.family
            if kept != family { violated("the session holds another account's credential") }
            if store.content != state.credential { violated("the store and the session differ") }
        case .signedOut:
            guard case .failure(AuthError.missingToken)? = last else {
                return violated("resurrected: \(String(describing: last)) in state \(state)")
            }
            if store.content != nil { violated("the store holds a credential after the sign-out") }
        }
        verifyObservers(against: state)
    }

    /// Nobody missed the last state, saw one twice, or saw another history than the others.
    private func verifyObservers(against state: Session<Tokens>.State) {
        let observed = record.withLock { $0.observed }
        for (observer, states) in observed {
            if states.last != state { violated("observer \(observer) does not know the current state") }
            if zip(states, states.dropFirst()).contains(where: ==) {
                violated("observer \(observer) saw a state twice")
            }
        }
        if observed[0] != observed[1] { violated("two observers saw different histories") }
    }

    /// Each version of a credential was renewed once; only a lost answer allows a repeat.
    func verifyLedger() {
        let ledger = issuer.inspect { $0 }
        for (token, count) in ledger.renewals where count - ledger.faults[token, default: 0] > 1 {
            violated("\(token) was renewed \(count) times with \(ledger.faults[token, default: 0]) faults")
        }
        if record.withLock({ $0.open }) != 0 { violated("a task or a stream does not end") }
    }
}
