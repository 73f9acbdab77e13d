// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import Synchronization
import Testing

@testable import LatchHTTP

/// A task of URLSession, as far as its pauses go: it delivers only while it is not suspended.
private final class PausableTask: @unchecked Sendable {
    private let condition = NSCondition()
    private var suspensions = 0

    func suspend() { change(by: 1) }

    func resume() { change(by: -1) }

    private func change(by count: Int) {
        condition.lock()
        suspensions += count
        condition.signal()
        condition.unlock()
    }

    func waitUntilResumed() {
        condition.lock()
        while suspensions > 0 { condition.wait() }
        condition.unlock()
    }
}

@Suite(.timeLimit(.minutes(1))) struct TransferPauseTests {
    // Larger than the buffer, so that each chunk pauses; smaller, so that some do.
    @Test(arguments: [300_000, 70_000])
    func `A transfer that its reader pauses always goes on when the buffer is empty`(size: Int) async throws {
        let (buffer, pause, task) = (ResponseBuffer<Int>(), TransferPause(), PausableTask())
        let count = 3000
        let chunk = [UInt8](repeating: 1, count: size)
        Thread.detachNewThread {
            for _ in 0..<count {
                task.waitUntilResumed()
                if !buffer.keep(chunk) { pause.suspend(if: { buffer.isHeld }) { task.suspend() } }
            }
            buffer.end(.success(()))
        }
        var received = 0
        while let piece = try await buffer.next(waking: { pause.end { task.resume() } }) { received += piece.count }
        expectEqual(received, count * size)
    }
}
