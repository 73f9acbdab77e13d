// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A queue that prepares and sends mails after the response, whose time then does not reveal whether there is a mail.
///
/// The queue is bounded: mails beyond it are dropped and counted. Accepted mails are sent before the server ends, as far
/// as the mail server accepts them within the time limit of `close`.
final class MailQueue: Sendable {
    /// A closure that returns a mail, or nil if there is none to send.
    typealias Preparation = @Sendable () async throws -> MailMessage?

    /// The state that the workers share; a worker ends when the queue is empty.
    private struct State {
        var waiting: [Preparation] = []
        var running = 0
        var isClosed = false
        /// The callers of `flush`, which wait until all workers have ended.
        var idle: [CheckedContinuation<Void, Never>] = []
        /// The pauses before a further attempt, which `close` cancels.
        var pauses: [Int: Task<Void, any Error>] = [:]
        var lastPause = 0
    }

    private let mailer: any Mailer
    private let metrics: Metrics
    private let clock: WallClock
    private let maximumWaiting: Int
    private let closeTimeout: Duration
    /// The maximum number of workers: mail servers take more for a flood, and one slow recipient must not block all.
    private let maximumRunning = 4
    private let state = Mutex(State())

    /// Creates a queue.
    ///
    /// - Parameter closeTimeout: The time for which `close` waits for queued mails.
    init(
        mailer: any Mailer, metrics: Metrics, clock: WallClock, maximumWaiting: Int = 1000,
        closeTimeout: Duration = .seconds(10)
    ) {
        self.mailer = mailer
        self.metrics = metrics
        self.clock = clock
        self.maximumWaiting = maximumWaiting
        self.closeTimeout = closeTimeout
    }

    /// Queues a mail, or drops it if the queue is full or closed; the response is the same in all cases.
    func enqueue(_ prepare: @escaping Preparation) {
        let (isAccepted, startsWorker) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed, state.waiting.count < maximumWaiting else { return (false, false) }
            state.waiting.append(prepare)
            guard state.running < maximumRunning else { return (true, false) }
            state.running += 1
            return (true, true)
        }
        if !isAccepted { metrics.count("latch_mails_total", ["result": "dropped"]) }
        if startsWorker { Task { await self.work() } }
    }

    /// Returns once every mail accepted so far has been sent or given up.
    func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state -> Bool in
                guard state.running > 0 else { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Rejects further mails and sends the accepted ones, once each; drops those that still wait after the timeout.
    ///
    /// A mail that is being sent is not interrupted: the mail server may have accepted it already.
    func close() async {
        let pauses = state.withLock { state in
            state.isClosed = true
            return state.pauses.values
        }
        for pause in pauses { pause.cancel() }
        let deadline = Task {
            try await clock.sleep(for: closeTimeout)
            dropWaiting()
        }
        await flush()
        deadline.cancel()
    }

    /// Drops the queued mails; those that are being sent are completed.
    private func dropWaiting() {
        let count = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting.count
        }
        metrics.count("latch_mails_total", ["result": "dropped"], by: count)
    }

    /// Sends one mail after another until the queue is empty.
    ///
    /// A mail whose preparation fails, because the store is busy for example, is counted as failed and not retried: the
    /// user will request it again.
    private func work() async {
        while let prepare = next() {
            do {
                guard let message = try await prepare() else { continue }
                try await deliver(message)
                metrics.count("latch_mails_total", ["result": "sent"])
            } catch {
                metrics.count("latch_mails_total", ["result": "failed"])
            }
        }
    }

    /// Returns the next mail; the last worker that finds none resumes the callers of `flush`.
    private func next() -> Preparation? {
        let (job, idle) = state.withLock { state -> (Preparation?, [CheckedContinuation<Void, Never>]) in
            guard state.waiting.isEmpty else { return (state.waiting.removeFirst(), []) }
            state.running -= 1
            guard state.running == 0 else { return (nil, []) }
            defer { state.idle = [] }
            return (nil, state.idle)
        }
        for continuation in idle { continuation.resume() }
        return job
    }

    /// Makes up to three attempts, five and ten seconds apart.
    private func deliver(_ message: MailMessage) async throws {
        for attempt in 1...3 {
            do {
                return try await mailer.send(message)
            } catch  where attempt < 3 {
                guard try await pause(.seconds(attempt * 5)) else { throw error }
            }
        }
    }

    /// Waits before a further attempt; returns false at once if the queue is closed.
    private func pause(_ duration: Duration) async throws -> Bool {
        let wait = Task { try await clock.sleep(for: duration) }
        let id = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.lastPause += 1
            state.pauses[state.lastPause] = wait
            return state.lastPause
        }
        guard let id else {
            wait.cancel()
            return false
        }
        defer { state.withLock { $0.pauses[id] = nil } }
        try await wait.value
        return true
    }
}
