// SPDX-License-Identifier: Apache-2.0

/// Locks and change notifications for the sessions over one account's record, in this process and in others.
package protocol SessionCoordination: Sendable {
    /// Waits until no other session is in `section`, and keeps all others out until the lock is released.
    ///
    /// The lock also ends with its process, however that ends. No session waits for `refresh` while in `store`.
    ///
    /// - Throws: An `AuthError` with a `store…` code if the lock cannot be taken.
    func enter(_ section: SessionSection) async throws -> SessionLock

    /// Enters `section` if no other session is in it at this moment; returns nil if one is.
    ///
    /// - Throws: As `enter(_:)`.
    func enterIfFree(_ section: SessionSection) async throws -> SessionLock?

    /// Notifies the other sessions that the record has changed.
    func announceChange() async

    /// Returns a stream with an element for each later change by another session; several may be merged.
    func changes() -> AsyncStream<Void>
}

/// A critical section of the sessions over one record.
package enum SessionSection: String, Sendable, Hashable, CaseIterable {
    /// The request to the issuer and the storing of its result; it lasts as long as the network or a failed store.
    case refresh = "renewal"
    /// A read of the record and its replacement; it lasts a moment.
    case store
}

/// The lock on a section.
package struct SessionLock: Sendable {
    private let onRelease: @Sendable () -> Void

    /// Creates a lock that `onRelease` releases.
    package init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

    /// Releases the lock; to be called once.
    package func release() { onRelease() }
}
