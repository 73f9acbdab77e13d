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

/// A lock among tasks and processes, on an empty file that is never removed.
///
/// It is an advisory lock of the kernel (flock), which releases it when its holder ends, also after a crash.
package struct FileLock: Sendable {
    /// The path of the file, which is created where it is missing; its folder must exist.
    package let path: String

    /// Whether other shared holders may hold it at the same time.
    private let isShared: Bool

    /// Creates a lock on a file.
    ///
    /// - Parameter isShared: Whether it is a shared lock, as opposed to an exclusive one.
    package init(_ path: String, isShared: Bool = false) {
        self.path = path
        self.isShared = isShared
    }

    /// Acquires the lock; a thread outside of the cooperative pool waits for it.
    ///
    /// - Returns: The holder; nil after the timeout.
    /// - Throws: `FileError`, or `CancellationError` as soon as the task is cancelled.
    package func acquire(timeout: Duration, clock: WallClock = .system) async throws -> Holder? {
        let holder = Holder(try opened())
        if try holder.lock(path, shared: isShared, waiting: false) { return holder }
        // The lock, or nil at the timeout, whichever comes first.
        let result = SharedResult<Holder?>()
        let (path, isShared) = (path, isShared)
        // A queue of its own has a thread of its own, unlike the global ones.
        DispatchQueue(label: "latch.file.lock").async {
            result.finish(Result { try holder.lock(path, shared: isShared, waiting: true) ? holder : nil })
        }
        let timer = Task {
            try await clock.sleep(for: timeout)
            result.finish(.success(nil))
        }
        defer { timer.cancel() }
        return try await result.value()
    }

    /// Acquires the lock if it is free; returns nil otherwise.
    package func tryAcquire() throws(FileError) -> Holder? {
        let holder = Holder(try opened())
        return try holder.lock(path, shared: isShared, waiting: false) ? holder : nil
    }

    /// Acquires the lock; the calling thread blocks.
    package func acquireBlocking() throws(FileError) -> Holder {
        let holder = Holder(try opened())
        _ = try holder.lock(path, shared: isShared, waiting: true)
        return holder
    }

    private func opened() throws(FileError) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError("open", path) }
        return file
    }

    /// An open file that holds the lock, or waits for it, until it is released or deallocated.
    package final class Holder: Sendable {
        private let file: Mutex<Int32?>

        fileprivate init(_ file: Int32) { self.file = Mutex(file) }

        deinit { release() }

        /// Releases the lock.
        package func release() {
            let file = file.withLock { $0.take() }
            if let file { close(file) }
        }

        /// Locks the file and returns whether it is locked; only a waiting call blocks.
        fileprivate func lock(
            _ path: String, shared: Bool, waiting: Bool
        ) throws(FileError) -> Bool {
            guard let file = file.withLock({ $0 }) else { return false }
            while flock(file, (shared ? LOCK_SH : LOCK_EX) | (waiting ? 0 : LOCK_NB)) != 0 {
                if errno == EINTR { continue }
                guard errno == EWOULDBLOCK else { throw FileError("flock", path) }
                return false
            }
            return true
        }
    }
}
