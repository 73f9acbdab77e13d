// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Locks and change notifications for the sessions over one account's record, in this and other processes.
package protocol SessionCoordination: Sendable {
    /// Waits until no other session is in `section`, and excludes all others until the lock is released.
    ///
    /// The lock also ends with its process, even after a crash. No session waits for `refresh` while in `store`.
    ///
    /// - Throws: An `AuthError` with a `store…` code if the lock cannot be taken; `lockHeld` after a time limit;
    ///   `CancellationError` as soon as the task is canceled.
    func enter(_ section: SessionSection) async throws -> SessionLock

    /// Enters `section` if no other session is in it now; otherwise returns nil.
    ///
    /// - Throws: As `enter(_:)`.
    func enterIfFree(_ section: SessionSection) async throws -> SessionLock?

    /// Returns the name of the process in `section`; nil if it is not known.
    func holder(of section: SessionSection) -> String?

    /// The stamp of the last change of the record, read without the lock; nil if there is none.
    var stamp: String? { get }

    /// Notifies the other sessions that the record has changed.
    func announceChange() async

    /// Whether this coordination made the last announcement, as far as that can be read.
    var hasAnnouncedLast: Bool { get }

    /// Returns a stream with an element for each later change by another session; several changes may be merged.
    func changes() -> AsyncStream<Void>
}

/// A critical section of the sessions over one record.
package enum SessionSection: String, Sendable, Hashable, CaseIterable {
    /// The request to the issuer and the storing of its result; it lasts as long as the network takes or the store
    /// fails.
    case refresh = "renewal"
    /// A read of the record and its replacement, which are short.
    case store
}

extension SessionCoordination {
    /// Nil by default: the holder is not known.
    package func holder(of section: SessionSection) -> String? { nil }

    /// False by default: each announcement may come from another session.
    package var hasAnnouncedLast: Bool { false }

    /// Nil by default: each session reads the record each time.
    package var stamp: String? { nil }
}

/// The lock on a section.
package final class SessionLock: Sendable {
    /// The stamp of the last change of the record; nil if there is none.
    package let stamp: String?
    private let onRelease: @Sendable () -> Void
    private let setStamp: @Sendable (Bool) throws -> String?
    private let excludes: @Sendable () -> Bool
    private let isReleased = Atomic(false)

    /// Creates a lock that `onRelease` releases.
    ///
    /// - Parameters:
    ///   - setStamp: Writes a new stamp and returns it if the argument is true; removes the stamp if it is false.
    ///   - excludes: Returns whether the lock still excludes other sessions if it is not released.
    package init(
        stamp: String? = nil, setStamp: @escaping @Sendable (Bool) throws -> String? = { _ in nil },
        excludes: @escaping @Sendable () -> Bool = { true }, _ onRelease: @escaping @Sendable () -> Void
    ) {
        self.stamp = stamp
        self.setStamp = setStamp
        self.excludes = excludes
        self.onRelease = onRelease
    }

    /// Whether the lock excludes other sessions: it is not released, and its file was not removed or replaced.
    package var isHeld: Bool { !isReleased.load(ordering: .acquiring) && excludes() }

    /// Removes the stamp before the record is changed.
    ///
    /// - Throws: The failure of the file system, or `AuthError.lockLost`. The record must then not be changed.
    package func removeStamp() throws {
        guard isHeld else { throw AuthError.lockLost }
        _ = try setStamp(false)
    }

    /// Writes a new stamp after the record was changed.
    ///
    /// - Returns: The stamp; nil if there is none or it could not be written.
    package func renewStamp() -> String? { do { return try setStamp(true) } catch { return nil } }

    /// Releases the lock; call it once.
    package func release() {
        isReleased.store(true, ordering: .releasing)
        onRelease()
    }
}
