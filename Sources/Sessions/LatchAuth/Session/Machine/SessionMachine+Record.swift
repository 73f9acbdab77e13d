// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation

// What the session makes of a record that was read.

extension SessionMachine {
    /// The relation of the record to the credential of this session.
    enum Followed {
        /// The session has the credential of the record.
        case current(Value)
        /// The user has signed out, or the issuer has ended the session.
        case ended
        /// Another sign-in has happened elsewhere.
        case otherSignIn
    }

    mutating func decide(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        switch operations[0].kind {
        case .read: read(record, now)
        case .replace(let record, let waiter, let generation):
            guard generation ?? self.generation == self.generation else {
                closeOperation()
                return fail(waiter, AuthError.superseded)
            }
            save(record)
        case .prepare: prepareRequest(record, now)
        case .commit: commit(over: record, now)
        case .end:
            guard refresh?.stage == .ending, let pendingRequest else { return closeOperation(following: record, now) }
            guard let stored = record?.credential, stored.hasSameRefreshToken(as: pendingRequest.credential) else {
                return followInstead(record, now)
            }
            save(TokenRecord(credential: nil, end: .issuer))
        case .stepUp(let value, let generation, _): stepUp(to: value, since: generation, over: record, now)
        case .rotate(let rotation, let waiter): rotate(by: rotation, over: record, waiter, now)
        }
    }

    /// Adopts a record that another session has stored.
    ///
    /// Where it belongs to another sign-in, or holds no credential, the running operations are abandoned.
    mutating func follow(_ record: TokenRecord<Value>?, _ now: SessionMoment) -> Followed {
        guard let record, let value = record.credential else {
            let reason = record?.end ?? .user
            beginGeneration(failing: reason == .issuer ? .reauthenticationRequired : .missingToken)
            end(reason)
            return .ended
        }
        if isOtherSignIn(record, value) {
            beginGeneration()
            adopt(value, of: record, now)
            endStepUp(with: value, now)
            return .otherSignIn
        }
        if value == state.credential {
            sessionID = record.sessionID
        } else {
            adopt(value, of: record, now)
            if isExpired(value, now) { pauseBackgroundRefreshes(now) }
        }
        return .current(value)
    }

    /// Whether a record is not that of the signed-in user.
    func contradicts(_ record: TokenRecord<Value>?) -> Bool {
        guard state.credential != nil else { return false }
        guard let record, let value = record.credential else { return true }
        return record.sessionID != sessionID || isOtherSignIn(record, value)
    }

    /// Whether another sign-in happened elsewhere; a record without an identifier counts as a refresh of the same user.
    private func isOtherSignIn(_ record: TokenRecord<Value>, _ value: Value) -> Bool {
        if let id = record.sessionID, let sessionID { return id != sessionID }
        return state.credential.map { value.hasSameUser(as: $0) == false } ?? false
    }

    /// Ends the running operation because the record holds something else than it is about.
    private mutating func followInstead(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        closeOperation()
        guard case .current = follow(record, now) else { return }
        // It may be what a caller was refused, since the response of this refresh is dropped.
        refresh?.hasRequested = false
        finishRefresh(.success(()), now)
    }

    /// Restores the session, or follows the record of another one.
    private mutating func read(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        let readers = operations[0].readers
        closeOperation()
        staleness = nil
        let isRestoration = isUnread
        // Who has come since the record was read may know of a sign-in after it.
        let callers = configuration.isShared && record?.credential == nil ? refresh?.callers ?? [] : []
        if !callers.isEmpty { refresh?.callers = [] }
        if isRestoration {
            identify(by: record)
            if let value = record?.credential { adopt(value, now) } else { end(record?.end ?? .noAccount) }
        } else {
            catchUp(with: record, now)
        }
        for reader in readers {
            guard var use = reader.use else {
                succeed(reader.waiter)
                continue
            }
            // A successor that waits to be stored comes first, and finds out by itself that its session was left.
            if isContradicted, unstored != nil, !use.isConfirmed {
                use.isConfirmed = true
                commitAgain()
                readRecord(for: StoreOperation.Reader(waiter: reader.waiter, use: use))
                continue
            }
            use.isConfirmed = true
            self.use(use, reader.waiter, now)
        }
        for caller in callers { use(caller.use, caller.waiter, now) }
        // A process that has ended may have used up the refresh token: the issuer repeats its response only for a while.
        if isRestoration, record?.refreshKey != nil, let value = state.credential { refreshInBackground(value, now) }
    }

    /// Follows a record that was read, unless a successor is stored first.
    private mutating func catchUp(with record: TokenRecord<Value>?, _ now: SessionMoment) {
        if case .signedOut(let reason) = state {
            followWhileSignedOut(record, reason, now)
        } else if unstored == nil {
            _ = follow(record, now)
        }
    }

    /// Ends the running operation because nothing needs it any more.
    ///
    /// The record was read all the same, and is not read again for the announcement of its change.
    private mutating func closeOperation(following record: TokenRecord<Value>?, _ now: SessionMoment) {
        closeOperation()
        if configuration.isShared { catchUp(with: record, now) }
    }

    private mutating func followWhileSignedOut(
        _ record: TokenRecord<Value>?, _ reason: SignedOutReason, _ now: SessionMoment
    ) {
        if let value = record?.credential {
            // The store could not keep that the issuer has ended this one.
            if let refusedByIssuer, value.hasSameRefreshToken(as: refusedByIssuer) { return }
            beginGeneration()
            adopt(value, of: record, now)
        } else if (record?.end == .issuer) != (reason == .issuer) {
            end(record?.end ?? .user)
        }
    }

    /// Finds the key of the request, and stores it before the request is sent.
    ///
    /// The key is that of the last attempt with the same refresh token, whether it was made by this session, by another
    /// process or before a crash: the issuer then repeats a response that was lost.
    private mutating func prepareRequest(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        guard let refresh, refresh.stage == .preparing else { return closeOperation(following: record, now) }
        guard case .current(let value) = follow(record, now) else { return closeOperation() }
        if isRefreshed(value, since: refresh, now) {
            closeOperation()
            return finishRefresh(.success(()), now)
        }
        let earlier = pendingRequest.flatMap { isSame(value, $0.credential, for: $0.target) ? $0 : nil }
        let kept = record?.refreshKey.flatMap { $0 == rejectedKey ? nil : $0 }
        let key = kept ?? earlier?.key
        // A request that has begun is finished first, whatever it was for.
        let target = kept != nil ? record?.refreshTarget : earlier.map(\.target) ?? refresh.target
        let isRepetition = key != nil && key == pendingRequest?.key
        pendingRequest = PendingRequest(
            credential: value, key: key ?? now.random.identifier(), target: target,
            ids: isRepetition ? pendingRequest?.ids ?? [] : [],
            mayHaveArrived: isRepetition ? pendingRequest?.mayHaveArrived ?? false : kept != nil,
            failures: isRepetition ? pendingRequest?.failures ?? 0 : 0,
            begun: isRepetition ? pendingRequest?.begun ?? now.uptime : now.uptime,
            stepUp: isRepetition ? pendingRequest?.stepUp : nil)
        guard configuration.keepsRecords, var record, record.refreshKey != pendingRequest?.key else {
            closeOperation()
            return sendRequest(now)
        }
        (record.refreshKey, record.refreshTarget) = (pendingRequest?.key, target)
        save(record)
    }

    /// Whether a refresh of both is the same refresh.
    ///
    /// An issuer may keep the refresh token (RFC 6749 §6); then only the access token tells them apart.
    func isSame(_ value: Value, _ other: Value, for target: TokenTarget?) -> Bool {
        guard value.hasSameRefreshToken(as: other), value.hasSameAccessToken(as: other) else { return false }
        guard let one = value.credential(for: target), let two = other.credential(for: target) else { return true }
        return one.hasSameAccessToken(as: two)
    }

    /// Whether another session has obtained what the refresh is for.
    private func isRefreshed(_ value: Value, since refresh: Refresh, _ now: SessionMoment) -> Bool {
        guard let current = value.credential(for: refresh.target), !isExpired(current, now) else { return false }
        guard let old = refresh.value.credential(for: refresh.target) else { return true }
        return !current.hasSameAccessToken(as: old)
    }

    /// Stores the issued credential, unless another session has changed the record meanwhile.
    private mutating func commit(over record: TokenRecord<Value>?, _ now: SessionMoment) {
        guard let unstored else {
            closeOperation(following: record, now)
            if refresh?.stage == .committing { finishRefresh(.success(()), now) }
            return
        }
        if configuration.keepsRecords {
            guard let stored = record?.credential, record?.sessionID == sessionID,
                isStill(stored, unstored.predecessor, key: record?.refreshKey)
            else {
                (self.unstored, pendingRequest) = (nil, nil)
                return followInstead(record, now)
            }
        }
        var changed = newRecord(of: unstored.value, sessionID: sessionID, now)
        if unstored.isRotation {
            (changed.refreshKey, changed.refreshTarget) = (record?.refreshKey, record?.refreshTarget)
        }
        save(changed)
    }

    /// Whether the stored credential is still the refreshed one.
    ///
    /// If no other session writes, a rotation by a response does not count as a refresh. Nor does a step-up without a
    /// refresh token of its own, which leaves the key of the request.
    func isStill(_ stored: Value, _ predecessor: Value, key: String?) -> Bool {
        guard stored.hasSameRefreshToken(as: predecessor) else { return false }
        return !configuration.isShared || stored.hasSameAccessToken(as: predecessor)
            || key != nil && key == pendingRequest?.key
    }

    private mutating func rotate(
        by rotation: Rotation, over record: TokenRecord<Value>?, _ waiter: Waiter, _ now: SessionMoment
    ) {
        // An earlier rotation may not be stored yet; the successor of a refresh replaces both.
        let isStored = unstored.map { $0.isRotation && holds(record, $0.predecessor) }
        guard rotation.generation == generation, let current = state.credential,
            !configuration.keepsRecords || isStored ?? holds(record, current),
            let rotated = rotation.successor(current)
        else {
            closeOperation(following: record, now)
            return succeed(waiter)
        }
        var changed = newRecord(of: rotated, sessionID: record?.sessionID ?? sessionID, now)
        (changed.refreshKey, changed.refreshTarget) = (record?.refreshKey, record?.refreshTarget)
        save(changed)
    }
}
