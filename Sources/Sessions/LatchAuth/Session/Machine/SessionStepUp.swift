// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

// The stronger or fresher authentication that a server requires.

extension SessionMachine {
    /// The running authentication of the user.
    package struct Authentication: Sendable, Hashable {
        package var id: Int
        package var requirement: StepUpRequirement
        package var waiters: [Waiter]
    }

    mutating func require(
        _ requirement: StepUpRequirement, _ waiter: Waiter, generation: Int, mayAsk: Bool
    ) {
        guard isSameUser(generation), let current = state.credential else {
            return fail(waiter, AuthError.superseded)
        }
        // The user has stepped up since the request was sent, so this refusal is late.
        if generation < self.generation { return succeed(waiter, current) }
        publish(stepUp: requirement)
        guard mayAsk else { return fail(waiter, AuthError.stepUpRequired(requirement)) }
        // The user authenticates once for all requests.
        guard authentication == nil else { return authentication?.waiters.append(waiter) ?? () }
        requestCount += 1
        authentication = Authentication(id: requestCount, requirement: requirement, waiters: [waiter])
        effect(.authenticate(id: requestCount, waiter, requirement))
    }

    mutating func userAuthenticated(
        _ id: Int, _ result: Result<Value, SessionFailure>, _ now: SessionMoment
    ) {
        guard let authentication, authentication.id == id else {
            if case .success(let value) = result { effect(.revoke(value, isCertain: false)) }
            return
        }
        switch result {
        case .success(let value): enqueue(.stepUp(value, since: generation, nil))
        case .failure(let failure):
            self.authentication = nil
            let error = AuthError.stepUpRequired(authentication.requirement, cause: failure.error)
            for waiter in authentication.waiters { fail(waiter, error) }
        }
    }

    /// Ends the pending requirement, unless the new credential shows that it is not met.
    mutating func endStepUp(with value: Value?, _ now: SessionMoment) {
        guard let requirement else { return }
        if let value, value.satisfies(requirement, at: issuerDate(now)) == false { return }
        publish(stepUp: nil)
    }

    mutating func stepUp(
        to value: Value, since generation: Int, over record: TokenRecord<Value>?, _ now: SessionMoment
    ) {
        guard isSameUser(generation), let current = state.credential else {
            return closeOperation(failing: AuthError.superseded, now)
        }
        // Without a refresh token, it continues with the last one, even if that is not stored yet.
        var (predecessor, isUnstored) = (unstored?.value ?? current, unstored != nil)
        if keepsRecords {
            guard let stored = record?.credential, record?.sessionID == facts.sessionID else {
                follow(record, now)
                return closeOperation(failing: AuthError.superseded, now)
            }
            isUnstored = unstored.map { isStill(stored, $0.predecessor, key: record?.refreshKey) } ?? false
            // Another process may have refreshed.
            if !isUnstored { predecessor = stored }
        }
        guard value.hasSameUser(as: predecessor) != false else {
            return closeOperation(failing: AuthError.differentUser, now)
        }
        var changed = newRecord(of: predecessor.updated(by: value, for: nil), sessionID: facts.sessionID, now)
        if !value.isRefreshable, !isUnstored { changed.keepRefresh(of: record) }
        save(changed)
    }

    mutating func stepUpWritten(
        _ record: TokenRecord<Value>?, of given: Value, _ waiter: Waiter?, _ now: SessionMoment
    ) {
        guard let value = record?.credential else { return }
        // The response to a request came while the new credential was being stored, and its refresh token must be kept.
        let late = unstored.flatMap { unstored in
            let isLate = !unstored.isRotation && value.hasSameRefreshToken(as: unstored.predecessor)
            return isLate && !given.isRefreshable ? unstored : nil
        }
        // An exchange of the same refresh token continues, unless another process has finished it in the meantime.
        let goesOn = !given.isRefreshable && (unstored == nil || late != nil)
        var (exchange, running) = (goesOn ? self.exchange : nil, refresh.take())
        if keepsRecords, exchange?.key != record?.refreshKey { exchange = nil }
        exchange?.credential = value
        exchange?.isSteppedUp = true
        // Only the answer of a different grant does not belong to this session.
        if !given.isRefreshable { self.exchange?.flight = nil }
        // The callers of the refresh get the new credential.
        let callers = running?.callers ?? []
        running?.value = value
        running?.callers = []
        let waiters = (authentication?.waiters ?? []) + [waiter].compactMap(\.self)
        authentication?.waiters = []
        let signIn = signInGeneration
        beginGeneration()
        (signInGeneration, self.exchange, refresh) = (signIn, exchange, exchange == nil ? nil : running)
        if let late {
            unstored = Unstored(value: late.value.updated(by: given, for: nil), predecessor: value)
            commitAgain()
        }
        adopt(value, of: record, now)
        endStepUp(with: value, now)
        for waiter in waiters { succeed(waiter, value) }
        for caller in callers { use(caller, now) }
    }
}
