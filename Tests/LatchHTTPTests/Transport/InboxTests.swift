// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Synchronization
import Testing

@testable import LatchHTTP

/// An inbox as its loop holds it, but for the lock: each test is one task.
private final class HeldInbox: @unchecked Sendable {
    var state = CurlInbox()

    func callAsFunction<Result>(_ body: (inout CurlInbox) -> Result) -> Result { body(&state) }
}

/// The choice of a loop's driver; every case here is a race that is rare in practice.
@Suite struct InboxTests {
    private let pool = CurlTransferPool(configuration: CurlTransport.Configuration())

    /// Hands a transfer in as a task does that waits for it.
    private func accept(_ transfer: CurlTransfer, into inbox: HeldInbox) async -> CurlInbox.SubmissionResult {
        let outcome = Mutex(CurlInbox.SubmissionResult.none)
        await withUnsafeContinuation { waiter in
            outcome.withLock { $0 = inbox { $0.accept(transfer, waiter: waiter) } }
            transfer.waiter = nil
            waiter.resume()
        }
        return outcome.withLock { $0 }
    }

    @Test func `The inbox of a loop has one driver at a time`() {
        let inbox = HeldInbox()
        #expect(inbox { $0.beginLeading() })
        #expect(!inbox { $0.beginLeading() })
        #expect(inbox { $0.endLeading(isIdle: true) })
        #expect(inbox { $0.beginLeading() })
    }

    @Test func `The inbox of a loop goes to the loop's thread if the leader leaves work behind`() throws {
        let inbox = HeldInbox()
        #expect(inbox { $0.beginLeading() })
        #expect(!inbox { $0.endLeading(isIdle: false) })
        expectEqual(inbox.state.driver, .loop)
        #expect(!inbox { $0.beginLeading() })
    }

    @Test func `The inbox of a loop goes to the loop's thread if work arrived while the leader worked`() async throws {
        let inbox = HeldInbox()
        #expect(inbox { $0.beginLeading() })
        // The leader is awake and looks before it leaves, so nobody has to be called.
        await expectEqual(accept(try pool.take(for: nil), into: inbox), .none)
        #expect(!inbox { $0.endLeading(isIdle: true) })
        expectEqual(inbox.state.driver, .loop)
    }

    @Test func `The inbox of a loop lets a task yield after thirty-two transfers without a suspension`() {
        let inbox = HeldInbox()
        for number in 1...96 {
            #expect(inbox { $0.beginLeading() })
            #expect(inbox { $0.endLeading(isIdle: true) })
            expectEqual(inbox { $0.countLed() }, number.isMultiple(of: 32))
        }
    }

    @Test func `The inbox of a loop lets no task lead while answers are slow, except for one try in sixty-four`() {
        let inbox = HeldInbox()
        for _ in 0..<4 {
            #expect(inbox { $0.beginLeading() })
            inbox.state.misses += 1
            inbox { $0.handOver() }
            #expect(inbox { $0.becomeIdle() })
        }
        let tries = (1...128).filter { _ in
            guard inbox({ $0.beginLeading() }) else { return false }
            inbox.state.misses += 1
            inbox { $0.handOver() }
            return inbox { $0.becomeIdle() }
        }
        expectEqual(tries, [64, 128])
    }

    @Test func `The inbox of a loop lets every task lead again after one quick answer`() {
        let inbox = HeldInbox()
        inbox.state.misses = 4
        let first = (1...64).first { _ in inbox { $0.beginLeading() } }
        expectEqual(first, 64)
        #expect(inbox { $0.endLeading(isIdle: true) })
        expectEqual(inbox.state.misses, 0)
        #expect(inbox { $0.beginLeading() })
    }

    @Test func `The inbox of a loop refuses a transfer that was canceled before it came`() async throws {
        let inbox = HeldInbox()
        let transfer = try pool.take(for: nil)
        #expect(!inbox { $0.cancel(transfer) })
        await expectEqual(accept(transfer, into: inbox), .cancelled)
        #expect(inbox.state.arrivals.isEmpty)
        expectEqual(inbox.state.driver, .idle)
    }

    @Test
    func `The inbox of a loop calls the thread if no task drives, and the driver once for each sleep`() async throws {
        let inbox = HeldInbox()
        await expectEqual(accept(try pool.take(for: nil), into: inbox), .wakeThread)
        expectEqual(inbox.state.driver, .loop)
        await expectEqual(accept(try pool.take(for: nil), into: inbox), .none)
        #expect(!inbox { $0.fallAsleep() })
        inbox.state.arrivals = []
        #expect(inbox { $0.fallAsleep() })
        await expectEqual(accept(try pool.take(for: nil), into: inbox), .wakeDriver)
        await expectEqual(accept(try pool.take(for: nil), into: inbox), .none)
    }

    @Test func `The inbox of a loop wakes a sleeping driver for a cancellation, once`() async throws {
        let inbox = HeldInbox()
        let (first, second) = (try pool.take(for: nil), try pool.take(for: nil))
        await expectEqual(accept(first, into: inbox), .wakeThread)
        inbox.state.arrivals = []
        #expect(inbox { $0.fallAsleep() })
        #expect(inbox { $0.cancel(first) })
        #expect(!inbox { $0.cancel(second) })
        expectEqual(inbox.state.cancellations.count, 2)
        #expect(!inbox { $0.becomeIdle() })
    }

    @Test func `The inbox of a loop is not left by its driver while something lies in it`() async throws {
        let inbox = HeldInbox()
        await expectEqual(accept(try pool.take(for: nil), into: inbox), .wakeThread)
        #expect(!inbox { $0.becomeIdle() })
        inbox.state.arrivals = []
        #expect(!inbox { $0.becomeIdle(isIdle: false) })
        #expect(inbox { $0.becomeIdle() })
        expectEqual(inbox.state.driver, .idle)
    }

    @Test func `The inbox of a loop that is stopped ends as soon as no task drives`() {
        let idle = HeldInbox()
        #expect(idle { $0.stop() })
        #expect(idle.state.isFinished)
        #expect(!idle { $0.beginLeading() })
        let busy = HeldInbox()
        #expect(busy { $0.beginLeading() })
        #expect(!busy { $0.stop() })
        #expect(!busy.state.isFinished)
        // The leader is the one who has to ring, since the thread sleeps and would never see it.
        #expect(!busy { $0.endLeading(isIdle: true) })
        #expect(busy.state.isFinished)
    }
}

@Suite struct TransferPoolTests {
    private let pool = CurlTransferPool(configuration: CurlTransport.Configuration())

    @Test func `A pool of transfers reuses returned handles if libcurl can use them again`() throws {
        let first = try pool.take(for: nil)
        pool.giveBack(first)
        try expectEqual(pool.take(for: nil) === first, CurlTransferPool.reusesHandles)
        #expect(try pool.take(for: nil) !== first)
    }

    @Test func `A pool of transfers never reuses a canceled handle`() throws {
        let transfer = try pool.take(for: nil)
        transfer.isCancelled = true
        pool.giveBack(transfer)
        #expect(try pool.take(for: nil) !== transfer)
    }

    @Test func `A pool of transfers keeps no more than a fixed number`() throws {
        weak var last: CurlTransfer?
        do {
            let transfers = try (0..<129).map { _ in try pool.take(for: nil) }
            last = transfers.last
            for transfer in transfers { pool.giveBack(transfer) }
        }
        expectNil(last)
    }
}

@Suite struct CurlTimeoutTests {
    @Test(
        arguments: [
            (.zero, 1), (.nanoseconds(1), 1), (.microseconds(999), 1), (.milliseconds(1), 1), (.microseconds(1_999), 1),
            (.milliseconds(1_500), 1_500), (.seconds(60), 60_000), (.seconds(-1), 1), (.milliseconds(-1), 1),
            (.seconds(2_147_482), 2_147_482_000), (.seconds(2_147_484), 2_147_483_647),
            (.seconds(Int64.max), 2_147_483_647), (.seconds(Int64.min), 1),
        ] as [(Duration, Int)])
    func `A timeout for libcurl is never 0, which would mean forever, and never more than it can hold`(
        duration: Duration, whole: Int
    ) {
        expectEqual(duration.wholeMilliseconds, whole)
    }
}
