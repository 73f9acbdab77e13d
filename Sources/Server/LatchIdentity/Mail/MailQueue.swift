// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Prepares and sends mails off the path of requests, so that no answer tells by its time whether there was a mail.
///
/// The line is bounded: mails beyond it are dropped and counted. What was accepted is sent before the server ends, as
/// far as the mail server takes it within the patience of `close`.
final class MailQueue: Sendable {
    /// Makes a mail, or finds that there is none to send.
    typealias Preparation = @Sendable () async throws -> MailMessage?

    /// What the workers share.
    ///
    /// `running` counts workers and not mails: one that finds the line empty ends.
    private struct State {
        var waiting: [Preparation] = []
        var running = 0
        var isClosed = false
        /// Those who wait for the line to be empty and everybody to be done.
        var idle: [CheckedContinuation<Void, Never>] = []
        /// The waits before a further attempt, which the end of the server cuts short.
        var pauses: [Int: Task<Void, any Error>] = [:]
        var lastPause = 0
    }

    private let mailer: any Mailer
    private let metrics: Metrics
    private let clock: WallClock
    private let maximumWaiting: Int
    private let patience: Duration
    /// More would be taken for a flood by many mail servers, fewer would let one slow recipient hold up all.
    private let maximumRunning = 4
    private let state = Mutex(State())

    /// - Parameter patience: How long `close` waits for mails that still stand in the line.
    init(
        mailer: any Mailer, metrics: Metrics, clock: WallClock, maximumWaiting: Int = 1000,
        patience: Duration = .seconds(10)
    ) {
        self.mailer = mailer
        self.metrics = metrics
        self.clock = clock
        self.maximumWaiting = maximumWaiting
        self.patience = patience
    }

    /// Takes a mail on, or drops it when the line is full or the server ends; it never waits and never throws.
    ///
    /// The caller answers its request in the same way in all of these cases.
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

    /// Refuses further mails and sends the accepted ones, once each; what still waits after the patience is dropped.
    ///
    /// A mail that is being sent is not cut off: the mail server may have taken it already.
    func close() async {
        let pauses = state.withLock { state in
            state.isClosed = true
            return state.pauses.values
        }
        for pause in pauses { pause.cancel() }
        let deadline = Task {
            try await clock.sleep(for: patience)
            dropWaiting()
        }
        await flush()
        deadline.cancel()
    }

    /// Empties the line without sending; the mails that are being sent go on.
    private func dropWaiting() {
        let count = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting.count
        }
        metrics.count("latch_mails_total", ["result": "dropped"], by: count)
    }

    /// Takes one mail after another until the line is empty.
    ///
    /// A mail that cannot be prepared, because the store is busy for example, is counted as failed and not tried again:
    /// whoever asked for it will ask again.
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

    /// The next one in the line; the last worker to find it empty wakes those who wait for that.
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

    /// Three attempts, five and ten seconds apart, for a mail server that is restarted.
    private func deliver(_ message: MailMessage) async throws {
        for attempt in 1...3 {
            do {
                return try await mailer.send(message)
            } catch  where attempt < 3 {
                guard try await pause(.seconds(attempt * 5)) else { throw error }
            }
        }
    }

    /// Waits before a further attempt; false at once when the server ends, which does not wait for a mail server that
    /// may come back.
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
