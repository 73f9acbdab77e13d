// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A lock among tasks and processes, on a file that stays empty and is never removed.
///
/// It is the kernel's (flock), so it ends with its holder, however that ends, and nobody has to guess whether a holder
/// still lives.
package struct FileLock: Sendable {
    /// The file; it is made where it is missing, its folder is not.
    package let path: String

    /// Whether others that share it may have it at the same time.
    private let isShared: Bool

    /// The lock on a file.
    ///
    /// - Parameter isShared: Whether any number may hold it at once, as long as nobody holds it alone.
    package init(_ path: String, isShared: Bool = false) {
        self.path = path
        self.isShared = isShared
    }

    /// The lock, once nobody else has it.
    ///
    /// A free lock costs three system calls; for one that is taken a thread of its own waits, and not one that tasks need.
    ///
    /// - Returns: The holder; nil where `patience` was over before.
    /// - Throws: `FileFailure`, or `CancellationError` as soon as the task is cancelled.
    package func acquire(patience: Duration, clock: WallClock = .system) async throws -> Holder? {
        let holder = Holder(try opened())
        if try holder.lock(path, shared: isShared, waiting: false) { return holder }
        let arrival = Arrival()
        let (path, isShared) = (path, isShared)
        // A queue of its own is a thread of its own: those of the global ones are the ones that all tasks share.
        DispatchQueue(label: "latch.file.lock").async {
            let result = Result { try holder.lock(path, shared: isShared, waiting: true) }
            arrival.arrive(result.map { _ in holder })
        }
        let timer = Task {
            try await clock.sleep(for: patience)
            arrival.arrive(.success(nil))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { arrival.expect($0) }
        } onCancel: {
            arrival.arrive(.failure(CancellationError()))
        }
    }

    /// The lock where nobody else has it at this moment, and nil where somebody does.
    package func acquiredIfFree() throws(FileFailure) -> Holder? {
        let holder = Holder(try opened())
        return try holder.lock(path, shared: isShared, waiting: false) ? holder : nil
    }

    /// The lock, once nobody else has it; the calling thread blocks.
    package func held() throws(FileFailure) -> Holder {
        let holder = Holder(try opened())
        _ = try holder.lock(path, shared: isShared, waiting: true)
        return holder
    }

    private func opened() throws(FileFailure) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure("open", path) }
        return file
    }

    /// An open file that holds the lock, or waits for it, until it is released or let go.
    package final class Holder: Sendable {
        private let file: Mutex<Int32?>

        fileprivate init(_ file: Int32) { self.file = Mutex(file) }

        deinit { release() }

        /// Lets the next one have the lock.
        package func release() {
            let file = file.withLock { $0.take() }
            if let file { close(file) }
        }

        /// Whether the lock is held now; only a call that waits does not return before.
        fileprivate func lock(
            _ path: String, shared: Bool, waiting: Bool
        ) throws(FileFailure) -> Bool {
            guard let file = file.withLock({ $0 }) else { return false }
            while flock(file, (shared ? LOCK_SH : LOCK_EX) | (waiting ? 0 : LOCK_NB)) != 0 {
                if errno == EINTR { continue }
                guard errno == EWOULDBLOCK else { throw FileFailure("flock", path) }
                return false
            }
            return true
        }
    }

    /// Brings the lock to whoever waits for it; who has left meanwhile lets it go again by not taking it.
    private final class Arrival: Sendable {
        private enum State {
            case awaited
            case expected(CheckedContinuation<Holder?, any Error>)
            case arrived(Result<Holder?, any Error>)
            case over
        }

        private let state = Mutex(State.awaited)

        func expect(_ continuation: CheckedContinuation<Holder?, any Error>) {
            let early = state.withLock { state -> Result<Holder?, any Error>? in
                if case .arrived(let result) = state {
                    state = .over
                    return result
                }
                state = .expected(continuation)
                return nil
            }
            if let early { continuation.resume(with: early) }
        }

        /// Only the first arrival counts.
        func arrive(_ result: Result<Holder?, any Error>) {
            let waiter = state.withLock { state -> CheckedContinuation<Holder?, any Error>? in
                switch state {
                case .awaited:
                    state = .arrived(result)
                    return nil
                case .expected(let continuation):
                    state = .over
                    return continuation
                case .arrived, .over: return nil
                }
            }
            waiter?.resume(with: result)
        }
    }
}
