// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation

// The operations on the record, one at a time, and what they make of the session.

extension SessionMachine {
    /// An operation on the record.
    package struct StoreOperation: Sendable {
        /// The purpose of the operation.
        package enum Kind: Sendable {
            /// Reads the record, and follows it.
            case read
            /// Signs a user in, or out for nil; with a generation, only if no other has begun since.
            case replace(TokenRecord<Value>?, Waiter, since: Int?)
            /// Reads the record before a refresh, and stores the key of the request.
            case prepare
            /// Stores the successor.
            case commit
            /// Stores that the issuer has ended the session.
            case end(SessionFailure)
            /// Stores the credential of the same user's new authentication; nil is the authentication under way.
            case stepUp(Value, since: Int, Waiter?)
            /// Stores a credential that a response has changed.
            case rotate(Rotation, Waiter)
        }

        /// The call of the store that is under way.
        package enum Phase: Sendable {
            case queued, entering, loading
            case saving(TokenRecord<Value>?)
            /// The record is read after a failure, which may have come after the change.
            case verifying(TokenRecord<Value>?, SessionFailure)
        }

        /// A caller that waits until the record has been read, and its request for a credential.
        package struct Reader: Sendable {
            package var waiter: Waiter
            package var use: Use?
        }

        package var kind: Kind
        package var phase = Phase.queued
        /// The callers of a read.
        package var readers: [Reader] = []
        /// The credential of a record that was read before a sign-out.
        package var found: Value?

        /// Whether it is a read, which needs no lock: a record is replaced as a whole.
        package var readsOnly: Bool { if case .read = kind { true } else { false } }

        var isPreparation: Bool { if case .prepare = kind { true } else { false } }

        var isCommit: Bool { if case .commit = kind { true } else { false } }

        package var isReplacement: Bool { if case .replace = kind { true } else { false } }

        var isQueued: Bool { if case .queued = phase { true } else { false } }
    }

    /// Adds an operation; what the user does comes before everything that waits.
    mutating func enqueue(_ kind: StoreOperation.Kind) {
        let operation = StoreOperation(kind: kind)
        guard operation.isReplacement else { return operations.append(operation) }
        let place = operations.firstIndex { $0.isQueued && !$0.isReplacement } ?? operations.endIndex
        operations.insert(operation, at: place)
    }

    /// Stores the successor now, unless that is about to happen.
    mutating func commitAgain() {
        guard unstored != nil, !operations.contains(where: \.isCommit) else { return }
        enqueue(.commit)
    }

    /// Begins the first operation, if it is not running.
    mutating func beginOperations(_ now: SessionMoment) {
        while !isFrozen, let operation = operations.first, operation.isQueued {
            if configuration.isShared, !operation.readsOnly {
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
        case .read, .prepare, .end: loads = true
        case .commit, .stepUp, .rotate: loads = configuration.keepsRecords
        // A store that cannot be read must not prevent a sign-out.
        case .replace(let record, _, _): loads = record == nil && isUnread
        }
        guard loads else { return decide(nil, now) }
        operations[0].phase = .loading
        effect(.load)
    }

    mutating func storeEntered(_ entry: Entry, _ now: SessionMoment) {
        guard let operation = operations.first, case .entering = operation.phase else { return }
        if isFrozen {
            if entry == .entered { effect(.leave(.store)) }
            operations[0].phase = .queued
            return
        }
        switch entry {
        case .entered: beginReading(now)
        case .busy: closeOperation(failing: AuthError.lockHeld(by: nil), isInside: false, now)
        case .abandoned(let holder): closeOperation(failing: AuthError.lockHeld(by: holder), isInside: false, now)
        case .failed(let failure): closeOperation(failing: failure.error, isInside: false, now)
        }
    }

    mutating func recordLoaded(_ result: Result<TokenRecord<Value>?, SessionFailure>, _ now: SessionMoment) {
        guard let operation = operations.first else { return }
        switch (operation.phase, operation.kind, result) {
        case (.loading, .replace, _):
            if case .success(let record) = result { operations[0].found = record?.credential }
            decide(nil, now)
        case (.loading, _, .success(let record)): decide(record, now)
        case (.loading, _, .failure(let failure)): closeOperation(failing: failure.error, now)
        case (.verifying(let record, let failure), _, .success(let kept)):
            if isSame(kept, record) { return written(record, failure: failure, now) }
            // Without other writers a missing record is damage of this failure, and memory is right.
            if configuration.isShared, !isUnread, kept != nil || state.isSignedIn { _ = follow(kept, now) }
            closeOperation(failing: failure.error, now)
        case (.verifying(_, let failure), _, .failure): closeOperation(failing: failure.error, now)
        case (.queued, _, _), (.entering, _, _), (.saving, _, _): break
        }
    }

    mutating func recordSaved(_ failure: SessionFailure?, _ now: SessionMoment) {
        guard let operation = operations.first, case .saving(let record) = operation.phase else { return }
        guard let failure else { return written(record, failure: nil, now) }
        // The server has rotated it, stored or not, and would refuse the predecessor.
        if case .rotate = operation.kind { return written(record, failure: failure, now) }
        operations[0].phase = .verifying(record, failure)
        effect(.load)
    }

    mutating func save(_ record: TokenRecord<Value>?) {
        operations[0].phase = .saving(record)
        effect(.save(record))
    }

    /// Leaves the store; the next operation begins once the event has been handled.
    mutating func closeOperation(isInside: Bool = true) {
        let operation = operations.removeFirst()
        if configuration.isShared, !operation.readsOnly, isInside { effect(.leave(.store)) }
    }

    /// Whether the store, which may keep credentials only, holds exactly the given record.
    private func isSame(_ kept: TokenRecord<Value>?, _ given: TokenRecord<Value>?) -> Bool {
        guard kept?.credential == given?.credential else { return false }
        return !configuration.keepsRecords
            || (kept?.sessionID, kept?.refreshKey, kept?.end) == (given?.sessionID, given?.refreshKey, given?.end)
    }

    /// Creates a record of a credential that was issued just now.
    func newRecord(of value: Value, sessionID: String?, _ now: SessionMoment) -> TokenRecord<Value> {
        TokenRecord(credential: value, sessionID: sessionID, issued: value.issued == nil ? now.issuerDate : nil)
    }

    /// Replaces the record as the user wants.
    mutating func replace(by value: Value?, _ waiter: Waiter, since generation: Int?, _ now: SessionMoment) {
        let record = value.map { newRecord(of: $0, sessionID: now.random.identifier(), now) }
        enqueue(.replace(record, waiter, since: generation))
    }

    mutating func recordChanged() {
        // An uncommitted successor is stored now, or dropped where the record outranks it.
        guard unstored == nil else { return commitAgain() }
        // A read that is under way may have found the record as it was before.
        let isBeingRead = operations.contains { $0.readsOnly && !$0.isQueued }
        if isBeingRead, !operations.contains(where: { $0.readsOnly && $0.isQueued }) {
            enqueue(.read)
        } else if !isUnread {
            readRecord()
        }
    }
}

extension SessionMachine.StoreOperation: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.StoreOperation.Kind: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.StoreOperation.Phase: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.StoreOperation.Reader: Equatable, Hashable where Value: Hashable {}

// MARK: - Decisions over a record

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

    private mutating func decide(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
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
            guard refresh?.stage == .ending, let pendingRequest else { return closeOperation() }
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
            revokeUnstored(over: record)
            beginGeneration(failing: reason == .issuer ? .reauthenticationRequired : .missingToken)
            end(reason)
            return .ended
        }
        if isOtherSignIn(record, value) {
            beginGeneration()
            identify(by: record)
            adopt(value, now)
            endStepUp(with: value, now)
            return .otherSignIn
        }
        if value == state.credential {
            sessionID = record.sessionID
        } else {
            identify(by: record)
            adopt(value, now)
            if isExpired(value, now) { pauseBackgroundRefreshes(now) }
        }
        return .current(value)
    }

    /// Whether another sign-in happened elsewhere; a record without an identifier counts as a refresh of the same user.
    private func isOtherSignIn(_ record: TokenRecord<Value>, _ value: Value) -> Bool {
        if let id = record.sessionID, let sessionID { return id != sessionID }
        return state.credential.map { value.hasSameUser(as: $0) == false } ?? false
    }

    /// Ends the running operation because the record holds something else than it is about.
    private mutating func followInstead(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        closeOperation()
        if case .current = follow(record, now) { finishRefresh(.success(()), now) }
    }

    /// Restores the session, or follows the record of another one.
    private mutating func read(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        let readers = operations[0].readers
        closeOperation()
        staleness = nil
        let isRestoration = isUnread
        if isRestoration {
            identify(by: record)
            if let value = record?.credential { adopt(value, now) } else { end(record?.end ?? .noAccount) }
        } else if case .signedOut(let reason) = state {
            followWhileSignedOut(record, reason, now)
        } else if unstored == nil {
            _ = follow(record, now)
        }
        for reader in readers {
            guard var use = reader.use else {
                succeed(reader.waiter)
                continue
            }
            use.isConfirmed = true
            self.use(use, reader.waiter, now)
        }
        // A process that has ended may have used up the refresh token: the issuer repeats its response only for a while.
        if isRestoration, record?.refreshKey != nil, let value = state.credential { refreshInBackground(value, now) }
    }

    private mutating func followWhileSignedOut(
        _ record: TokenRecord<Value>?, _ reason: SignedOutReason, _ now: SessionMoment
    ) {
        if let value = record?.credential {
            // The store could not keep that the issuer has ended this one.
            if let refusedByIssuer, value.hasSameRefreshToken(as: refusedByIssuer) { return }
            beginGeneration()
            identify(by: record)
            adopt(value, now)
        } else if (record?.end == .issuer) != (reason == .issuer) {
            end(record?.end ?? .user)
        }
    }

    /// Finds the key of the request, and stores it before the request is sent.
    ///
    /// The key is that of the last attempt with the same refresh token, whether it was made by this session, by another
    /// process or before a crash: the issuer then repeats a response that was lost.
    private mutating func prepareRequest(_ record: TokenRecord<Value>?, _ now: SessionMoment) {
        guard let refresh, refresh.stage == .preparing else { return closeOperation() }
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
            ids: isRepetition ? pendingRequest?.ids ?? [] : [])
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
    private func isSame(_ value: Value, _ other: Value, for target: TokenTarget?) -> Bool {
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
        guard let unstored else { return closeOperation() }
        if configuration.keepsRecords {
            guard let stored = record?.credential, record?.sessionID == sessionID,
                isStill(stored, unstored.predecessor, key: record?.refreshKey)
            else {
                revokeUnstored(over: record)
                (self.unstored, pendingRequest) = (nil, nil)
                return followInstead(record, now)
            }
        }
        save(newRecord(of: unstored.value, sessionID: sessionID, now))
    }

    /// Tells the issuer that nobody uses a successor, since its user has signed out before it was stored.
    ///
    /// After a sign-in it stays as it is, as in `issuerResponded`.
    private mutating func revokeUnstored(over record: TokenRecord<Value>?) {
        guard let unstored, record?.credential == nil, record?.end != .issuer else { return }
        effect(.revoke(unstored.value))
    }

    /// Whether the stored credential is still the refreshed one.
    ///
    /// If no other session writes, a rotation by a response does not count as a refresh. Nor does a step-up without a
    /// refresh token of its own, which leaves the key of the request.
    private func isStill(_ stored: Value, _ predecessor: Value, key: String?) -> Bool {
        guard stored.hasSameRefreshToken(as: predecessor) else { return false }
        return !configuration.isShared || stored.hasSameAccessToken(as: predecessor)
            || key != nil && key == pendingRequest?.key
    }

    private mutating func rotate(
        by rotation: Rotation, over record: TokenRecord<Value>?, _ waiter: Waiter, _ now: SessionMoment
    ) {
        guard rotation.generation == generation, let current = state.credential,
            !configuration.keepsRecords || record?.credential == current, let rotated = rotation.successor(current)
        else {
            closeOperation()
            return succeed(waiter)
        }
        var changed = newRecord(of: rotated, sessionID: record?.sessionID ?? sessionID, now)
        (changed.refreshKey, changed.refreshTarget) = (record?.refreshKey, record?.refreshTarget)
        save(changed)
    }
}

// MARK: - The ends of operations

extension SessionMachine {
    /// A change by another session that could not be read.
    package struct Staleness: Sendable, Hashable {
        /// The number of failed attempts.
        package var failures: Int
        /// The monotonic time of the next attempt.
        package var retry: Duration

        init(after earlier: Staleness?, _ now: SessionMoment) {
            failures = (earlier?.failures ?? 0) + 1
            retry = now.uptime + SessionMachine.retryDelay(after: failures - 1)
        }
    }

    /// Returns the pause before the store is used again: 1, 2, 4, 8, and then 15 seconds.
    static func retryDelay(after failures: Int) -> Duration { .seconds(min(1 << min(failures, 4), 15)) }

    /// Makes a stored record the state of the session.
    ///
    /// - Parameter failure: The failure of a store that holds the record nevertheless, such as a disk whose last call
    ///   failed: other sessions follow the stored record, and so does this one.
    private mutating func written(_ record: TokenRecord<Value>?, failure: SessionFailure?, _ now: SessionMoment) {
        let operation = operations[0]
        closeOperation()
        switch operation.kind {
        case .read: return
        case .replace(_, let waiter, _):
            let last = unstored?.value ?? state.credential ?? operation.found
            // A sign-out that fails gives its caller no credential to revoke.
            if failure != nil { revokeUnstored(over: record) }
            beginGeneration()
            // The credentials that were refreshed too often belong to an earlier sign-in.
            requestTimes = []
            identify(by: record)
            if let value = record?.credential { adopt(value, now) } else { end(.user) }
            endStepUp(with: record?.credential, now)
            if let failure { fail(waiter, AuthError.fromStore(failure.error)) } else { succeed(waiter, last) }
        case .prepare: return sendPrepared(now)
        case .commit:
            guard let value = record?.credential else { return }
            (unstored, pendingRequest, pause) = (nil, nil, nil)
            identify(by: record)
            adopt(value, now)
            if isExpired(value, now) { pauseBackgroundRefreshes(now) }
            if refresh?.stage == .committing { finishRefresh(.success(()), now) }
        case .end(let cause): endByIssuer(cause)
        case .stepUp(let given, _, let waiter): stepUpWritten(record, of: given, waiter, now)
        case .rotate(_, let waiter):
            guard let value = record?.credential else { return succeed(waiter) }
            recordedIssueDate = record?.issued
            adopt(value, now)
            return succeed(waiter, value)
        }
        effect(.announce)
    }

    /// Sends the request whose key was stored, unless its time is over.
    private mutating func sendPrepared(_ now: SessionMoment) {
        guard refresh?.stage == .preparing else { return }
        sendRequest(now)
    }

    private mutating func endByIssuer(_ cause: SessionFailure) {
        let refused = pendingRequest?.credential
        beginGeneration(failing: .reauthenticationRequired.caused(by: cause.error))
        refusedByIssuer = refused
        end(.issuer)
    }

    /// Ends the running operation with a failure of the store, which ends nothing else.
    mutating func closeOperation(
        failing error: any Error, isInside: Bool = true, _ now: SessionMoment
    ) {
        let operation = operations[0]
        let error = AuthError.fromStore(error)
        closeOperation(isInside: isInside)
        switch operation.kind {
        case .read:
            if isUnread { publish(.unavailable(error)) } else { staleness = Staleness(after: staleness, now) }
            for reader in operation.readers { fail(reader.waiter, error) }
        case .replace(_, let waiter, _): fail(waiter, error)
        case .prepare: if refresh?.stage == .preparing { finishRefresh(.failure(error), now) }
        case .commit:
            guard let failures = unstored?.failures else { return }
            unstored?.failures = failures + 1
            unstored?.retry = now.uptime + Self.retryDelay(after: failures)
            if refresh?.stage == .committing { finishRefresh(.failure(error), now) }
        case .end(let cause):
            guard refresh?.stage == .ending else { return }
            // The issuer's word counts, though a full disk cannot keep it: the next start gets it again.
            if case .loading = operation.phase { return finishRefresh(.failure(error), now) }
            if case .entering = operation.phase { return finishRefresh(.failure(error), now) }
            endByIssuer(cause)
        case .stepUp(_, _, let waiter):
            if let waiter { return fail(waiter, error) }
            guard let authentication else { return }
            self.authentication = nil
            for waiter in authentication.waiters { fail(waiter, error) }
        case .rotate(_, let waiter): succeed(waiter)
        }
    }
}
