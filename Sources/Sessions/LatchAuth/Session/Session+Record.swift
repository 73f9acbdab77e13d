// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension Session {
    /// Runs `body` while no other operation of this session, and no other session, uses the record.
    ///
    /// An actor alone would not keep two operations apart, since it lets others in at every `await`.
    ///
    /// - Throws: What `body` throws, an error of the store as an `AuthError` with a `store…` code.
    func withStore<Result>(_ body: () async throws -> Result) async throws -> Result {
        await enterQueue()
        defer { leaveQueue() }
        do {
            let turn = try await records.coordination?.enter(.store)
            defer { turn?.end() }
            return try await body()
        } catch let error where error is CancellationError {
            throw error
        } catch {
            throw AuthError.fromStore(error)
        }
    }

    /// In order of arrival.
    private func enterQueue() async {
        guard storeIsBusy else { return storeIsBusy = true }
        await withCheckedContinuation { storeQueue.append($0) }
    }

    /// Hands the store to the next in line, without letting anybody in between, or marks it free.
    private func leaveQueue() {
        guard storeQueue.isEmpty else { return storeQueue.removeFirst().resume() }
        storeIsBusy = false
    }

    /// Takes over what another session has made of the record.
    ///
    /// - Returns: The credential that is current now.
    /// - Throws: `superseded` where it belongs to another sign-in, `missingToken` or `reauthenticationRequired` where there
    ///   is none. What was under way for the earlier sign-in is then dropped.
    func follow(_ record: TokenRecord<Value>?) throws -> Value {
        guard let record, let value = record.credential else {
            let reason = record?.end ?? .person
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
            signInID = record.signIn
            return value
        }
        identify(by: record)
        adopt(value)
        return value
    }

    /// Remembers what a record says of its credential.
    func identify(by record: TokenRecord<Value>?) { (signInID, handedOut) = (record?.signIn, record?.handedOut) }

    /// A record of a credential that was handed out just now.
    func newRecord(of value: Value, signIn: String?) -> TokenRecord<Value> {
        TokenRecord(credential: value, signIn: signIn, handedOut: value.issued == nil ? issuerNow : nil)
    }

    /// Whether somebody signed in elsewhere since; where one of the two has no name, it is taken for a renewal.
    private func isOtherSignIn(_ record: TokenRecord<Value>) -> Bool {
        guard let id = record.signIn, let signInID else { return false }
        return id != signInID
    }

    /// Replaces the record, by nothing if there is none.
    ///
    /// - Returns: What the store failed with though it has stored all the same, as a disk whose last word was an error:
    ///   other sessions go by what they find there, and so does this one.
    /// - Throws: What the store failed with where it holds something else; the session follows what others made of it.
    @discardableResult
    func store(_ record: TokenRecord<Value>?) async throws -> (any Error)? {
        do {
            if let record { try await records.save(record) } else { try await records.clear() }
            return nil
        } catch let failure {
            let kept: TokenRecord<Value>?
            do { kept = try await records.load() } catch { throw failure }
            if isSame(kept, record) { return failure }
            // Where nobody else writes, what is missing now is what the failure has cost, and memory knows better.
            guard records.coordination != nil, !isUnread, kept != nil || state.isSignedIn else { throw failure }
            do {
                _ = try follow(kept)
            } catch {
                // Who waits for what that ends is told by `follow`.
            }
            throw failure
        }
    }

    /// Whether the store, which may keep credentials only, holds just what it was given.
    private func isSame(_ kept: TokenRecord<Value>?, _ given: TokenRecord<Value>?) -> Bool {
        guard kept?.credential == given?.credential else { return false }
        return !records.areKept || (kept?.signIn, kept?.intent, kept?.end) == (given?.signIn, given?.intent, given?.end)
    }

    /// Begins to listen to the other sessions over the record, once.
    func listen() {
        guard listener == nil, let coordination = records.coordination else { return }
        let changes = coordination.changes()
        listener = Task.detached(executorPreference: executor) { [weak self] in
            for await _ in changes { await self?.recordHasChanged() }
        }
    }

    /// Reads the record once more before somebody is told that nobody is signed in: the news of a sign-in in another
    /// process may still be on its way, or lost.
    func lookAgain() async throws {
        guard records.coordination != nil, keeps(.lookAgain) else { return }
        let generation = generation
        try await withStore {
            let record = try await records.load()
            guard generation == self.generation, case .signedOut(let reason) = state else { return }
            if let value = record?.credential {
                beginGeneration()
                identify(by: record)
                adopt(value)
            } else if (record?.end == .issuer) != (reason == .issuer) {
                end(record?.end ?? .person)
            }
        }
    }

    /// Another session has changed the record.
    ///
    /// What is not stored yet is tried again, or gives way to what the others have made of it.
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
            // Who uses the session is told; nobody waits here. What cannot be read now is read at the next use.
        }
    }
}
