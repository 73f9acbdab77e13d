// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

// The operations on the record, one at a time, and their effects on the session.

extension SessionMachine {
    package struct StoreOperation: Sendable {
        package enum Kind: Sendable {
            /// Reads the record, and follows it.
            case read
            /// Signs a user in, or out if the record is nil.
            ///
            /// With a generation, it does so only if no other has begun since.
            case replace(TokenRecord<Value>?, Waiter, since: Int?)
            /// Reads the record before a refresh, and stores the key of the request.
            case prepare
            case commit
            /// Stores the meaning of an answer without a successor, for the exchange with a key.
            case conclude(Conclusion, key: String)
            /// Stores the credential of the same user's new authentication; a nil waiter means the running
            /// authentication.
            case stepUp(Value, since: Int, Waiter?)
            /// Stores a credential that a response has changed.
            case rotate(Successor, since: Int, Waiter)
        }

        /// The running call of the store.
        package enum Phase: Sendable {
            case queued, entering, loading
            case saving(TokenRecord<Value>?)
            /// The record is being read after a failure, which may have occurred after the change.
            case verifying(TokenRecord<Value>?, SessionFailure)
        }

        package var kind: Kind
        package var phase = Phase.queued
        package var callers: [Caller] = []
        /// The credential in a record that was read before a sign-out.
        package var found: Value?

        /// Whether it is a read, which needs no lock, because a record is replaced as a whole.
        package var readsOnly: Bool { if case .read = kind { true } else { false } }

        /// Whether it is a step of the exchange with the issuer.
        var isPartOfExchange: Bool {
            switch kind {
            case .prepare, .commit, .conclude: true
            case .read, .replace, .stepUp, .rotate: false
            }
        }

        var isCommit: Bool { if case .commit = kind { true } else { false } }

        package var isReplacement: Bool { if case .replace = kind { true } else { false } }

        var isQueued: Bool { if case .queued = phase { true } else { false } }
    }

    /// Adds an operation; the user's operations come before all others that wait.
    mutating func enqueue(_ kind: StoreOperation.Kind) {
        let operation = StoreOperation(kind: kind)
        guard operation.isReplacement else { return operations.append(operation) }
        let place = operations.firstIndex { $0.isQueued && !$0.isReplacement } ?? operations.endIndex
        operations.insert(operation, at: place)
    }

    /// Stores the successor now, unless that operation is already waiting.
    mutating func commitAgain() {
        guard unstored != nil, !operations.contains(where: \.isCommit) else { return }
        enqueue(.commit)
    }

    /// Begins the first operation if it is not running.
    mutating func beginOperations(_ now: SessionMoment) {
        while suspension != .frozen, let operation = operations.first, operation.isQueued {
            if isShared, !operation.readsOnly {
                operations[0].phase = .entering
                effect(.enter(.store, waits: true))
            } else {
                beginReading(now)
            }
        }
    }

    private mutating func beginReading(_ now: SessionMoment) {
        let loads: Bool
        switch operations[0].kind {
        case .read, .prepare, .conclude: loads = true
        case .commit, .stepUp, .rotate: loads = keepsRecords
        // A store that cannot be read must not prevent a sign-out.
        case .replace(let record, _, _): loads = record == nil && (state.isUnread || isShared)
        }
        guard loads else { return decide(nil, now) }
        operations[0].phase = .loading
        effect(.load)
    }

    mutating func storeEntered(_ entry: Entry, _ now: SessionMoment) {
        guard let operation = operations.first, case .entering = operation.phase else { return }
        if suspension == .frozen {
            if entry == .entered { effect(.leave(.store)) }
            operations[0].phase = .queued
            return
        }
        switch entry {
        case .entered: beginReading(now)
        case .occupied(let holder):
            closeOperation(failing: AuthError.lockHeld(by: holder), isInside: false, now)
        case .failed(let failure): closeOperation(failing: failure.error, isInside: false, now)
        }
    }

    mutating func recordLoaded(_ result: Result<TokenRecord<Value>?, SessionFailure>, _ now: SessionMoment) {
        guard let operation = operations.first else { return }
        if case .success(let record) = result, isShared { isContradicted = contradicts(record) }
        switch (operation.phase, operation.kind, result) {
        case (.loading, .replace, _):
            if case .success(let record) = result { operations[0].found = record?.credential }
            decide(nil, now)
        case (.loading, _, .success(let record)): decide(record, now)
        case (.loading, _, .failure(let failure)): closeOperation(failing: failure.error, now)
        case (.verifying(let record, let failure), _, .success(let kept)):
            if isSame(kept, record) { return written(record, failure: failure, now) }
            // Without other writers, a missing record is damage by this failure, and memory is right.
            if isShared, !state.isUnread, unstored == nil, kept != nil || state.isSignedIn {
                follow(kept, now)
            }
            closeOperation(failing: failure.error, now)
        case (.verifying(_, let failure), _, .failure): closeOperation(failing: failure.error, now)
        case (.queued, _, _), (.entering, _, _), (.saving, _, _): break
        }
    }

    mutating func recordSaved(_ failure: SessionFailure?, _ now: SessionMoment) {
        guard let operation = operations.first, case .saving(let record) = operation.phase else { return }
        guard let failure else { return written(record, failure: nil, now) }
        // The server has rotated the credential, stored or not, and would refuse the predecessor.
        if case .rotate(_, _, let waiter) = operation.kind {
            closeOperation()
            return keep(record, waiter, now)
        }
        operations[0].phase = .verifying(record, failure)
        effect(.load)
    }

    mutating func save(_ record: TokenRecord<Value>?) {
        operations[0].phase = .saving(record)
        effect(.save(record))
    }

    /// Leaves the store; the next operation begins after the event has been handled.
    mutating func closeOperation(isInside: Bool = true) {
        let operation = operations.removeFirst()
        if isShared, !operation.readsOnly, isInside { effect(.leave(.store)) }
    }

    /// Whether a record holds a credential; dates are ignored, because one may have lost its last bit when stored.
    func holds(_ record: TokenRecord<Value>?, _ credential: Value) -> Bool {
        guard let kept = record?.credential else { return false }
        return kept.hasSameAccessToken(as: credential) && kept.hasSameRefreshToken(as: credential)
    }

    /// Whether the store, which may keep only credentials, holds exactly the given record.
    private func isSame(_ kept: TokenRecord<Value>?, _ given: TokenRecord<Value>?) -> Bool {
        guard let credential = given?.credential ?? kept?.credential else { return kept?.end == given?.end }
        guard holds(kept, credential), holds(given, credential) else { return false }
        return !keepsRecords
            || (kept?.sessionID, kept?.refreshKey, kept?.refreshRequests, kept?.end)
                == (given?.sessionID, given?.refreshKey, given?.refreshRequests, given?.end)
    }

    /// Creates a record of a newly issued credential.
    func newRecord(of value: Value, sessionID: String?, _ now: SessionMoment) -> TokenRecord<Value> {
        var record = TokenRecord(
            credential: value, sessionID: sessionID, issued: value.issued == nil ? issuerDate(now) : nil)
        record.clockOffset = facts.clockOffset
        return record
    }

    mutating func recordChanged() {
        // An unstored successor is stored now, or dropped if the record takes precedence.
        guard unstored == nil else { return commitAgain() }
        // A running read may have returned the earlier record.
        let isBeingRead = operations.contains { $0.readsOnly && !$0.isQueued }
        if isBeingRead, !operations.contains(where: { $0.readsOnly && $0.isQueued }) {
            enqueue(.read)
        } else if !state.isUnread {
            readRecord()
        }
    }
}

extension SessionMachine.StoreOperation: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.StoreOperation.Kind: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.StoreOperation.Phase: Equatable, Hashable where Value: Hashable {}

// MARK: - The ends of operations

extension SessionMachine {
    /// The monotonic time of the next attempt after failures of a store: after 1, 2, 4, 8, and then every 15 seconds.
    package struct Retry: Sendable, Hashable {
        package var failures: Int
        package var time: Duration

        init(after earlier: Retry?, _ now: SessionMoment) {
            failures = (earlier?.failures ?? 0) + 1
            time = now.uptime + .seconds(min(1 << min(failures - 1, 4), 15))
        }
    }

    /// Makes a stored record the state of the session, also if the store reported a failure but holds the record.
    mutating func written(_ record: TokenRecord<Value>?, failure: SessionFailure?, _ now: SessionMoment) {
        let operation = operations[0]
        closeOperation()
        switch operation.kind {
        case .read: return
        case .replace(_, let waiter, _):
            let last = unstored?.value ?? operation.found ?? state.credential
            // A failed sign-out gives its caller no credential to revoke.
            if failure != nil, record?.credential == nil, let unstored {
                effect(.revoke(unstored.value, isCertain: true))
            }
            var kept: Exchange?
            // An app that saves its tokens again signs in with the refresh token that is in flight.
            if let value = record?.credential, exchange?.credential.hasSameRefreshToken(as: value) == true {
                kept = exchange.take()
                kept?.credential = value
            }
            beginGeneration(isByUser: true)
            exchange = kept
            // The rate limit concerned the credentials of an earlier sign-in.
            requests = [:]
            if let value = record?.credential { adopt(value, of: record, now) } else { end(.user) }
            endStepUp(with: record?.credential, now)
            if let failure { fail(waiter, AuthError.fromStore(failure.error)) } else { succeed(waiter, last) }
        case .prepare: return sendRequest(now)
        case .commit: if let record, let value = record.credential { committed(record, value, now) }
        case .conclude(.ended(let cause), _): endByIssuer(cause)
        case .conclude(.doubted, _), .conclude(.over, _): return
        case .stepUp(let given, _, let waiter): stepUpWritten(record, of: given, waiter, now)
        case .rotate(_, _, let waiter):
            // A refresh has obtained a successor in the meantime, which follows the rotated credential.
            if unstored?.isRotation == false, let value = record?.credential {
                unstored?.predecessor = value
            } else {
                unstored = nil
            }
            rotated(record, waiter, now)
        }
        effect(.announce)
    }

    /// Uses a rotated credential that could not be stored, and stores it later.
    private mutating func keep(_ record: TokenRecord<Value>?, _ waiter: Waiter, _ now: SessionMoment) {
        if let value = record?.credential, let current = state.credential, unstored?.isRotation ?? true {
            unstored = Unstored(
                value: value, predecessor: unstored?.predecessor ?? current, isRotation: true,
                retry: Retry(after: unstored?.retry, now))
        }
        rotated(record, waiter, now)
    }

    private mutating func rotated(_ record: TokenRecord<Value>?, _ waiter: Waiter, _ now: SessionMoment) {
        guard let value = record?.credential else { return succeed(waiter) }
        adopt(value, of: record, now)
        succeed(waiter, value)
    }

    /// Ends the running operation with a failure of the store, which ends no session.
    mutating func closeOperation(
        failing error: any Error, isInside: Bool = true, _ now: SessionMoment
    ) {
        let operation = operations[0]
        let error = AuthError.fromStore(error)
        closeOperation(isInside: isInside)
        switch operation.kind {
        case .read:
            if state.isUnread { publish(.unavailable(error)) } else { staleness = Retry(after: staleness, now) }
            for reader in operation.callers { fail(reader.waiter, error) }
        case .replace(_, let waiter, _): fail(waiter, error)
        case .prepare: finishRefresh(.failure(error), now)
        case .commit:
            guard let unstored else { return finishRefresh(.success(()), now) }
            self.unstored?.retry = Retry(after: unstored.retry, now)
            finishRefresh(.failure(error), now)
        case .conclude(.ended(let cause), let key):
            guard exchange?.key == key else { return }
            switch operation.phase {
            case .loading, .entering: finishRefresh(.failure(error), now)
            // The issuer's decision counts even if a full disk cannot keep it; the next start asks the issuer again.
            case .queued, .saving, .verifying: endByIssuer(cause)
            }
        case .conclude: return
        case .stepUp(let value, let generation, let waiter):
            if let waiter { return fail(waiter, error) }
            effect(.revoke(value, isCertain: false))
            guard let authentication, isSameUser(generation) else { return }
            self.authentication = nil
            for waiter in authentication.waiters { fail(waiter, error) }
        case .rotate(let successor, let since, let waiter):
            guard since == generation, let value = state.credential.flatMap(successor.value) else {
                return succeed(waiter)
            }
            keep(TokenRecord(credential: value, sessionID: facts.sessionID, issued: facts.issued), waiter, now)
        }
    }
}
