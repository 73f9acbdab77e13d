// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Prepares and sends mails off the path of requests, so that no answer tells by its time whether there was a mail.
///
/// The line is bounded: mails beyond it are dropped and counted. What was accepted is sent before the server ends.
final class MailQueue: Sendable {
    /// Makes a mail, or finds that there is none to send.
    typealias Preparation = @Sendable () async throws -> MailMessage?

    private struct State {
        var waiting: [Preparation] = []
        var running = 0
        var isClosed = false
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let mailer: any Mailer
    private let metrics: Metrics
    private let clock: WallClock
    private let maximumWaiting: Int
    private let maximumRunning = 4
    private let state = Lock(State())

    init(mailer: any Mailer, metrics: Metrics, clock: WallClock, maximumWaiting: Int = 1000) {
        self.mailer = mailer
        self.metrics = metrics
        self.clock = clock
        self.maximumWaiting = maximumWaiting
    }

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

    /// Refuses further mails and sends the accepted ones.
    func close() async {
        state.withLock { $0.isClosed = true }
        await flush()
    }

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

    private func deliver(_ message: MailMessage) async throws {
        for attempt in 1...3 {
            do {
                return try await mailer.send(message)
            } catch  where attempt < 3 {
                // A server that ends does not wait for a mail server that may come back.
                guard !state.withLock({ $0.isClosed }) else { throw error }
                try await clock.sleep(for: .seconds(attempt * 5))
            }
        }
    }
}
