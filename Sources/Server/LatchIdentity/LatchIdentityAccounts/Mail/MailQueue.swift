// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityStorage
import Synchronization

/// The worker of the outbox: it sends each stored email until the mail server accepts it.
///
/// An email leaves the outbox only after it was accepted. A crash in between sends it twice, with one Message-ID.
/// Workers of several processes share an outbox: each takes an email with a lease.
package final class MailQueue: Sendable {
    /// The state that the workers share; a worker ends when no email is due.
    fileprivate struct State {
        /// The content of emails under the current configuration; nil before the start.
        var content: MailContent?
        var running = 0
        /// The number of workers that look for an email; one is enough, since a second one would only write once more.
        var looking = 0
        /// The number of times that an email may have become due; a worker that is about to end then looks again.
        var wakes = 0
        /// The emails that are being sent; the value tells whether the email's worker is no longer counted as running.
        var sending: [String: Bool] = [:]
        /// Whether no further worker starts, and whether the present workers take no further email.
        var isClosed = false, isStopped = false
        /// Whether the mail server could not be used for the last email.
        var isFailing = false
        /// The callers of `flush`, which wait until all workers have ended.
        var idle: [CheckedContinuation<Void, Never>] = []
        var polling: Task<Void, Never>?
    }

    /// The interval between two checks of the outbox, for emails of other processes and for further attempts.
    private static let pollInterval = Duration.seconds(5)
    /// The lease of a worker, which it extends while it sends; short, since after a crash users wait that long.
    private static let lease = Duration.seconds(120)
    /// The time after which a slow email's worker is no longer counted, so that slow recipients block no others.
    private static let patience = Duration.seconds(30)
    /// The maximum number of such emails, each of which holds a connection and a thread.
    private static let maximumSlow = 32
    /// The further time for which `close` waits for emails that are being sent.
    private static let lastWait = Duration.seconds(5)
    /// The longest pause between two attempts, so that emails arrive soon after an outage.
    static let longestPause = 300.0
    /// The pause after the mail server has refused an email permanently.
    ///
    /// A mistake in the server's settings must not lose emails, and a dead address must cost few attempts.
    private static let refusalPause = 6 * 3600.0
    /// The age at which an email is given up; RFC 5321 §4.5.4.1 recommends four to five days.
    private static let maximumAge = 4.0 * 86_400

    /// The mail server; nil for the operator's commands, which leave emails to the server.
    private let mailer: (any Mailer)?
    private let store: IdentityStore
    private let metrics: Metrics
    private let clock: WallClock
    private let random: RandomSource
    private let closeTimeout: Duration
    /// The maximum number of workers: enough that one slow recipient blocks no others, few for the mail server.
    private let maximumRunning = 4
    private let state = Mutex(State())

    /// Creates a queue, which starts when it gets its first content.
    ///
    /// - Parameter closeTimeout: The time for which `close` sends emails.
    package init(
        mailer: (any Mailer)?, store: IdentityStore, metrics: Metrics, clock: WallClock,
        random: RandomSource = .system, closeTimeout: Duration = .seconds(10)
    ) {
        self.mailer = mailer
        self.store = store
        self.metrics = metrics
        self.clock = clock
        self.random = random
        self.closeTimeout = closeTimeout
    }

    /// Whether the mail server could not be used for the last email of this process.
    package var isFailing: Bool { state.withLock { $0.isFailing } }

    /// Sends emails with this content from now on; emails that are being sent keep the earlier content.
    package func use(_ content: MailContent) {
        state.withLock { state in
            state.content = content
            guard state.polling == nil, !state.isClosed else { return }
            state.polling = Task { [weak self, clock] in
                while !Task.isCancelled {
                    guard let self else { return }
                    self.wake()
                    do { try await clock.sleep(for: Self.pollInterval) } catch { return }
                }
            }
        }
    }

    /// Sends the emails that are due, in the background.
    package func wake() {
        let starts = state.withLock { state -> Bool in
            state.wakes += 1
            return state.addWorker(maximum: maximumRunning)
        }
        if starts { Task { await work() } }
    }

    /// Sends every waiting email now, for an administrator.
    ///
    /// - Parameter actor: The administrator, for the audit log.
    package func retry(by actor: String) async throws(IdentityError) {
        try await store.retryMails(by: actor, at: clock.now)
        wake()
    }

    /// Returns when every due email has been sent or postponed.
    package func flush() async {
        wake()
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state -> Bool in
                guard state.running > 0 else { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Sends the emails that are due, until the timeout; the others stay in the outbox.
    ///
    /// An email that is being sent is not interrupted: the mail server may have accepted it already. `close` waits five
    /// more seconds for the result.
    package func close() async {
        wake()
        let polling = state.withLock { state in
            state.isClosed = true
            return state.polling
        }
        polling?.cancel()
        let deadline = Task {
            try await clock.sleep(for: closeTimeout)
            state.withLock { $0.isStopped = true }
            try await clock.sleep(for: Self.lastWait)
            for continuation in state.withLock({ state in
                defer { state.idle = [] }
                return state.idle
            }) {
                continuation.resume()
            }
        }
        await flush()
        deadline.cancel()
    }

    /// Sends one email after another until none is due; the last worker resumes the callers of `flush`.
    private func work() async {
        while true {
            let wakes = state.withLock { $0.wakes }
            while await sendNext() {}
            let idle = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
                guard state.wakes == wakes || state.isStopped else { return nil }
                state.running -= 1
                state.looking -= 1
                return state.takeIdle()
            }
            guard let idle else { continue }
            for continuation in idle { continuation.resume() }
            return
        }
    }

    /// Takes an email and sends it; returns false if no email is due, or if the store fails.
    private func sendNext() async -> Bool {
        guard let mailer, let content = state.withLock({ $0.isStopped ? nil : $0.content }), content.isReady else {
            return false
        }
        let claim = content.claim(at: clock.now, leaseEnd: clock.now.addingTimeInterval(Self.lease.inSeconds))
        let claimed: ClaimedMail
        do throws(IdentityError) {
            guard let due = try await store.claimMail(claim) else { return false }
            claimed = due
        } catch {
            // While the store is unavailable, a look loses nothing. After another error, an email may have been taken.
            if error != .storeUnavailable { metrics.count(.mailStoreFailures) }
            return false
        }
        do throws(IdentityError) {
            // More emails may be due than one worker can send.
            let starts = state.withLock { state in
                state.looking -= 1
                return state.addWorker(maximum: maximumRunning)
            }
            if starts { Task { await work() } }
            defer { state.withLock { $0.looking += 1 } }
            try await send(claimed, content, by: mailer)
            return true
        } catch {
            metrics.count(.mailStoreFailures)
            return false
        }
    }

    /// Makes one attempt.
    ///
    /// While the mail server accepts nothing, an email for an address without an account waits like the others. So the
    /// length of the outbox does not reveal which addresses have an account (attack E2).
    private func send(
        _ claimed: ClaimedMail, _ content: MailContent, by mailer: any Mailer
    ) async throws(IdentityError) {
        guard let recipient = claimed.recipient else {
            guard state.withLock({ $0.isFailing }) else { return try await store.remove(mail: claimed.mail.id) }
            return try await postpone(claimed)
        }
        do {
            let message = try content.message(for: claimed, to: recipient)
            state.withLock { $0.sending[claimed.mail.id] = false }
            let waiting = Task { try await wait(for: claimed.mail) }
            defer {
                waiting.cancel()
                state.withLock { if $0.sending.removeValue(forKey: claimed.mail.id) == true { $0.running += 1 } }
            }
            let isSent = try await content.hooks.send(
                IdentityHooks.HookMail(message, for: claimed.mail.purpose))
            if !isSent { try await mailer.send(message) }
        } catch {
            let isRefused = (error as? IdentityError)?.code == IdentityError.mailRefused.code
            // A server that refuses one recipient is not failing.
            state.withLock { $0.isFailing = !isRefused }
            metrics.count(.mails, isRefused ? "refused" : "failed")
            return try await postpone(claimed, isRefused: isRefused)
        }
        state.withLock { $0.isFailing = false }
        metrics.count(.mails, "sent")
        try await store.remove(mail: claimed.mail.id)
    }

    /// Lets another worker start after a while, and extends the lease of an email, until the task is canceled.
    ///
    /// A mail server may take minutes to reply. If the store fails, this ends: when the lease expires, another worker
    /// sends the email once more.
    private func wait(for mail: OutboxMail) async throws {
        try await clock.sleep(for: Self.patience)
        let (starts, idle) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            guard state.sending[mail.id] == false, state.sending.values.count(where: \.self) < Self.maximumSlow else {
                return (false, [])
            }
            state.sending[mail.id] = true
            state.running -= 1
            return (state.addWorker(maximum: maximumRunning), state.takeIdle())
        }
        if starts { Task { await work() } }
        for continuation in idle { continuation.resume() }
        while true {
            try await clock.sleep(for: Self.lease / 2)
            try await store.extendLease(of: mail, to: clock.now.addingTimeInterval(Self.lease.inSeconds))
        }
    }

    /// Sets the next attempt, or gives the email up.
    ///
    /// The pause is 5 seconds after the first attempt, then twice as long each time; after a refusal it is hours. It is
    /// shortened at random by up to a half, so that the emails of an outage do not return all at the same time.
    private func postpone(_ claimed: ClaimedMail, isRefused: Bool = false) async throws(IdentityError) {
        let (mail, now) = (claimed.mail, clock.now)
        guard now.timeIntervalSince(mail.createdAt) < Self.maximumAge else {
            guard claimed.recipient != nil else { return try await store.remove(mail: mail.id) }
            try await store.abandon(mail, at: now)
            return metrics.count(.mails, "abandoned")
        }
        let growing = min(5 * Double(1 << min(mail.attempts - 1, 10)), Self.longestPause)
        let pause = isRefused ? Self.refusalPause : growing
        try await store.postpone(mail, until: now.addingTimeInterval(pause * (1 - random.unit() / 2)))
    }
}

extension MailQueue.State {
    /// Takes and returns the callers of `flush` if no worker runs.
    fileprivate mutating func takeIdle() -> [CheckedContinuation<Void, Never>] {
        guard running == 0 else { return [] }
        defer { idle = [] }
        return idle
    }

    /// Counts a further worker, which the caller must start, if one is allowed and no worker looks for an email.
    fileprivate mutating func addWorker(maximum: Int) -> Bool {
        guard !isClosed || running > 0, !isStopped, running < maximum, looking == 0 else { return false }
        running += 1
        looking += 1
        return true
    }
}
