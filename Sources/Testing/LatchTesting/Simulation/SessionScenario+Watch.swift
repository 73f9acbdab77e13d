// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// What is judged while it happens.
extension SessionScenario {
    /// A process has read the record, or heard that it is written, and knows from now on what it says.
    func diskIsRead(by process: SimulatedProcess) {
        let moment = simulation.moment
        record.withLock { $0.lives[process.id].knowledge.learn($0.left.count, at: moment) }
    }

    /// Learns from the disk what the person has brought about, in the order in which it became true.
    func diskHasChanged(
        by process: SimulatedProcess, from old: TokenRecord<Tokens>?, to new: TokenRecord<Tokens>?
    ) {
        let (was, is_) = (old?.credential.flatMap(issuer.version), new?.credential.flatMap(issuer.version))
        simulation.note(
            "process \(process.id) stores \(is_?.description ?? "nobody") over \(was?.description ?? "nobody")")
        let isOver = was.map { issuer.isRevoked($0.family) } ?? true
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
                    record.violations.append("\(was) was given up, by neither the person nor the issuer")
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
                record.expectation = .signedIn(family: is_.family)
            } else if new?.end != .issuer {
                record.expectation = .signedOut
            }
        }
    }

    /// A process asks for a successor: of nothing that it knows to be over.
    func judge(renewalOf credential: Tokens, by process: SimulatedProcess) {
        guard let version = issuer.version(of: credential) else { return violated("an unknown credential is renewed") }
        if knows(process, toBeOver: version.family) { violated("\(version), which was left, is renewed") }
    }

    /// A process waits for its turn to ask the issuer: only where its credential is refused or over its time.
    ///
    /// Where the date has jumped, it may take one that is accepted for one that has expired.
    func judge(waitOf process: SimulatedProcess, for section: SessionSection) {
        guard section == .renewal, !simulation.dateHasJumped, let session = session(of: process),
            case .signedIn(let tokens) = session.currentState, let version = issuer.version(of: tokens),
            let expiry = tokens.expiry, expiry > simulation.trueNow
        else { return }
        if !issuer.inspect({ $0.refused.contains(version) }) {
            violated("\(process.id) waits for another's turn though its \(version) is accepted")
        }
    }

    /// A message leaves a process: with nothing that it knows to be over, that was never stored, or that is another
    /// person's.
    func judge(_ request: HTTPRequest, from process: SimulatedProcess) {
        let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
        let id = request.fields[.requestID] ?? ""
        record.withLock { _ = $0.lives[process.id].onTheWay.insert(id) }
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

    /// A message has its answer.
    func arrived(_ request: HTTPRequest, from process: SimulatedProcess) {
        record.withLock { _ = $0.lives[process.id].onTheWay.remove(request.fields[.requestID] ?? "") }
    }

    private func knows(_ process: SimulatedProcess, toBeOver family: Int) -> Bool {
        let moment = simulation.moment
        return record.withLock { record in
            record.left.prefix(record.lives[process.id].knowledge.count(at: moment)).contains(family)
        }
    }

    /// Whether a request may have ended this way.
    ///
    /// - Parameter changes: How often the disk had changed when it began: nobody may be told "signed out" unless there
    ///   was nobody on the disk at some moment since.
    func judge(_ result: Result<HTTPStatus, any Error>, isCancelled: Bool, since changes: Int) {
        guard case .failure(let error) = result else { return }
        let isLeaving =
            store != .shared && record.withLock { $0.lives.contains { $0.leaving > 0 && !$0.process.isKilled } }
        switch error {
        case is CancellationError:
            if !isCancelled { violated("a caller that nobody cancelled was cancelled") }
        case AuthError.missingToken where !isLeaving && !wasSignedOut(since: changes):
            violated("signed out for no reason: \(error)")
        case AuthError.reauthenticationRequired where !isLeaving && !wasEnded(since: changes):
            violated("ended for no reason: \(error)")
        case is HTTPError, is AuthError: break
        default: violated("an error of another kind: \(error)")
        }
    }

    private func wasSignedOut(since changes: Int) -> Bool {
        let now = disk.record
        if now?.credential == nil, now?.end != .issuer || store == .plain { return true }
        return record.withLock { $0.wasSignedOut > changes }
    }

    /// A store that keeps credentials only does not tell why there is none.
    private func wasEnded(since changes: Int) -> Bool {
        if disk.record?.end == .issuer || store == .plain && disk.record == nil { return true }
        return record.withLock { $0.wasEnded > changes || store == .plain && $0.wasSignedOut > changes }
    }
}
