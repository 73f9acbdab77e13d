// SPDX-License-Identifier: Apache-2.0

/// How the sessions over one account's record take turns and hear of each other, in this process and in others.
public protocol SessionCoordination: Sendable {
    /// Waits until no other session is in `section`, and keeps all others out until the turn ends.
    ///
    /// A turn also ends with its process, however that ends. Nobody waits for `renewal` while in `store`.
    ///
    /// - Throws: An `AuthError` with a `store…` code where no turn is to be had.
    func enter(_ section: SessionSection) async throws -> SessionTurn

    /// The same where no other session is in `section` at this moment, and nil where one is.
    ///
    /// - Throws: As `enter(_:)`.
    func enterIfFree(_ section: SessionSection) async throws -> SessionTurn?

    /// Tells the other sessions that the record has changed.
    func announceChange() async

    /// One element for each change that another session announced since; several may come as one.
    func changes() -> AsyncStream<Void>
}

extension SessionCoordination {
    /// Waits, where the coordination cannot tell whether a section is free.
    public func enterIfFree(_ section: SessionSection) async throws -> SessionTurn? { try await enter(section) }
}

/// What only one session at a time may do.
public enum SessionSection: String, Sendable, Hashable, CaseIterable {
    /// Ask the issuer for a successor and store it; it lasts as long as the network takes, or as the store is out of order.
    case renewal
    /// Read the record and replace it by what follows from it; it lasts a moment.
    case store
}

/// The right to be in a section.
public struct SessionTurn: Sendable {
    private let onEnd: @Sendable () -> Void

    /// A turn that `onEnd` ends.
    public init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// Lets the next one in; to be called once.
    public func end() { onEnd() }
}
