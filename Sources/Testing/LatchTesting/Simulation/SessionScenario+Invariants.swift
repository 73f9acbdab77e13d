// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// What is judged after the storm.
extension SessionScenario {
    /// The session of a process is what the person last made of it, and memory and disk agree.
    func verify(_ process: SimulatedProcess, last: Result<HTTPStatus, any Error>?) {
        guard let session = session(of: process) else { return }
        let state = session.currentState
        let process = process.id
        switch record.withLock({ $0.expectation }) {
        case .signedIn(let family) where issuer.isRevoked(family):
            // The last request may have been accepted just before; the state tells then.
            if state != .signedOut(.issuer) {
                violated("\(process): the issuer's end is not seen: \(state) after \(String(describing: last))")
            }
        case .signedIn(let family):
            guard case .success(.ok)? = last else {
                return violated("\(process): lost: \(String(describing: last)) in state \(state)")
            }
            if state.credential.flatMap(issuer.version)?.family != family {
                violated("\(process): the session holds another account's credential")
            }
            if disk.record?.credential != state.credential { violated("\(process): the store and the session differ") }
        case .signedOut:
            guard isSignedOut(last) else {
                return violated("\(process): resurrected: \(String(describing: last)) in state \(state)")
            }
            if disk.record?.credential != nil {
                violated("\(process): the store holds a credential after the sign-out")
            }
        }
        verifyObservers(of: process, against: state)
    }

    /// A store that keeps credentials only does not tell the issuer's end from the person's.
    private func isSignedOut(_ last: Result<HTTPStatus, any Error>?) -> Bool {
        switch last {
        case .failure(AuthError.missingToken): true
        case .failure(AuthError.reauthenticationRequired): store == .plain
        default: false
        }
    }

    /// Nobody missed the last state, saw one twice, or saw another history than the others.
    private func verifyObservers(of process: Int, against state: Session<Tokens>.State) {
        let life = record.withLock { $0.lives[process] }
        for (observer, states) in life.observed.enumerated() {
            let name = "observer \(process).\(observer)"
            if states.last != state { violated("\(name) does not know the current state") }
            if zip(states, states.dropFirst()).contains(where: ==) { violated("\(name) saw a state twice") }
        }
        let history = life.observed[0]
        if history != life.observed[1] { violated("two observers saw different histories") }
        if !life.glimpsed.isEmpty, history.firstRange(of: life.glimpsed) == nil {
            violated("somebody who came late or left early saw another history: \(life.glimpsed)")
        }
        for (old, new) in zip(history, history.dropFirst()) { verifyStep(from: old, to: new) }
    }

    /// No credential comes back after its successor, and the beginning is left once.
    private func verifyStep(from old: Session<Tokens>.State, to new: Session<Tokens>.State) {
        if new == .unknown { violated("a session forgets that it was restored") }
        guard let old = old.credential.flatMap(issuer.version), let new = new.credential.flatMap(issuer.version) else {
            return
        }
        if old.family == new.family, old.number > new.number { violated("the session went back from \(old) to \(new)") }
    }

    /// Each version of a credential was renewed once; only a lost answer allows a repeat.
    func verifyLedger() {
        let ledger = issuer.inspect { $0 }
        for (version, count) in ledger.renewals where count - ledger.faults[version, default: 0] > 1 {
            violated("\(version) was renewed \(count) times with \(ledger.faults[version, default: 0]) faults")
        }
        for life in record.withLock({ $0.lives }) where !life.process.isKilled {
            if life.open != 0 || life.watching != 0 { violated("a task or a stream does not end") }
        }
    }
}
