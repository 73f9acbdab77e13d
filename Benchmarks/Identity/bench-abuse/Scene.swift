// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import ServedIdentity
import Synchronization

/// What the threads of a mixed run share: the server, which is replaced in the middle, and their counts.
final class Scene: Sendable {
    private struct State {
        var isOver = false
        var counts: [String: Int] = [:]
        var times: [String: [Double]] = [:]
        var promised: Set<String> = []
        var failures: [String] = []
    }

    let port: Int
    private let state = Mutex(State())
    private let threads = DispatchGroup()

    init(port: Int) { self.port = port }

    var isOver: Bool { state.withLock { $0.isOver } }
    var counts: [String: Int] { state.withLock { $0.counts } }
    var promised: Set<String> { state.withLock { $0.promised } }
    var failures: [String] { state.withLock { $0.failures } }

    func times(_ name: String) -> [Double] { state.withLock { $0.times[name] ?? [] } }
    func count(_ name: String) { state.withLock { $0.counts[name, default: 0] += 1 } }
    func record(_ name: String, _ milliseconds: Double) {
        state.withLock { $0.times[name, default: []].append(milliseconds) }
    }
    func fail(_ text: String) { state.withLock { $0.failures.append(text) } }

    /// Notes that a response has promised a mail.
    func promise(_ subject: Subject, to recipient: String) {
        state.withLock { _ = $0.promised.insert(MailRelay.key(recipient, subject.rawValue)) }
    }

    enum Subject: String {
        case verify = "Confirm your email address"
        case reset = "Reset your password"
    }

    /// Runs `turn` on a thread of its own, again and again until the end, with a pause after each.
    func repeating(every seconds: Double, _ turn: @escaping @Sendable (_ number: Int) -> Void) {
        threads.enter()
        Thread.detachNewThread { [self] in
            var number = 0
            while !isOver {
                turn(number)
                number += 1
                pause(seconds * Double.random(in: 0.5...1.5))
            }
            threads.leave()
        }
    }

    /// Waits on the calling thread, though not beyond the end.
    func pause(_ seconds: Double) {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isOver, ContinuousClock.now < end {
            Thread.sleep(forTimeInterval: min(0.2, max((end - ContinuousClock.now) / .seconds(1), 0)))
        }
    }

    /// Ends all threads, and returns when the last has.
    func finish() async {
        state.withLock { $0.isOver = true }
        await withCheckedContinuation { continuation in threads.notify(queue: .global()) { continuation.resume() } }
    }
}
