// SPDX-License-Identifier: Apache-2.0

import LatchCore

// The record of a session: read and written in turns, and followed where another process has changed it.

extension Session {
    /// Runs `body` while no other operation of this session, and no other session, uses the record.
    ///
    /// - Throws: The error of `body`; an error of the store as an `AuthError` with a `store…` code.
    func withStore<Result>(_ body: () async throws -> Result) async throws -> Result {
        await enterQueue()
        defer { leaveQueue() }
        do {
            let lock = try await records.coordination?.enter(.store)
            defer { lock?.release() }
            return try await body()
        } catch let error where error is CancellationError {
            throw error
        } catch {
            throw AuthError.fromStore(error)
        }
    }

    /// Waits for the store, in order of arrival.
    private func enterQueue() async {
        guard storeIsBusy else { return storeIsBusy = true }
        await withCheckedContinuation { storeQueue.append($0) }
    }

    /// Passes the store to the next operation in line, with no gap in between, or marks it free.
    private func leaveQueue() {
        guard storeQueue.isEmpty else { return storeQueue.removeFirst().resume() }
        storeIsBusy = false
    }

    /// Creates a record of a credential that was issued just now.
    func newRecord(of value: Value, sessionID: String?) -> TokenRecord<Value> {
        TokenRecord(credential: value, sessionID: sessionID, issued: value.issued == nil ? issuerNow : nil)
    }

    /// Remembers the facts that a record keeps about its credential.
    func identify(by record: TokenRecord<Value>?) {
        (sessionID, recordedIssueDate) = (record?.sessionID, record?.issued)
    }

    /// Replaces the record, or removes it for nil.
    ///
    /// - Returns: The failure of a store that holds the new record nevertheless, such as a disk whose last call failed:
    ///   other sessions follow the stored record, and so does this one.
    /// - Throws: The failure of a store that holds something else; the session then follows the stored record.
    @discardableResult
    func store(_ record: TokenRecord<Value>?) async throws -> (any Error)? {
        do {
            if let record { try await records.save(record) } else { try await records.clear() }
            return nil
        } catch let failure {
            let kept: TokenRecord<Value>?
            do { kept = try await records.load() } catch { throw failure }
            if isSame(kept, record) { return failure }
            // Without other writers a missing record is damage of this failure, and memory is right.
            guard records.coordination != nil, !isUnread, kept != nil || state.isSignedIn else { throw failure }
            do {
                _ = try follow(kept)
            } catch {
                // `follow` has already failed the waiters of the refresh that it ended.
            }
            throw failure
        }
    }

    /// Whether the store, which may keep credentials only, holds exactly the given record.
    private func isSame(_ kept: TokenRecord<Value>?, _ given: TokenRecord<Value>?) -> Bool {
        guard kept?.credential == given?.credential else { return false }
        return !records.keepsRecords
            || (kept?.sessionID, kept?.refreshKey, kept?.end) == (given?.sessionID, given?.refreshKey, given?.end)
    }

    /// Adopts the record that another session has stored.
    ///
    /// - Returns: The credential that is current now.
    /// - Throws: `superseded` if it belongs to another sign-in, `missingToken` or `reauthenticationRequired` if it
    ///   holds no credential. The running operations of the earlier sign-in are then abandoned.
    func follow(_ record: TokenRecord<Value>?) throws -> Value {
        guard let record, let value = record.credential else {
            let reason = record?.end ?? .user
            let error = reason == .issuer ? AuthError.reauthenticationRequired : AuthError.missingToken
            beginGeneration(failing: error)
            end(reason)
            throw error
        }
        guard !isOtherSignIn(record) else {
            beginGeneration()
            identify(by: record)
            adopt(value)
            endStepUp(with: value)
            throw AuthError.superseded
        }
        guard value != state.credential else {
            sessionID = record.sessionID
            return value
        }
        identify(by: record)
        adopt(value)
        return value
    }

    /// Whether another sign-in happened elsewhere; a record without an identifier counts as a refresh.
    private func isOtherSignIn(_ record: TokenRecord<Value>) -> Bool {
        guard let id = record.sessionID, let sessionID else { return false }
        return id != sessionID
    }

    /// Reads the record once more before the session reports that it is signed out: the notification of a sign-in in
    /// another process may be slow, or have crashed.
    func confirmSignOut() async throws {
        guard records.coordination != nil else { return }
        let generation = generation
        try await withStore {
            let record = try await records.load()
            guard generation == self.generation, case .signedOut(let reason) = state else { return }
            if let value = record?.credential {
                beginGeneration()
                identify(by: record)
                adopt(value)
            } else if (record?.end == .issuer) != (reason == .issuer) {
                end(record?.end ?? .user)
            }
        }
    }

    /// Begins to listen to the other sessions over the record, once.
    func listen() {
        guard listener == nil, let coordination = records.coordination else { return }
        let changes = coordination.changes()
        listener = Task.detached(executorPreference: executor) { [weak self] in
            for await _ in changes { await self?.recordHasChanged() }
        }
    }

    /// Follows a change by another session.
    ///
    /// An uncommitted successor is stored now, or dropped where the record outranks it.
    private func recordHasChanged() async {
        guard !isUnread else { return }
        let generation = generation
        do {
            if let uncommitted {
                return _ = try await commit(uncommitted.value, after: uncommitted.predecessor, in: generation)
            }
            try await withStore {
                let record = try await records.load()
                guard generation == self.generation, record != nil || state.isSignedIn else {
                    return
                }
                _ = try follow(record)
            }
        } catch {
            // No caller waits here; the next use reads the record again and reports its failure.
        }
    }
}

/// A session's view of its store, whether that keeps whole records or credentials only.
struct SessionRecords<Value: SessionCredential>: Sendable {
    private let store: any TokenStore<Value>
    /// The same store, if it keeps whole records.
    private let records: (any TokenRecordStore<Value>)?

    init(_ store: any TokenStore<Value>) {
        self.store = store
        records = store as? any TokenRecordStore<Value>
    }

    /// Whether `load` returns everything that was passed to `save`.
    var keepsRecords: Bool { records != nil }

    /// The coordination of the sessions over the store; nil if there is only one of them.
    var coordination: (any SessionCoordination)? { records?.coordination }

    /// Returns the stored record.
    func load() async throws -> TokenRecord<Value>? {
        guard let records else { return try await store.load().map { TokenRecord(credential: $0) } }
        return try await records.loadRecord()
    }

    /// Replaces the stored record.
    func save(_ record: TokenRecord<Value>) async throws {
        if let records { return try await records.save(record: record) }
        if let credential = record.credential { try await store.save(credential) } else { try await store.clear() }
    }

    /// Removes the stored record.
    func clear() async throws { try await store.clear() }
}
