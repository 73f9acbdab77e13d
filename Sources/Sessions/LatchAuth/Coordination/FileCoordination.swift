// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchFoundation
import Synchronization

/// A coordination of the sessions of all processes that share a folder.
///
/// It uses three small files next to the secrets, none of which holds a secret. Two are locks, which the kernel
/// releases when their process ends. The third is written after each change, and other processes watch it. A lock's
/// file contains the name of the process that took the lock last, and the stamp of the last change.
public final class FileCoordination: SessionCoordination {
    /// The common prefix of the three files' paths.
    private let path: String
    private let timeout: Duration
    private let clock: WallClock
    private let random: RandomSource
    /// The content of the watched file as this object wrote it last.
    private let lastAnnouncement = Mutex<[UInt8]?>(nil)
    /// Waits between two attempts to take a lock.
    private let pause: @Sendable (Duration) async throws -> Void

    /// Creates a coordination over the files `path.renewal`, `path.store` and `path.changed`.
    ///
    /// - Parameters:
    ///   - path: The path of the files without their extension, different for each account. A missing folder is created
    ///     with access only for this user.
    ///   - timeout: The maximum wait for a lock. It is longer than a refresh takes, but limited, because a process may
    ///     be stopped while it holds the lock.
    ///   - clock: The clock that measures the wait.
    ///   - random: The source of the values that announce a change.
    public init(
        path: String, timeout: Duration = .seconds(90), clock: WallClock = .system, random: RandomSource = .system
    ) {
        self.path = path
        self.timeout = timeout
        self.clock = clock
        self.random = random
        pause = { try await Task.sleep(for: $0, clock: .continuous) }
    }

    /// Creates a coordination that calls `pause` between two attempts to take a lock.
    package init(
        path: String, timeout: Duration, clock: WallClock, random: RandomSource,
        pausing pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.path = path
        self.timeout = timeout
        self.clock = clock
        self.random = random
        self.pause = pause
    }

    /// Waits for the kernel's lock on the section's file.
    ///
    /// - Throws: `AuthError.storeDenied` or another `store…` code if the lock's file cannot be used; `lockHeld` with
    ///   the holder's name after the timeout.
    package func enter(_ section: SessionSection) async throws -> SessionLock {
        let lock = lock(of: section)
        do {
            try AtomicFile(path).makeFolder()
            guard let holder = try await lock.acquire(timeout: timeout(of: section), clock: clock, pausing: pause)
            else {
                throw AuthError.lockHeld(by: self.holder(of: section))
            }
            return try entered(section, holder)
        } catch let failure as FileError {
            guard failure.hasNoLocks else { throw AuthError.file(failure) }
            return SessionLock {}
        }
    }

    /// Takes the kernel's lock on the section's file if it is free.
    ///
    /// - Throws: As `enter(_:)` if the lock's file cannot be used.
    package func enterIfFree(_ section: SessionSection) async throws -> SessionLock? {
        do {
            try AtomicFile(path).makeFolder()
            return try lock(of: section).tryAcquire().map { try entered(section, $0) }
        } catch let failure as FileError {
            guard failure.hasNoLocks else { throw AuthError.file(failure) }
            return SessionLock {}
        }
    }

    /// Returns the timeout of a section; a read of the record is short, and waiting minutes for it would help no
    /// caller.
    private func timeout(of section: SessionSection) -> Duration {
        section == .store ? min(timeout, .seconds(15)) : timeout
    }

    private func lock(of section: SessionSection) -> FileLock { FileLock("\(path).\(section.rawValue)") }

    /// Writes this process's name into the lock's file, for other processes whose wait times out.
    private func entered(_ section: SessionSection, _ holder: FileLock.Holder) throws -> SessionLock {
        var content = LockContent(try holder.content())
        content.holder = Self.processName
        do { try holder.replaceContent(by: content.bytes) } catch {
            // On a full disk the lock has no name, but still works.
        }
        if section == .store, !announcesStamps { content.stamp = nil }
        let random = random
        return SessionLock(
            stamp: content.stamp,
            setStamp: { isComplete in
                let stamp = isComplete ? random.identifier() : nil
                do {
                    try holder.replaceContent(by: LockContent(stamp: stamp, holder: Self.processName).bytes)
                } catch {
                    // An empty file needs no space and has no stamp.
                    try holder.replaceContent(by: [])
                    return nil
                }
                return stamp
            }, excludes: { holder.isCurrent }, { holder.release() })
    }

    private static let processName = {
        let process = ProcessInfo.processInfo
        return "\(process.processName) (\(process.processIdentifier))"
    }()

    /// Returns the name of the process that took the lock last.
    package func holder(of section: SessionSection) -> String? { content(of: section)?.holder }

    /// The stamp of the last change of the record.
    package var stamp: String? { announcesStamps ? content(of: .store)?.stamp : nil }

    /// Whether the last change was made by a process that writes stamps, unlike earlier versions.
    private var announcesStamps: Bool {
        do {
            // An empty file is a first announcement that is being written.
            guard let announcement = try AtomicFile("\(path).changed").read(), !announcement.isEmpty else {
                return true
            }
            return announcement.starts(with: Self.mark)
        } catch {
            return false
        }
    }

    /// The beginning of the announcements of this version.
    private static let mark = Array("stamped ".utf8)

    private func content(of section: SessionSection) -> LockContent? {
        do { return LockContent(try AtomicFile(lock(of: section).path).read() ?? []) } catch { return nil }
    }

    /// Writes a new random value into the watched file.
    ///
    /// If that fails, other processes see the change when they next read the record.
    package func announceChange() {
        let announcement = Self.mark + Array(random.identifier().utf8)
        lastAnnouncement.withLock { $0 = announcement }
        do {
            try AtomicFile("\(path).changed").overwrite(with: announcement)
        } catch {
            // Only the notification is lost.
        }
    }

    package var hasAnnouncedLast: Bool {
        let own = lastAnnouncement.withLock { $0 }
        do { return try own != nil && AtomicFile("\(path).changed").read() == own } catch { return false }
    }

    /// Watches the file.
    ///
    /// The elements include this session's announcements; the stamp shows which ones. If the file cannot be watched,
    /// the stream ends immediately, and changes are seen when the record is next read.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let file = AtomicFile("\(path).changed")
        do {
            try file.makeFolder()
            let watch = try FileWatch(file.path) { continuation.yield() }
            continuation.onTermination = { _ in withExtendedLifetime(watch) {} }
        } catch {
            continuation.finish()
        }
        return stream
    }
}

/// The content of a lock's file: the stamp of the last change, and the process that took the lock last.
private struct LockContent {
    var stamp: String?
    var holder: String?

    init(stamp: String?, holder: String?) { (self.stamp, self.holder) = (stamp, holder) }

    /// Parses two lines; any other content, such as the empty file of an earlier version, has no stamp.
    init(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count >= 2, lines[0].count == 32 || lines[0].elementsEqual([0x2D]) else { return }
        stamp = lines[0].count == 32 ? String(decoding: lines[0], as: UTF8.self) : nil
        holder = String(decoding: lines[1], as: UTF8.self)
    }

    var bytes: [UInt8] { Array("\(stamp ?? "-")\n\(holder ?? "")\n".utf8) }
}

extension FileError {
    /// Whether the file system has no locks, so that the sessions of this home folder cannot exclude each other.
    fileprivate var hasNoLocks: Bool { operation == "flock" && reason == .unsupported }
}
