// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import Synchronization

// The checks during the run.

extension SessionScenario {
    /// Records that a process has read the record, or that its write has succeeded.
    func diskIsRead(by process: SimulatedProcess) {
        let moment = simulation.moment
        record.withLock { $0.lives[process.id].knowledge.learn($0.left.count, at: moment) }
    }

    /// Records that a process has read that there is no record, though there is one: a session cannot know better.
    ///
    /// What it has heard and not stored may be lost to it, and is asked for again.
    func diskIsForgotten(by process: SimulatedProcess) {
        issuer.forgive(process.id)
        record.withLock { record in
            record.changes += 1
            record.wasSignedOut = record.changes
            record.wasForgotten = true
        }
    }

    /// Records the changes of the disk, in order.
    func diskHasChanged(
        by process: SimulatedProcess, from old: TokenRecord<Tokens>?, to new: TokenRecord<Tokens>?
    ) {
        let (was, is_) = (old?.credential.flatMap(issuer.version), new?.credential.flatMap(issuer.version))
        simulation.note(
            "process \(process.id) stores \(is_?.description ?? "none") over \(was?.description ?? "none")")
        let isOver = was.map { issuer.isRevoked($0.family) } ?? true
        if was?.family != is_?.family { forgetsRequests(process) }
        record.withLock { record in
            record.changes += 1
            if old?.credential == nil {
                if old?.end == .issuer {
                    record.wasEnded = record.changes
                } else {
                    record.wasSignedOut = record.changes
                }
            }
            if let was, was.family != is_?.family {
                record.left.append(was.family)
                if record.lives[process.id].leaving == 0, !isOver {
                    record.violations.append("\(was) was given up, by neither the user nor the issuer")
                }
                if new?.end == .issuer, !isOver {
                    record.violations.append("\(was) was ended though the issuer still accepts it")
                }
            }
            if let is_, let credential = new?.credential {
                if record.left.contains(is_.family) { record.violations.append("\(is_), which was left, came back") }
                if let was, was.family == is_.family, was.number > is_.number {
                    record.violations.append("\(was) was replaced by the older \(is_)")
                }
                record.stored.insert(credential.access)
                record.storedVersions.insert(is_)
                record.expectation = .signedIn(family: is_.family)
            } else if new?.end != .issuer {
                record.expectation = .signedOut
            }
        }
    }

    /// Checks that a process does not refresh a credential that it knows to be over.
    func judge(refreshOf token: String, by process: SimulatedProcess) {
        judge(rateOf: process)
        guard let family = issuer.inspect({ $0.family(of: token) }) else {
            return violated("an unknown credential is refreshed")
        }
        if knows(process, toBeOver: family) { violated("\(token), which was left, is refreshed") }
    }

    /// Checks that a process waits for the refresh lock only where its credential is refused or expired.
    ///
    /// After a jump of the date it may take an accepted one for an expired one.
    func judge(waitOf process: SimulatedProcess, for section: SessionSection) {
        guard section == .refresh, !simulation.dateHasJumped, !life.isClockUnsure, let session = session(of: process),
            case .signedIn(let tokens) = session.currentState, let version = issuer.version(of: tokens),
            let expiry = tokens.expiry, expiry > simulation.trueNow
        else { return }
        if !issuer.inspect({ $0.refused.contains(version) }) {
            violated("\(process.id) waits for another's lock though its \(version) is accepted")
        }
    }

    /// Checks that a message carries no credential that its process knows to be over, that was never stored, or that
    /// belongs to another user.
    func judge(_ request: HTTPRequest, from process: SimulatedProcess) {
        let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
        let id = request.fields[.requestID] ?? ""
        record.withLock { _ = $0.lives[process.id].onTheWay.insert(id) }
        ends(toWait: id, in: process)
        guard let version = issuer.inspect({ $0.accessTokens[token]?.version }) else {
            return violated("request \(id) goes out without a credential")
        }
        if knows(process, toBeOver: version.family) { violated("request \(id) carries \(version), which was left") }
        if !record.withLock({ $0.stored.contains(token) }) { violated("\(version) is used before it is stored") }
        issuer.inspect { ledger in
            ledger.carriers[id, default: []].insert(version.family)
            if ledger.carriers[id, default: []].count > 1 {
                ledger.violations.append("request \(id) was repeated with another account's credential")
            }
        }
    }

    /// Records that a message has its response.
    func arrived(_ request: HTTPRequest, from process: SimulatedProcess) {
        let id = request.fields[.requestID] ?? ""
        record.withLock { _ = $0.lives[process.id].onTheWay.remove(id) }
        begins(toWait: id, in: process)
    }

    private func knows(_ process: SimulatedProcess, toBeOver family: Int) -> Bool {
        let moment = simulation.moment
        return record.withLock { record in
            record.left.prefix(record.lives[process.id].knowledge.count(at: moment)).contains(family)
        }
    }

    /// Checks that a request may have ended with a result.
    ///
    /// - Parameter changes: The number of changes of the disk when it began: a request may fail as signed out only where
    ///   the disk held no credential at some moment since.
    func judge(_ result: Result<HTTPStatus, any Error>, isCancelled: Bool, since changes: Int) {
        guard case .failure(let error) = result else { return }
        let isLeaving =
            store != .shared && record.withLock { $0.lives.contains { $0.leaving > 0 && !$0.process.isKilled } }
        switch error {
        case is CancellationError:
            if !isCancelled { violated("a caller got another caller's cancellation") }
        case AuthError.missingToken where !isLeaving && !wasSignedOut(since: changes):
            violated("signed out for no reason: \(error)")
        case AuthError.reauthenticationRequired where !isLeaving && !wasEnded(since: changes):
            violated("ended for no reason: \(error)")
        case is HTTPError, is AuthError, is OAuthError: break
        default: violated("an error of another kind: \(error)")
        }
    }

    private func wasSignedOut(since changes: Int) -> Bool {
        let now = disk.record
        if now?.credential == nil, now?.end != .issuer || store == .plain { return true }
        // The end could not be stored, and a store that has said nil has changed its reason.
        if let family = now?.credential.flatMap(issuer.version)?.family, issuer.isRevoked(family),
            record.withLock({ $0.wasForgotten })
        {
            return true
        }
        return record.withLock { $0.wasSignedOut > changes }
    }

    /// Whether the issuer ended the session; a store of credentials only does not say why there is none.
    private func wasEnded(since changes: Int) -> Bool {
        let stored = disk.record
        if stored?.end == .issuer || store == .plain && stored == nil { return true }
        // The store may not have been able to keep that the issuer has ended the session.
        if let family = stored?.credential.flatMap(issuer.version)?.family, issuer.isRevoked(family) { return true }
        return record.withLock { $0.wasEnded > changes || store == .plain && $0.wasSignedOut > changes }
    }
}

// MARK: - Checks at the end

extension SessionScenario {
    /// Checks that the session of a process has the state of the user's last action, and that memory and disk agree.
    func verify(_ process: SimulatedProcess, last: Result<HTTPStatus, any Error>?) {
        guard let session = session(of: process) else { return }
        let state = session.currentState
        let process = process.id
        switch record.withLock({ $0.expectation }) {
        case .signedIn(let family) where issuer.isRevoked(family):
            // The last request may have been accepted just before; the state decides then.
            // Where the end could not be stored, a store that then says that it holds nothing is believed.
            let isForgotten = state == .signedOut(.user) && record.withLock { $0.wasForgotten }
            if state != .signedOut(.issuer), !isForgotten {
                violated("\(process): the issuer's end is not seen: \(state) after \(String(describing: last))")
            }
        case .signedIn(let family):
            guard case .success(.ok)? = last else {
                return violated("\(process): lost: \(String(describing: last)) in state \(state)")
            }
            if state.credential.flatMap(issuer.version)?.family != family {
                violated("\(process): the session holds another account's credential")
            }
            let isSame =
                // The dates of a JSON record may lose their last bit.
                life.isSecret
                ? disk.record?.credential?.access == state.credential?.access
                : disk.record?.credential == state.credential
            if !isSame { violated("\(process): the store and the session differ") }
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

    /// Whether the last request failed because of a sign-out; a store of credentials only does not say whose.
    private func isSignedOut(_ last: Result<HTTPStatus, any Error>?) -> Bool {
        switch last {
        case .failure(AuthError.missingToken): true
        case .failure(AuthError.reauthenticationRequired): store == .plain
        default: false
        }
    }

    /// Checks that all observers saw the last state, none twice, and the same history.
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
            violated("an observer that came late or left early saw another history: \(life.glimpsed)")
        }
        for (old, new) in zip(history, history.dropFirst()) { verifyStep(from: old, to: new) }
    }

    /// Checks that no credential comes back after its successor, and that the first state is left once.
    private func verifyStep(from old: Session<Tokens>.State, to new: Session<Tokens>.State) {
        if new == .unknown { violated("a session forgets that it was restored") }
        guard let old = old.credential.flatMap(issuer.version), let new = new.credential.flatMap(issuer.version) else {
            return
        }
        if old.family == new.family, old.number > new.number { violated("the session went back from \(old) to \(new)") }
    }

    /// Checks that each version of a credential was refreshed once; only a lost response allows a repeat.
    func verifyLedger() {
        let ledger = issuer.inspect { $0 }
        for (version, count) in ledger.refreshes where count - ledger.faults[version, default: 0] > 1 {
            violated("\(version) was refreshed \(count) times with \(ledger.faults[version, default: 0]) faults")
        }
        for life in record.withLock({ $0.lives }) where !life.process.isKilled {
            if life.open != 0 || life.watching != 0 { violated("a task or a stream does not end") }
        }
    }
}
