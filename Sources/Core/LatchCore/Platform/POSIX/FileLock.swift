// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A lock among tasks and processes, on an empty file that the holders do not remove.
///
/// It is an advisory lock of the kernel (flock), which releases it when its holder ends, also after a crash. If another
/// program removes the file, the next process that takes the lock creates another file. This lock does not exclude the
/// holder of the first, which can check ``Holder/isCurrent``.
package struct FileLock: Sendable {
    /// The path of the file, which is created if it is missing; its folder must exist.
    package let path: String

    /// Whether other shared holders may hold it at the same time.
    private let isShared: Bool

    /// Creates a lock on a file.
    ///
    /// - Parameter isShared: Whether it is a shared lock instead of an exclusive one.
    package init(_ path: String, isShared: Bool = false) {
        self.path = path
        self.isShared = isShared
    }

    /// Acquires the lock, trying again after pauses from 1 to 32 milliseconds.
    ///
    /// A thread that waits in the kernel could not be interrupted by a timeout or a cancellation.
    ///
    /// - Parameter pause: Waits before the next attempt, in real time, since other processes, which do not use a test's
    ///   clock, release the lock.
    /// - Returns: The holder; nil after the timeout.
    /// - Throws: `FileError`, or `CancellationError` as soon as the task is canceled.
    package func acquire(
        timeout: Duration, clock: WallClock = .system,
        pausing pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0, clock: .continuous) }
    ) async throws -> Holder? {
        var holder = try opened()
        let end = clock.uptime + timeout
        var wait = Duration.milliseconds(1)
        while try !lock(&holder) {
            let rest = end - clock.uptime
            guard rest > .zero else { return nil }
            try await pause(min(wait, rest))
            wait = min(wait * 2, .milliseconds(32))
        }
        return holder
    }

    /// Acquires the lock if it is free; returns nil otherwise.
    package func tryAcquire() throws(FileError) -> Holder? {
        var holder = try opened()
        return try lock(&holder) ? holder : nil
    }

    /// Acquires the lock; the calling thread blocks.
    ///
    /// - Parameter timeout: The maximum wait, in real time, since a holder that was stopped never releases the lock.
    /// - Throws: `FileError`, with the number `EWOULDBLOCK` after the timeout.
    package func acquireBlocking(timeout: Duration = .seconds(30)) throws(FileError) -> Holder {
        var holder = try opened()
        let end = ContinuousClock.now + timeout
        var milliseconds: UInt32 = 1
        while try !lock(&holder) {
            guard ContinuousClock.now < end else { throw FileError("flock", path, number: EWOULDBLOCK) }
            usleep(milliseconds * 1_000)
            milliseconds = min(milliseconds * 2, 32)
        }
        return holder
    }

    /// Locks the open file, or the file that has replaced it; returns whether it is locked.
    ///
    /// The file may have been removed since it was opened. Then its lock excludes no other process.
    private func lock(_ holder: inout Holder) throws(FileError) -> Bool {
        for _ in 0..<100 {
            guard try holder.lock(shared: isShared) else { return false }
            if holder.isCurrent { return true }
            holder = try opened()
        }
        throw FileError("flock", path, number: ESTALE)
    }

    private func opened() throws(FileError) -> Holder {
        Holder(try AtomicFile(path).openOrCreate(O_RDWR), path)
    }

    /// An open file that holds the lock, or waits for it, until it is released or deallocated.
    package final class Holder: Sendable {
        private let file: Mutex<Int32?>
        private let path: String

        fileprivate init(_ file: Int32, _ path: String) {
            self.file = Mutex(file)
            self.path = path
        }

        deinit { release() }

        /// Whether the file is still at its path, so that the lock excludes later holders.
        package var isCurrent: Bool {
            guard let file = file.withLock({ $0 }) else { return false }
            var (own, other) = (stat(), stat())
            guard fstat(file, &own) == 0, lstat(path, &other) == 0 else { return false }
            return own.st_ino == other.st_ino && own.st_dev == other.st_dev
        }

        /// Releases the lock, also for copies of the descriptor in a forked process.
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

        /// Locks the file without waiting, and returns whether it is locked.
        fileprivate func lock(shared: Bool) throws(FileError) -> Bool {
            guard let file = file.withLock({ $0 }) else { return false }
            while flock(file, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
                if errno == EINTR { continue }
                guard errno == EWOULDBLOCK else { throw FileError("flock", path) }
                return false
            }
            return true
        }
    }
}
