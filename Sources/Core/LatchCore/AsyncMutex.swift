// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A turn that one task has at a time, given in the order in which it was asked for.
///
/// It is the lock for what takes time: unlike a `Mutex` it may be held across an `await`, and who waits for it can be
/// cancelled and then leaves the line. Asking, giving and leaving cost the same however long the line is.
package final class AsyncMutex: Sendable {
    /// Where one who asked stands.
    private enum Place {
        /// Has a number and is about to wait.
        case arriving
        case waiting(CheckedContinuation<Bool, Never>)
        /// Was given the turn while arriving.
        case given
        /// Was cancelled while arriving.
        case left
    }

    /// The line: numbers from `first` on; who has left it, or has had the turn, is in no place.
    private struct Line {
        var isTaken = false
        var first = 0
        var next = 0
        var places: [Int: Place] = [:]
    }

    private let line = Mutex(Line())

    /// A turn that nobody has.
    package init() {}

    /// Whether somebody has it.
    package var isTaken: Bool { line.withLock { $0.isTaken } }

    /// How many want it and do not have it.
    package var waiting: Int { line.withLock { $0.places.count } }

    /// Runs `body` when it is its turn.
    ///
    /// - Throws: `CancellationError` where the task is cancelled before, and what `body` throws.
    package func take<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await begin()
        defer { end() }
        return try await body()
    }

    /// Waits for the turn; each `begin` that returns is followed by one `end`.
    private func begin() async throws {
        try Task.checkCancellation()
        guard let number = enter() else { return }
        let isGiven = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(at: number, $0) }
        } onCancel: {
            leave(number)
        }
        guard isGiven else { throw CancellationError() }
    }

    /// Takes the turn, or a number in the line; nil where the turn was free.
    private func enter() -> Int? {
        line.withLock { line in
            guard line.isTaken else {
                line.isTaken = true
                return nil
            }
            defer { line.next += 1 }
            line.places[line.next] = .arriving
            return line.next
        }
    }

    /// Begins to wait, unless the task was cancelled or was given the turn meanwhile.
    private func wait(at number: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        let isGiven: Bool? = line.withLock { line in
            switch line.places[number] {
            case .given: line.places[number] = nil
            case .left:
                line.places[number] = nil
                return false
            case .arriving, .waiting, nil:
                line.places[number] = .waiting(continuation)
                return nil
            }
            return true
        }
        if let isGiven { continuation.resume(returning: isGiven) }
    }

    /// Leaves the line; who has the turn already keeps it, and gives it on as usual.
    private func leave(_ number: Int) {
        let continuation: CheckedContinuation<Bool, Never>? = line.withLock { line in
            switch line.places[number] {
            case .waiting(let continuation):
                line.places[number] = nil
                return continuation
            case .arriving: line.places[number] = .left
            case .given, .left, nil: break
            }
            return nil
        }
        continuation?.resume(returning: false)
    }

    /// Gives the turn to the first who still wants it.
    private func end() {
        let next: CheckedContinuation<Bool, Never>? = line.withLock { line in
            while line.first < line.next {
                let number = line.first
                line.first += 1
                switch line.places[number] {
                case .waiting(let continuation):
                    line.places[number] = nil
                    return continuation
                case .arriving:
                    line.places[number] = .given
                    return nil
                case .given, .left, nil: continue
                }
            }
            line.isTaken = false
            return nil
        }
        next?.resume(returning: true)
    }
}
