// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import Synchronization

/// A coordination of the sessions of all processes that share a folder.
///
/// It uses three small files next to the secrets, none of which holds a secret: two locks, which the kernel releases
/// with their process, and one that is written after each change and watched by the others.
public final class FileCoordination: SessionCoordination {
    /// The common prefix of the three files' paths.
    private let path: String
    private let timeout: Duration
    private let clock: WallClock
    private let random: RandomSource
    /// The last value that this object announced, so that it does not take its own notification for another's.
    private let announced = Mutex("")

    /// Creates a coordination by the files `path.renewal`, `path.store` and `path.changed`.
    ///
    /// - Parameters:
    ///   - path: The path of the files without their extension, one for each account; a missing folder is created with
    ///     access for this user only.
    ///   - timeout: The maximum wait for a lock: longer than a refresh takes, and not endless, for a process that was
    ///     stopped in the middle of one.
    ///   - clock: The clock that measures the wait.
    ///   - random: The source of the values that announce a change.
    public init(
        path: String, timeout: Duration = .seconds(90), clock: WallClock = .system, random: RandomSource = .system
    ) {
        self.path = path
        self.timeout = timeout
        self.clock = clock
        self.random = random
    }

    /// Waits for the kernel's lock on the section's file.
    ///
    /// - Throws: `AuthError.storeDenied` and the like if the lock's file cannot be used, `storeUnavailable` after the
    ///   timeout.
    package func enter(_ section: SessionSection) async throws -> SessionLock {
        let lock = lock(of: section)
        let holder: FileLock.Holder?
        do {
            try AtomicFile(path).makeFolder()
            holder = try await lock.acquire(timeout: timeout, clock: clock)
        } catch let failure as FileError {
            throw AuthError.file(failure)
        }
        guard let holder else {
            throw AuthError.store(.storeUnavailable, "another process does not release \(lock.path)")
        }
        return SessionLock { holder.release() }
    }

    /// Takes the kernel's lock on the section's file where it is free.
    ///
    /// - Throws: As `enter(_:)` if the lock's file cannot be used.
    package func enterIfFree(_ section: SessionSection) async throws -> SessionLock? {
        do {
            try AtomicFile(path).makeFolder()
            guard let holder = try lock(of: section).tryAcquire() else { return nil }
            return SessionLock { holder.release() }
        } catch {
            throw AuthError.file(error)
        }
    }

    private func lock(of section: SessionSection) -> FileLock { FileLock("\(path).\(section.rawValue)") }

    /// Writes a new random value into the watched file.
    ///
    /// If that fails, the others see the change when they next read the record.
    package func announceChange() {
        let value = random.identifier()
        announced.withLock { $0 = value }
        do {
            try AtomicFile("\(path).changed").overwrite(with: Array(value.utf8))
        } catch {
            // Only the notification is lost.
        }
    }

    /// Watches the file.
    ///
    /// If it cannot be watched, the stream ends at once, and changes are seen when the record is next read.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let file = AtomicFile("\(path).changed")
        do {
            try file.makeFolder()
            let watch = try FileWatch(file.path) {
                // An unreadable value is not this session's either.
                let value = try? file.read()
                if self.announced.withLock({ value != Array($0.utf8) }) { continuation.yield() }
            }
            continuation.onTermination = { _ in withExtendedLifetime(watch) {} }
        } catch {
            continuation.finish()
        }
        return stream
    }
}
