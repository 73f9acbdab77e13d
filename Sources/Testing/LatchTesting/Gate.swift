// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A point at which tasks wait until a test opens it.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// The number of tasks that have arrived so far.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// Counts the task as arrived, and waits until the gate is open.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.arrivals += 1
                let reached = state.watchers.filter { $0.count <= state.arrivals }.map(\.continuation)
                state.watchers.removeAll { $0.count <= state.arrivals }
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen ? reached + [continuation] : reached
            }
            for one in ready { one.resume() }
        }
    }

    /// Waits until `count` tasks have arrived.
    public func reached(by count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals < count { state.watchers.append((count, continuation)) }
                return state.arrivals >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Opens the gate for all tasks.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }
}
