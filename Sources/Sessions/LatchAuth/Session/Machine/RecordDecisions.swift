// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

// The session's reactions to a record that was read.

extension SessionMachine {
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
        case .conclude(let conclusion, let key): conclude(conclusion, key: key, over: record, now)
        case .stepUp(let value, let generation, _): stepUp(to: value, since: generation, over: record, now)
        case .rotate(let successor, let since, let waiter):
            rotate(to: successor, since: since, over: record, waiter, now)
        }
    }

    /// Adopts a record that another session has stored, and returns its credential.
    ///
    /// If the record belongs to another sign-in or has no credential, the running operations are abandoned, and the
    /// result is nil.
    @discardableResult
    mutating func follow(_ record: TokenRecord<Value>?, _ now: SessionMoment) -> Value? {
        guard let record, let value = record.credential else {
            let reason = record?.end ?? .user
            beginGeneration(failing: reason == .issuer ? .reauthenticationRequired : .missingToken)
            end(reason)
            return nil
        }
        if isOtherSignIn(record, value) {
            beginGeneration()
            adopt(value, of: record, now)
            endStepUp(with: value, now)
            return nil
        }
        if value == state.credential {
            facts.sessionID = record.sessionID
        } else {
            adopt(value, of: record, now)
            pauseIfExpired(value, now)
        }
        return value
    }

    /// Whether a record does not belong to the signed-in user.
    func contradicts(_ record: TokenRecord<Value>?) -> Bool {
        guard state.credential != nil else { return false }
        guard let record, let value = record.credential else { return true }
        return record.sessionID != facts.sessionID || isOtherSignIn(record, value)
    }

    /// Whether another sign-in happened elsewhere.
    ///
    /// A record without an identifier counts as a refresh of the same user.
    private func isOtherSignIn(_ record: TokenRecord<Value>, _ value: Value) -> Bool {
        if let id = record.sessionID, let sessionID = facts.sessionID { return id != sessionID }
        return state.credential.map { value.hasSameUser(as: $0) == false } ?? false
    }

    /// Ends the running operation because the record no longer holds the credential that it is about.
    mutating func followInstead(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        closeOperation()
        guard follow(record, now) != nil else { return }
        // The stored credential may be the one that a caller was refused, because the response of this refresh is
        // dropped.
        refresh?.hasRequested = false
        finishRefresh(.success(()), now)
    }

    /// Restores the session, or follows the record of another session.
    private mutating func read(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        let readers = operations[0].callers
        closeOperation()
        staleness = nil
        let isRestoration = state.isUnread
        // Callers that have come since the record was read may know of a later sign-in.
        let callers = isShared && record?.credential == nil ? refresh?.callers ?? [] : []
        if !callers.isEmpty { refresh?.callers = [] }
        if isRestoration {
            if let value = record?.credential { adopt(value, of: record, now) } else { end(record?.end ?? .noAccount) }
        } else {
            catchUp(with: record, now)
        }
        for var reader in readers {
            // A successor that waits to be stored comes first, and then discovers that its session was left.
            let isEarly = isContradicted && unstored != nil && !reader.use.isConfirmed
            reader.use.isConfirmed = true
            guard isEarly else {
                use(reader, now)
                continue
            }
            commitAgain()
            readRecord(for: reader)
        }
        for caller in callers { use(caller, now) }
        // A process that has ended may have used up the refresh token, and the issuer repeats its response only for a
        // while.
        if isRestoration, record?.refreshKey != nil, let value = state.credential { refreshInBackground(value, now) }
    }

    /// Follows a record that was read, unless a successor must be stored first.
    private mutating func catchUp(with record: TokenRecord<Value>?, _ now: SessionMoment) {
        if case .signedOut(let reason) = state {
            followWhileSignedOut(record, reason, now)
        } else if unstored == nil {
            follow(record, now)
        }
    }

    /// Ends the running operation because it is no longer needed, and follows the record, so that an announcement
    /// causes no second read.
    mutating func closeOperation(following record: TokenRecord<Value>?, _ now: SessionMoment) {
        closeOperation()
        if isShared { catchUp(with: record, now) }
    }

    private mutating func followWhileSignedOut(
        _ record: TokenRecord<Value>?, _ reason: SignedOutReason, _ now: SessionMoment
    ) {
        if let value = record?.credential {
            // The issuer has ended this sign-in, but the store could not keep that.
            if let refusedByIssuer, value.hasSameRefreshToken(as: refusedByIssuer) { return }
            beginGeneration()
            adopt(value, of: record, now)
        } else if (record?.end == .issuer) != (reason == .issuer) {
            end(record?.end ?? .user)
        }
    }

    private mutating func rotate(
        to successor: Successor, since: Int, over record: TokenRecord<Value>?, _ waiter: Waiter, _ now: SessionMoment
    ) {
        // An earlier rotation may not be stored yet. The successor of a refresh replaces both.
        let isStored = unstored.map { $0.isRotation && holds(record, $0.predecessor) }
        guard since == generation, let current = state.credential,
            !keepsRecords || isStored ?? holds(record, current),
            let rotated = successor.value(current)
        else {
            closeOperation(following: record, now)
            return succeed(waiter)
        }
        var changed = newRecord(of: rotated, sessionID: record?.sessionID ?? facts.sessionID, now)
        changed.keepRefresh(of: record)
        save(changed)
    }
}
