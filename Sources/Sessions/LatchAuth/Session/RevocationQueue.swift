// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// A credential whose session has ended on this device, but perhaps not at the issuer.
package struct PendingRevocation<Value: Sendable>: Sendable {
    let credential: Value
    /// The date of the sign-out, by this device's clock.
    let date: Date
}

extension PendingRevocation: Encodable where Value: Encodable {}
extension PendingRevocation: Decodable where Value: Decodable {}

/// The outcome of an attempt to revoke a credential.
package enum RevocationOutcome: Sendable {
    case confirmed
    /// The issuer does not revoke the credential, now or later.
    case refused
    /// The issuer could not be reached, or could not revoke the credential now.
    case unavailable
}

/// The credentials of ended sessions whose revocation the issuer has not confirmed.
///
/// A user who signs out without a network is signed out immediately on this device. The credential is kept next to the
/// record of the session until the issuer has revoked it, so that it survives a restart. At most eight credentials are
/// kept, for 30 days.
///
/// It is used only while no user is signed in. With one grant for each user and client, an issuer that revokes an old
/// session would also end a new one. Reading a secret may also prompt the user.
actor RevocationQueue<Value: SessionCredential> {
    /// A request to the issuer to revoke a credential.
    typealias Revoke = @Sendable (Value) async -> RevocationOutcome

    private let records: SessionRecords<Value>
    private let clock: WallClock
    private let executor: (any TaskExecutor)?
    /// The session's default request.
    nonisolated let revoke: Revoke
    /// Returns whether no user is signed in.
    private let isSignedOut: @Sendable () -> Bool
    /// The credentials that the store could not keep.
    private var unstored: [Value] = []
    /// The running attempt; later callers wait for it.
    private var attempt: Task<Bool, Never>?
    /// The wait for the next attempt.
    private var timer: Task<Void, Never>?
    private var failures = 0
    /// Serializes the changes of the list.
    private let mutex = AsyncMutex()
    /// The running change of the list.
    private var running: Task<[PendingRevocation<Value>]?, Never>?
    private var isSuspended = false
    /// The number of sign-outs whose credential has not arrived at ``add(_:revokingBy:)`` yet.
    private var expected = 0
    /// The attempts that wait for these credentials.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(
        records: SessionRecords<Value>, clock: WallClock, executor: (any TaskExecutor)?,
        isSignedOut: @escaping @Sendable () -> Bool, revoke: @escaping Revoke
    ) {
        (self.records, self.clock, self.executor) = (records, clock, executor)
        (self.isSignedOut, self.revoke) = (isSignedOut, revoke)
    }

    deinit { timer?.cancel() }

    private static var greatestAge: TimeInterval { 30 * 86_400 }
    private static var greatestCount: Int { 8 }

    /// Announces a sign-out, so that no attempt reports success before its credential arrives.
    func expectOne() { expected += 1 }

    /// Withdraws the announcement, because the sign-out had no credential or has failed.
    func expectNone() {
        expected -= 1
        guard expected == 0 else { return }
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Keeps a credential, and tries to revoke it.
    ///
    /// - Parameters:
    ///   - first: The function for the first attempt; nil for the session's default.
    ///   - isExpected: Whether ``expectOne()`` announced the sign-out.
    /// - Returns: Whether the issuer confirmed the revocation.
    func add(_ value: Value, revokingBy first: Revoke? = nil, isExpected: Bool = false) async -> Bool {
        await store(value)
        // A user may have signed in during the wait for the store.
        guard isSignedOut() else {
            if isExpected { expectNone() }
            return false
        }
        let outcome = await (first ?? revoke)(value)
        var left = 0
        if case .unavailable = outcome { scheduleRetry() } else { left = await forget([value]) }
        if isExpected { expectNone() }
        if left > 0 { _ = await retry() }
        return outcome == .confirmed
    }

    /// Keeps a credential, and revokes it later.
    ///
    /// The store may have lost its record temporarily, without a sign-out.
    func keep(_ value: Value) async {
        await store(value)
        scheduleRetry()
    }

    private func store(_ value: Value) async {
        let pending = PendingRevocation(credential: value, date: clock.now)
        let kept = await change { $0 = ($0 + [pending]).suffix(Self.greatestCount) }
        if kept == nil { unstored = (unstored + [value]).suffix(Self.greatestCount) }
    }

    /// Tries again to revoke the remaining credentials, unless a user has signed in.
    ///
    /// - Returns: Whether none remain.
    func retry() async -> Bool {
        if expected > 0 { await withCheckedContinuation { waiters.append($0) } }
        guard isSignedOut() else { return true }
        if let attempt { return await attempt.value }
        timer?.cancel()
        let attempt = Task(executorPreference: executor) { await self.revokeAll() }
        self.attempt = attempt
        let isDone = await attempt.value
        // The next attempt is scheduled after this one has ended, because it would otherwise wait for this one's
        // result.
        self.attempt = nil
        if isDone { failures = 0 } else { scheduleRetry() }
        return isDone
    }

    /// Tries a last time, and removes the remaining credentials.
    ///
    /// - Returns: Whether none remained.
    func close() async -> Bool {
        let isDone = await retry()
        timer?.cancel()
        unstored = []
        return await change { $0 = [] } != nil && isDone
    }

    private func revokeAll() async -> Bool {
        let oldest = clock.now.addingTimeInterval(-Self.greatestAge)
        let stored = await change { _ in }
        let left = stored ?? []
        var done = left.filter { $0.date < oldest }.map(\.credential)
        // A store that cannot be read may hold credentials.
        var isUnavailable = stored == nil
        for value in left.map(\.credential) + unstored where !done.contains(value) {
            // A user may have signed in in another process, without this session's knowledge.
            do {
                guard isSignedOut(), try await records.isEmpty() else { break }
            } catch {
                isUnavailable = true
                break
            }
            if case .unavailable = await revoke(value) {
                isUnavailable = true
                break
            }
            done.append(value)
        }
        _ = await forget(done)
        return !isUnavailable
    }

    /// Removes credentials, and returns the number of those that remain.
    private func forget(_ values: [Value]) async -> Int {
        unstored.removeAll(where: values.contains)
        guard !values.isEmpty else { return unstored.count }
        // Credentials that could not be removed are revoked once more, which has no effect (RFC 7009 §2.2).
        let left = await change { $0.removeAll { values.contains($0.credential) } }
        return unstored.count + (left?.count ?? 0)
    }

    /// Changes the stored list, and returns it; nil if the store failed, whose error the session itself reports.
    private func change(
        _ body: @escaping @Sendable (inout [PendingRevocation<Value>]) -> Void
    ) async -> [PendingRevocation<Value>]? {
        do { return try await mutex.withLock { await self.changeAlone(body) } } catch { return nil }
    }

    private func changeAlone(
        _ body: @escaping @Sendable (inout [PendingRevocation<Value>]) -> Void
    ) async -> [PendingRevocation<Value>]? {
        guard !isSuspended else { return nil }
        let task = Task(executorPreference: executor) { [records] () -> [PendingRevocation<Value>]? in
            do { return try await records.changeRevocations(body) } catch { return nil }
        }
        running = task
        defer { running = nil }
        return await task.value
    }

    /// Releases the store's lock, and does not take it again, before the program is suspended.
    func suspend() async {
        isSuspended = true
        running?.cancel()
        _ = await running?.value
    }

    /// Continues after `suspend()`.
    func resume() async {
        isSuspended = false
        if timer != nil { _ = await retry() }
    }

    /// Tries again later: after a minute, then after twice as long each time, up to an hour.
    private func scheduleRetry() {
        let delay = Duration.seconds(min(60 << min(failures, 6), 3_600))
        failures += 1
        timer?.cancel()
        timer = Task.detached(executorPreference: executor) { [weak self, clock] in
            do { try await clock.sleep(for: delay) } catch { return }
            _ = await self?.retry()
        }
    }
}
