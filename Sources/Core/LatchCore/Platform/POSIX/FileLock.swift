// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A lock among tasks and processes, on an empty file, which those who take the lock do not remove.
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

    /// Acquires the lock, looking at it again after pauses from 1 to 32 milliseconds.
    ///
    /// A thread that waits inside of the kernel could not be called back: it would outlive a timeout and a cancellation.
    ///
    /// - Parameter pause: Waits before the next attempt, in real time: other processes, which know nothing of `clock`,
    ///   release the lock.
    /// - Returns: The holder; nil after the timeout.
    /// - Throws: `FileError`, or `CancellationError` as soon as the task is cancelled.
    package func acquire(
        timeout: Duration, clock: WallClock = .system,
        pausing pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0, clock: .continuous) }
    ) async throws -> Holder? {
        let holder = Holder(try opened())
        let end = clock.uptime + timeout
        var wait = Duration.milliseconds(1)
        while try !holder.lock(path, shared: isShared, waiting: false) {
            let rest = end - clock.uptime
            guard rest > .zero else { return nil }
            try await pause(min(wait, rest))
            wait = min(wait * 2, .milliseconds(32))
        }
        return holder
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

        /// Releases the lock, also for the copies of the descriptor that a forked process has.
        package func release() {
            guard let file = file.withLock({ $0.take() }) else { return }
            _ = flock(file, LOCK_UN)
            close(file)
        }

        /// Returns the content of the locked file, up to 4 KiB.
        package func content() throws(FileError) -> [UInt8] {
            guard let file = file.withLock({ $0 }) else { return [] }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = pread(file, &bytes, bytes.count, 0)
            guard count >= 0 else { throw FileError("read", "lock file") }
            return Array(bytes.prefix(count))
        }

        /// Replaces the content of the locked file; a reader without the lock may see a part of it.
        package func replaceContent(by bytes: [UInt8]) throws(FileError) {
            guard let file = file.withLock({ $0 }) else { return }
            guard pwrite(file, bytes, bytes.count, 0) == bytes.count, ftruncate(file, off_t(bytes.count)) == 0 else {
                throw FileError("write", "lock file")
            }
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
