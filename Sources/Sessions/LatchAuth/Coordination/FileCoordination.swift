// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import LatchCore

/// Lets the sessions of all processes that share a folder take turns and hear of each other.
///
/// Three small files beside the secrets do it, none of which holds a secret: two locks, which the kernel ends with their
/// holder, and one that is written after each change and watched by the others.
public final class FileCoordination: SessionCoordination {
    /// What the three files' names begin with.
    private let path: String
    private let patience: Duration
    private let clock: WallClock
    private let random: RandomSource
    /// What this one announced last, so that it does not take its own word for another's.
    private let announced = Mutex("")

    /// Coordination by the files `path.renewal`, `path.store` and `path.changed`.
    ///
    /// - Parameters:
    ///   - path: One for each account; its folder is made where it is missing, for this user alone.
    ///   - patience: How long to wait for a turn: longer than a renewal takes, or another process that was stopped in the
    ///     middle of one would be waited for for ever.
    public init(
        path: String, patience: Duration = .seconds(90), clock: WallClock = .system, random: RandomSource = .system
    ) {
        self.path = path
        self.patience = patience
        self.clock = clock
        self.random = random
    }

    /// Waits for the kernel's lock on the section's file.
    ///
    /// - Throws: `AuthError.storeDenied` and the like where the lock's file cannot be used, `storeUnavailable` where the
    ///   patience ends.
    public func enter(_ section: SessionSection) async throws -> SessionTurn {
        let lock = lock(of: section)
        let holder: FileLock.Holder?
        do {
            try AtomicFile(path).makeFolder()
            holder = try await lock.acquire(patience: patience, clock: clock)
        } catch let failure as FileFailure {
            throw AuthError.file(failure)
        }
        guard let holder else {
            throw AuthError.store(.storeUnavailable, "another process does not let go of \(lock.path)")
        }
        return SessionTurn { holder.release() }
    }

    /// Takes the kernel's lock on the section's file where nobody has it.
    ///
    /// - Throws: As `enter(_:)` where the lock's file cannot be used.
    public func enterIfFree(_ section: SessionSection) async throws -> SessionTurn? {
        do {
            try AtomicFile(path).makeFolder()
            guard let holder = try lock(of: section).acquiredIfFree() else { return nil }
            return SessionTurn { holder.release() }
        } catch {
            throw AuthError.file(error)
        }
    }

    private func lock(of section: SessionSection) -> FileLock { FileLock("\(path).\(section.rawValue)") }

    /// Writes a new random word into the watched file.
    ///
    /// Where that fails, the others learn of the change when they next read the record.
    public func announceChange() {
        let word = random.identifier()
        announced.withLock { $0 = word }
        do {
            try AtomicFile("\(path).changed").overwrite(with: Array(word.utf8))
        } catch {
            // See above: nothing is lost but the news.
        }
    }

    /// Watches the file.
    ///
    /// Where it cannot be watched, the stream ends at once, and changes are seen when the record is next read.
    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let file = AtomicFile("\(path).changed")
        do {
            try file.makeFolder()
            let watch = try FileWatch(file.path) {
                // A word that cannot be read is not our own either.
                let word = try? file.read()
                if self.announced.withLock({ word != Array($0.utf8) }) { continuation.yield() }
            }
            continuation.onTermination = { _ in withExtendedLifetime(watch) {} }
        } catch {
            continuation.finish()
        }
        return stream
    }
}
