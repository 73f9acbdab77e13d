// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Synchronization

// The limits of the policy, measured in the time in which a process runs.

extension SessionScenario {
    /// The longest times of a life, in seconds.
    package struct Longest: Sendable {
        /// The wait of a caller for the session.
        package var wait = 0.0
        /// A hold of the lock of refreshes, and of the record's.
        package var refreshHold = 0.0
        package var storeHold = 0.0

        package init() {}

        /// Adds the longest times of another life.
        package mutating func merge(_ other: Longest) {
            wait = max(wait, other.wait)
            refreshHold = max(refreshHold, other.refreshHold)
            storeHold = max(storeHold, other.storeHold)
        }
    }

    /// The policy that the rules expect, whatever a defect makes of it.
    static let rules = RefreshPolicy()
    /// The longest time for the store: a lock's patience and some slow calls.
    static let storeLimit = Duration.seconds(45)
    /// The longest wait of a caller: for the record, for a refresh, and for a second one where the first was another's.
    static let waitLimit = storeLimit + rules.timeLimit * 2
    /// The longest wait of a sign-in or sign-out: for a lock of another process's operation and for its own.
    static let leaveLimit = Duration.seconds(60)
    /// The longest hold of the refresh lock since the last failure of its holder's store: as long as a request and its
    /// repetition are in flight.
    static let refreshHoldLimit = storeLimit + rules.timeLimit + SimulatedNetwork.deadPeerLimit * 2
    /// The longest time in which a cancelled caller leaves.
    static let departureLimit = Duration.milliseconds(100)

    /// The beginning of the identifiers of sign-ins and sign-outs.
    static let leaving = "sign-in or sign-out"

    /// Returns the time for which a process has run since a moment; zero if there is none.
    private func time(of process: SimulatedProcess, since start: (inout SessionScenarioRecord.Life) -> Int64?)
        -> Duration
    {
        let moment = simulation.moment
        return record.withLock { record in
            guard let since = start(&record.lives[process.id]) else { return .zero }
            return .nanoseconds(record.lives[process.id].awake(at: moment) - since)
        }
    }

    // MARK: Callers

    /// A request waits for the session from now on.
    func begins(toWait id: String, in process: SimulatedProcess) {
        let moment = simulation.moment
        record.withLock { $0.lives[process.id].waits[id] = $0.lives[process.id].awake(at: moment) }
    }

    /// A request waits no longer for the session: it is on its way, or over.
    func ends(toWait id: String, in process: SimulatedProcess) {
        let wait = time(of: process) { $0.waits.removeValue(forKey: id) }
        record.withLock { $0.longest.wait = max($0.longest.wait, wait.inSeconds) }
        let limit = id.hasPrefix(Self.leaving) ? Self.leaveLimit : Self.waitLimit
        if wait > limit { violated("a caller waited for \(wait.inSeconds) s: \(id)") }
    }

    /// A worker was cancelled.
    func cancels(_ worker: Int, in process: SimulatedProcess) {
        let moment = simulation.moment
        record.withLock { $0.lives[process.id].cancelled[worker] = $0.lives[process.id].awake(at: moment) }
    }

    /// A worker is over; a cancelled one must be so promptly.
    func isOver(_ worker: Int, in process: SimulatedProcess) {
        let time = time(of: process) { $0.cancelled[worker] }
        if time > Self.departureLimit { violated("a cancelled caller left after \(time.inSeconds) s") }
    }

    // MARK: Requests

    /// Checks that a session asks its issuer no more often than its policy says.
    func judge(rateOf process: SimulatedProcess) {
        let moment = simulation.moment
        let window = Int64(Self.rules.requestWindow.inSeconds * 1e9)
        let count = record.withLock { record -> Int in
            record.lives[process.id].requestTimes.removeAll { $0 <= moment - window }
            record.lives[process.id].requestTimes.append(moment)
            return record.lives[process.id].requestTimes.count
        }
        issuer.isAtLimit(process.id, count >= Self.rules.requestLimit)
        if count > Self.rules.requestLimit { violated("too many requests: \(count) within the window") }
    }

    /// A new sign-in begins with no requests.
    func forgetsRequests(_ process: SimulatedProcess) { record.withLock { $0.lives[process.id].requestTimes = [] } }

    // MARK: Locks

    /// The observers of the locks, for the rules.
    var lockObservers: LockObservers {
        LockObservers(
            onWait: { [weak self] in self?.judge(waitOf: $0, for: $1) },
            onEnter: { [weak self] in self?.takes($1, $0) },
            onLeave: { [weak self] in self?.releases($1, $0) },
            onImpatience: { [weak self] in self?.storeHasFailed($0) })
    }

    private func takes(_ section: SessionSection, _ process: SimulatedProcess) {
        simulation.note("process \(process.id) takes the lock '\(section.rawValue)'")
        let moment = simulation.moment
        record.withLock { $0.lives[process.id].holds[section] = $0.lives[process.id].awake(at: moment) }
    }

    private func releases(_ section: SessionSection, _ process: SimulatedProcess) {
        simulation.note("process \(process.id) leaves the lock '\(section.rawValue)'")
        judge(holdOf: section, process)
        let isAway = record.withLock { record in
            record.lives[process.id].holds[section] = nil
            return record.lives[process.id].awaySince != nil
        }
        // It is suspended with a request in flight, which another process may repeat.
        if section == .refresh, isAway { issuer.forgive(process.id) }
    }

    /// A process cannot store: it keeps its lock until it can, which it tries every 15 seconds.
    func storeHasFailed(_ process: SimulatedProcess) {
        judge(holdOf: .refresh, process)
        let moment = simulation.moment
        record.withLock { record in
            guard record.lives[process.id].holds[.refresh] != nil else { return }
            record.lives[process.id].holds[.refresh] = record.lives[process.id].awake(at: moment)
        }
    }

    private func judge(holdOf section: SessionSection, _ process: SimulatedProcess) {
        let hold = time(of: process) { $0.holds[section] }
        record.withLock { record in
            switch section {
            case .refresh: record.longest.refreshHold = max(record.longest.refreshHold, hold.inSeconds)
            case .store: record.longest.storeHold = max(record.longest.storeHold, hold.inSeconds)
            }
        }
        let limit = section == .refresh ? Self.refreshHoldLimit : Self.storeLimit
        if hold > limit { violated("\(process.id) held the lock '\(section.rawValue)' for \(hold.inSeconds) s") }
    }

    // MARK: Successors

    /// A session hears an answer of its issuer.
    func hears(_ answer: Tokens, _ process: SimulatedProcess) {
        guard let version = issuer.version(of: answer) else { return }
        record.withLock { $0.heard.append(.init(process: process.id, version: version)) }
    }

    /// A sign-out gives a credential to the app, which may revoke it.
    func isHandedBack(_ tokens: Tokens?) {
        guard let version = tokens.flatMap(issuer.version) else { return }
        record.withLock { _ = $0.handedBack.insert(version) }
    }

    /// Checks that a session does not revoke what its user still uses.
    func judge(revocationOf token: String) {
        let family = issuer.inspect { $0.accessTokens[token]?.version.family ?? $0.family(of: token) }
        guard let family, let current = disk.record?.credential.flatMap(issuer.version)?.family else { return }
        if current == family || life.hasOneGrant, !issuer.isRevoked(current) {
            // A store says nil only where nothing is stored; who breaks that may lose the session.
            guard !record.withLock({ $0.wasForgotten }) else { return simulation.happens(.revokedByMistake) }
            violated("a session that its user has not left was revoked, by the revocation of \(family)")
        }
    }

    /// Checks that successors that were dropped since the user had signed out were revoked, or that it was tried.
    func verifyDropped() {
        // What a store forgot was left by nobody.
        guard case .signedOut = record.withLock({ $0.expectation }), !record.withLock({ $0.wasForgotten }) else {
            return
        }
        let revocations = issuer.inspect { $0.revocations }
        let record = record.withLock { $0 }
        // A sign-out elsewhere looks like a store that has lost its record.
        for heard in record.heard where record.left.last == heard.version.family && heard.process == record.lastLeaver {
            let version = heard.version
            guard !record.storedVersions.contains(version), !record.handedBack.contains(version),
                !record.lives[heard.process].process.isKilled, !record.lives[heard.process].wasStopped
            else { continue }
            simulation.happens(.successorDropped)
            guard !issuer.isRevoked(version.family), !revocations.contains(version.family) else { continue }
            violated("a successor was dropped after the sign-out and not revoked: \(version) by \(heard.process)")
        }
    }
}
