// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchTesting
import Synchronization
import Testing

@testable import LatchIdentity

@Suite struct `The line of mails, when the server ends` {
    private func message() throws -> MailMessage { try MailMessage(to: "a@example.com", subject: "x", text: "x") }

    @Test func `does not wait for a mail server that may come back`() async throws {
        let (mailer, metrics) = (RefusingMailer(), Metrics())
        let (paused, pauses) = AsyncStream.makeStream(of: Void.self)
        // A wait ends only with its task: without being cut short this one would outlast the test.
        let clock = WallClock(now: { noon }) { duration in
            if duration == .seconds(5) { pauses.finish() }
            try await untilCancelled()
        }
        let queue = MailQueue(mailer: mailer, metrics: metrics, clock: clock)
        queue.enqueue { try message() }
        for await _ in paused {}
        await queue.close()
        #expect(mailer.attempts == 1)
        #expect(metrics.exposition(gauges: [:]).contains(#"latch_mails_total{result="failed"} 1"#))
    }

    @Test func `tries each mail that still waits once`() async throws {
        let (mailer, metrics) = (RefusingMailer(), Metrics())
        let clock = WallClock(now: { noon }, sleep: { _ in try await untilCancelled() })
        let queue = MailQueue(mailer: mailer, metrics: metrics, clock: clock)
        for _ in 0..<20 { queue.enqueue { try message() } }
        await queue.close()
        #expect(mailer.attempts == 20)
        #expect(metrics.exposition(gauges: [:]).contains(#"latch_mails_total{result="failed"} 20"#))
    }

    @Test func `drops what still waits when its time limit ends, and says how much`() async throws {
        let (mailer, metrics) = (HangingMailer(), Metrics())
        // The time limit ends as soon as somebody waits for it.
        let clock = WallClock(now: { noon }, sleep: { _ in mailer.release() })
        let queue = MailQueue(mailer: mailer, metrics: metrics, clock: clock, closeTimeout: .seconds(1))
        for _ in 0..<500 { queue.enqueue { try message() } }
        await mailer.untilCalled()
        await queue.close()
        let text = metrics.exposition(gauges: [:])
        let count = { (result: String) in
            text.split(separator: "\n").first { $0.hasPrefix(#"latch_mails_total{result="\#(result)"}"#) }
                .flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        }
        #expect(count("sent") == mailer.count)
        #expect(count("sent") + count("dropped") == 500)
        #expect(count("sent") > 0)
    }

    @Test func `is empty at once when nothing was ever in it`() async {
        let queue = MailQueue(mailer: MemoryMailer(), metrics: Metrics(), clock: ManualClock(noon).wallClock())
        await queue.flush()
        await queue.close()
        await queue.close()
    }
}

/// A mail server that takes nothing.
private final class RefusingMailer: Mailer {
    private let tried = Mutex(0)

    var attempts: Int { tried.withLock { $0 } }

    func send(_ message: MailMessage) async throws {
        tried.withLock { $0 += 1 }
        throw IdentityError.mailNotSent
    }
}
