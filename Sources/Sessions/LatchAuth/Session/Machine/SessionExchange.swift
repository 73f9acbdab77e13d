// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

// The exchange of a refresh token with the issuer: its key, its requests, and the meaning of the answers.

extension SessionMachine {
    /// An exchange of a refresh token for its successor, from the stored key to the stored outcome.
    ///
    /// There is one at a time, because a refresh token is used once. Its request is never canceled.
    package struct Exchange: Sendable {
        /// The credential that is sent; after a step-up in the meantime, the one that the answer continues.
        package var credential: Value
        package var key: String
        /// The target of the requested access token; nil for the session's own.
        package var target: TokenTarget?
        /// The number of the request in flight; nil without one.
        package var flight: Int?
        /// The monotonic time at which the last request was sent.
        package var sent = Duration.zero
        /// The number of requests under the key that may have arrived, from this and other processes.
        package var requests = 0
        /// Whether the issuer may have processed an earlier request under the key, from this or another process.
        package var mayHaveArrived = false
        /// The first answer that may be a gateway's refusal; nil after a different answer.
        package var doubt: Doubt?
        /// The monotonic time at which the exchange began.
        package var begun: Duration
        /// Whether a step-up without a refresh token has since replaced the session's own access token.
        package var isSteppedUp = false
    }

    /// An answer that may be a gateway's refusal.
    package struct Doubt: Sendable, Hashable {
        /// The date by this device's clock, as in the record.
        package var date: Date
        /// The monotonic time; nil if another process got the answer.
        package var uptime: Duration?

        /// Returns whether another such answer confirms it; nil if it is too old or the date has jumped.
        func isConfirmed(_ now: SessionMoment, after delay: Duration) -> Bool? {
            let age = now.date.timeIntervalSince(date)
            guard age >= 0, age <= 3_600 else { return nil }
            return age >= delay.inSeconds && uptime.map { now.uptime - $0 >= delay } ?? true
        }
    }

    /// A successor that is issued but not stored.
    package struct Unstored: Sendable {
        package var value: Value
        /// The credential that the store is known to hold.
        package var predecessor: Value
        /// Whether a response has rotated the credential.
        ///
        /// The session already uses the new one, because the server refuses the predecessor.
        package var isRotation = false
        /// The failure of an answer that has only a usable refresh token.
        ///
        /// Its callers get the failure after the refresh token is stored.
        package var failure: IssuerFailure?
        /// The issuer's clock in the answer.
        ///
        /// It applies only with the new credential, because by this clock the predecessor could look fresh.
        package var clockOffset: Double?
        /// The next attempt to store it; nil before the first failure.
        package var retry: Retry?
    }

    /// The meaning of an answer without a successor for the record.
    package enum Conclusion: Sendable {
        /// The issuer has ended the session.
        case ended(SessionFailure)
        /// The session was refused, perhaps by a gateway, since a date; nil after a different answer.
        case doubted(Date?)
        /// The exchange is over, and the refresh token is not used up, so the key is removed.
        case over
    }

    /// The number of unanswered requests for a resource after which its exchange is abandoned.
    ///
    /// Until then it comes first, because the issuer may have processed one request, and may repeat its answer.
    static var greatestRequests: Int { 3 }

    /// Whether a request stays within the rate limit of the policy, which applies to each target separately.
    func mayRequest(for target: TokenTarget?, _ now: SessionMoment) -> Bool {
        let start = now.uptime - policy.requestWindow
        return requests[target, default: []].count { $0 > start } < policy.requestLimit
    }

    // MARK: Key

    /// Determines the key of the request, and stores it before the request is sent.
    mutating func prepareRequest(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        guard let refresh, exchange?.flight == nil, suspension == .none else {
            return closeOperation(following: record, now)
        }
        guard let value = follow(record, now) else { return closeOperation() }
        if isRefreshed(value, since: refresh, now) {
            closeOperation()
            return finishRefresh(.success(()), now)
        }
        let fresh = Exchange(
            credential: value, key: now.random.identifier(), target: refresh.target, begun: now.uptime)
        var next = continued(by: fresh, record)
        if next.target != nil, next.requests >= Self.greatestRequests { next = fresh }
        // A doubt concerns one refresh token.
        let isSameToken = exchange.map { $0.credential.hasSameRefreshToken(as: value) } ?? false
        next.doubt = isSameToken ? exchange?.doubt : nil
        if keepsRecords, next.doubt?.date != record?.doubted { next.doubt = record?.doubted.map { Doubt(date: $0) } }
        exchange = next
        let requests = next.target == nil ? nil : next.requests + 1
        guard keepsRecords, var record, record.refreshKey != next.key || record.refreshRequests != requests else {
            closeOperation()
            return sendRequest(now)
        }
        (record.refreshKey, record.refreshTarget, record.refreshRequests) = (next.key, next.target, requests)
        save(record)
    }

    /// Returns the exchange to continue, which any process may have begun before a crash, or the new exchange.
    private func continued(by fresh: Exchange, _ record: TokenRecord<Value>?) -> Exchange {
        var next = fresh
        let key = record?.refreshKey
        if let exchange, key ?? exchange.key == exchange.key,
            key != nil || isSame(fresh.credential, exchange.credential, for: exchange.target)
        {
            next = exchange
            next.credential = fresh.credential
        } else if let key {
            (next.key, next.target, next.mayHaveArrived) = (key, record?.refreshTarget, true)
            next.requests = record?.refreshRequests ?? 1
        }
        return next
    }

    /// Whether a refresh of both is the same; an issuer may keep the refresh token (RFC 6749 §6).
    func isSame(_ value: Value, _ other: Value, for target: TokenTarget?) -> Bool {
        guard value.hasSameRefreshToken(as: other), value.hasSameAccessToken(as: other) else { return false }
        guard let one = value.credential(for: target), let two = other.credential(for: target) else { return true }
        return one.hasSameAccessToken(as: two)
    }

    /// Whether another session has already obtained the result of the refresh.
    private func isRefreshed(_ value: Value, since refresh: Refresh, _ now: SessionMoment) -> Bool {
        guard let current = value.credential(for: refresh.target), !isExpired(current, now) else { return false }
        guard let old = refresh.value.credential(for: refresh.target) else { return true }
        return !current.hasSameAccessToken(as: old)
    }

    // MARK: Request

    mutating func sendRequest(_ now: SessionMoment) {
        guard let exchange, exchange.flight == nil, refresh != nil, suspension == .none else { return }
        requestCount += 1
        self.exchange?.flight = requestCount
        self.exchange?.sent = now.uptime
        self.exchange?.requests += 1
        refresh?.target = exchange.target
        refresh?.hasRequested = true
        let start = now.uptime - policy.requestWindow
        requests[exchange.target] = requests[exchange.target, default: []].filter { $0 > start } + [now.uptime]
        let request = RefreshRequest(
            credential: exchange.credential, idempotencyKey: exchange.key, target: exchange.target)
        effect(.request(id: requestCount, request))
    }

    mutating func issuerResponded(to id: Int, _ answer: Answer, _ now: SessionMoment) {
        guard let exchange, exchange.flight == id else {
            guard let isCertain = strays.removeValue(forKey: id) else { return }
            switch answer {
            case .issued(let value, _), .incomplete(let value, _): effect(.revoke(value, isCertain: isCertain))
            case .failed, .withdrawn: break
            }
            return
        }
        self.exchange?.flight = nil
        // Changes by a response or a step-up since the request was sent must stay.
        var base = exchange.credential
        if let current = state.credential, current.hasSameRefreshToken(as: base) { base = current }
        switch answer {
        case .issued(let value, let clockOffset):
            let keepsAccess = exchange.isSteppedUp && exchange.target == nil && !isExpired(base, now)
            let fresh = keepsAccess ? base.renewingGrant(from: value) : base.updated(by: value, for: exchange.target)
            issued(fresh, clockOffset: clockOffset)
        case .incomplete(let value, let failure):
            issued(base.renewingGrant(from: value), failure: failure)
        case .failed(let failure):
            // Another session has finished the exchange in the meantime, so nothing remains to be done.
            guard let current = state.credential, isStill(current, exchange.credential, key: nil) else {
                return self.exchange = nil
            }
            requestFailed(failure, of: exchange, now)
        case .withdrawn: requestWithdrawn(now)
        }
    }

    /// Begins again, because another process may have refreshed since this one released its lock.
    private mutating func requestWithdrawn(_ now: SessionMoment) {
        exchange?.requests -= 1
        _ = requests[exchange?.target]?.popLast()
        guard lock == .held else { return continueRefresh(now) }
        // The lock's file was removed.
        lock = .none
        effect(.leave(.refresh))
        finishRefresh(.failure(AuthError.lockLost), now)
    }

    private mutating func issued(_ value: Value, clockOffset: Double? = nil, failure: IssuerFailure? = nil) {
        guard let exchange else { return }
        unstored = Unstored(
            value: value, predecessor: unstored?.predecessor ?? exchange.credential, failure: failure,
            clockOffset: clockOffset)
        commitAgain()
    }

    private mutating func requestFailed(_ failure: IssuerFailure, of exchange: Exchange, _ now: SessionMoment) {
        if !policy.countsFailedRequests { _ = requests[exchange.target]?.popLast() }
        if failure.isUnsent { self.exchange?.requests -= 1 }
        if exchange.target != nil { return resourceFailed(failure, of: exchange, now) }
        let isConfirmed = exchange.doubt?.isConfirmed(now, after: policy.confirmationDelay)
        let isDoubted = failure.kind == .doubted
        if failure.kind == .ended || isDoubted && isConfirmed == true {
            return enqueue(.conclude(.ended(SessionFailure(failure.error)), key: exchange.key))
        }
        // The failure begins or ends a doubt.
        if isDoubted ? isConfirmed == nil : exchange.doubt != nil && !failure.isUnsent {
            self.exchange?.doubt = isDoubted ? Doubt(date: now.date, uptime: now.uptime) : nil
            enqueue(.conclude(.doubted(self.exchange?.doubt?.date), key: exchange.key))
        }
        switch failure.kind {
        case .ended: break
        case .doubted: pauseRefresh(after: failure, now)
        case .userRequired(let requirement):
            // A new authentication begins a generation and ends the pause. The issuer's policy may change in the
            // meantime.
            let end = now.uptime + Self.longestPause
            pauses[nil] = Pause(end: end, bindingEnd: end, error: SessionFailure(failure.error))
            publish(stepUp: requirement)
        case .unanswered:
            self.exchange?.mayHaveArrived = true
            if repeatsAtOnce(exchange, now) { return }
            pauseRefresh(after: failure, now)
        case .rejected:
            // An earlier request may have used up the refresh token. Another request shows whether the issuer rejects
            // its key.
            if exchange.mayHaveArrived { self.exchange?.mayHaveArrived = false } else { giveUp(exchange) }
            pauseRefresh(after: failure, now)
        case .failed: pauseRefresh(after: failure, now)
        }
        finishRefresh(.failure(failure.error), now)
    }

    /// Ends an exchange that has not used up the refresh token; the next exchange has another key.
    private mutating func giveUp(_ exchange: Exchange) {
        self.exchange = nil
        enqueue(.conclude(.over, key: exchange.key))
    }

    /// Whether the request is repeated now.
    ///
    /// The issuer may have processed it, and repeats its response within its replay window.
    private mutating func repeatsAtOnce(_ exchange: Exchange, _ now: SessionMoment) -> Bool {
        guard policy.repeatsUnanswered, suspension == .none, mayRequest(for: exchange.target, now) else { return false }
        // Its callers may have left before the connection ended.
        if refresh == nil, let value = state.credential { beginRefresh(of: value, for: exchange.target, now) }
        guard refresh?.isRepeated == false else { return false }
        refresh?.isRepeated = true
        // The record is unchanged, because it counts only the requests for a resource.
        if exchange.target == nil, lock == .held || !isShared { sendRequest(now) }
        return true
    }

    // MARK: Resources

    /// Handles the failure of a request for a resource, which concerns only that resource.
    private mutating func resourceFailed(_ failure: IssuerFailure, of exchange: Exchange, _ now: SessionMoment) {
        var error = failure.error
        switch failure.kind {
        case .unanswered, .failed:
            if failure.kind == .unanswered {
                self.exchange?.mayHaveArrived = true
                if exchange.requests < Self.greatestRequests, repeatsAtOnce(exchange, now) { return }
            }
            pauseRefresh(of: exchange.target, after: failure, now)
        case .ended, .doubted, .userRequired, .rejected:
            if failure.kind == .ended || failure.kind == .doubted {
                error = AuthError.resourceRefused.caused(by: failure.error)
            }
            giveUp(exchange)
            pauseRefresh(
                of: exchange.target, after: IssuerFailure(failure.kind, error, retryAfter: failure.retryAfter),
                isBinding: true, now)
            // Only the session's own request shows whether the session has ended.
            if failure.kind == .ended, isEndPossible(now) {
                refresh?.target = nil
                refresh?.isRepeated = false
                return
            }
        }
        finishRefresh(.failure(error), for: exchange.target, now)
    }

    /// Whether the session may have ended: the issuer has not refreshed it within the last minute.
    private func isEndPossible(_ now: SessionMoment) -> Bool {
        guard let value = state.credential, refresh?.callers.isEmpty == false, mayRequest(for: nil, now),
            !isPaused(nil, now)
        else { return false }
        let issued = value.issued ?? facts.issued ?? .distantPast
        return issuerDate(now).timeIntervalSince(issued) > 60
    }

    // MARK: Outcome

    /// Stores the issued credential, unless another session has changed the record in the meantime.
    mutating func commit(over record: TokenRecord<Value>?, _ now: SessionMoment) {
        guard var unstored else {
            closeOperation(following: record, now)
            return finishRefresh(.success(()), now)
        }
        // A write that was reported as failed may have completed later.
        if unstored.isRotation, holds(record, unstored.value) { return written(record, failure: nil, now) }
        if keepsRecords {
            guard let stored = record?.credential, record?.sessionID == facts.sessionID,
                isStill(stored, unstored.predecessor, key: record?.refreshKey)
            else {
                (self.unstored, exchange) = (nil, nil)
                if !unstored.isRotation, isLeft(by: record) { effect(.revoke(unstored.value, isCertain: false)) }
                return followInstead(record, now)
            }
            // The response has no usable access token, so the stored one stays.
            if unstored.failure != nil { unstored.value = stored.renewingGrant(from: unstored.value) }
            self.unstored = unstored
        }
        var changed = newRecord(of: unstored.value, sessionID: facts.sessionID, now)
        changed.clockOffset = unstored.clockOffset ?? facts.clockOffset
        if unstored.isRotation { changed.keepRefresh(of: record) }
        save(changed)
    }

    /// Whether the user has left the session in another process, so that the server does not know its last credential.
    private func isLeft(by record: TokenRecord<Value>?) -> Bool {
        guard let record, record.credential != nil else { return true }
        return record.sessionID != nil && record.sessionID != facts.sessionID
    }

    /// Whether the stored credential is still the refreshed one.
    ///
    /// If no other session writes, a rotation by a response does not count as a refresh. Nor does a step-up without a
    /// refresh token, which leaves the key of the request.
    func isStill(_ stored: Value, _ predecessor: Value, key: String?) -> Bool {
        guard stored.hasSameRefreshToken(as: predecessor) else { return false }
        return !isShared || stored.hasSameAccessToken(as: predecessor) || key != nil && key == exchange?.key
    }

    mutating func committed(_ record: TokenRecord<Value>, _ value: Value, _ now: SessionMoment) {
        guard let unstored else { return }
        let (failure, target) = (unstored.failure, exchange?.target)
        if unstored.isRotation {
            self.unstored = nil
        } else if unstored.value != value {
            // A rotation was stored while the response of a refresh arrived, so the response's credential follows the
            // rotated one.
            self.unstored?.predecessor = value
            commitAgain()
        } else {
            (self.unstored, self.exchange, pauses[nil]) = (nil, nil, nil)
        }
        adopt(value, of: record, now)
        pauseIfExpired(value, now)
        guard self.unstored == nil else { return }
        // A refresh that has begun since then makes its own request.
        guard let failure, refresh?.hasRequested ?? true else { return finishRefresh(.success(()), now) }
        pauseRefresh(of: target, after: failure, now)
        finishRefresh(.failure(failure.error), for: target, now)
    }

    /// Stores the meaning of an answer without a successor.
    mutating func conclude(
        _ conclusion: Conclusion, key: String, over record: TokenRecord<Value>?, _ now: SessionMoment
    ) {
        if case .ended = conclusion {
            guard let exchange, exchange.key == key else { return closeOperation(following: record, now) }
            guard record?.credential?.hasSameRefreshToken(as: exchange.credential) == true else {
                return followInstead(record, now)
            }
            return save(TokenRecord(credential: nil, end: .issuer))
        }
        guard keepsRecords, var record, record.refreshKey == key else { return closeOperation(following: record, now) }
        guard follow(record, now) != nil else { return closeOperation() }
        if case .doubted(let date) = conclusion { record.doubted = date } else { record.keepRefresh(of: nil) }
        save(record)
    }

    mutating func endByIssuer(_ cause: SessionFailure) {
        let refused = exchange?.credential
        beginGeneration(failing: .reauthenticationRequired.caused(by: cause.error))
        refusedByIssuer = refused
        end(.issuer)
    }
}

extension SessionMachine.Exchange: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Unstored: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Conclusion: Equatable, Hashable {}
