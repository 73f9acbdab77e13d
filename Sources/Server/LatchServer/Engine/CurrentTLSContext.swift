// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The TLS context of later connections; open connections keep theirs.
///
/// Its keys of session tickets belong only to this process. A session of another node is therefore not resumed, and the
/// client makes a full handshake. A key encrypts for the lifetime of a ticket, decrypts for the same time again, and is
/// then erased. An attacker who reads it from memory later cannot read earlier sessions (RFC 8446 §8.1, Appendix F.1).
final class CurrentTLSContext: Sendable {
    private struct State {
        var context: TLSContext
        /// The time since which the current ticket key is used, on the server's clock.
        var rotated: UInt64
    }

    private let state: Mutex<State>
    private let uptime: @Sendable () -> UInt64

    init(_ context: TLSContext, uptime: @escaping @Sendable () -> UInt64) {
        state = Mutex(State(context: context, rotated: uptime()))
        self.uptime = uptime
    }

    /// Creates the session of one connection; nil if memory is exhausted.
    func session(on descriptor: Int32, now: UInt64) -> TLSSession? {
        state.withLock { state in
            Self.rotate(&state, now: now)
            return state.context
        }.session(on: descriptor)
    }

    /// The seconds since 1970 between which the certificate and its chain are valid; nil if they cannot be read.
    var validity: (start: Int64, end: Int64)? { state.withLock { $0.context }.validity }

    /// Replaces the context; the new one has new ticket keys.
    func replace(with next: TLSContext) { state.withLock { $0 = State(context: next, rotated: uptime()) } }

    /// Replaces ticket keys that have reached the lifetime of a ticket.
    func rotateTicketKeys(now: UInt64) { state.withLock { Self.rotate(&$0, now: now) } }

    private static func rotate(_ state: inout State, now: UInt64) {
        let lifetime = TLSContext.ticketLifetime * 1_000_000_000
        guard now >= state.rotated else { return }
        let lifetimes = (now - state.rotated) / lifetime
        // After two lifetimes, neither of the earlier keys may decrypt.
        for _ in 0..<min(lifetimes, 2) where !state.context.rotateTicketKeys() { return }
        state.rotated += lifetimes * lifetime
    }
}
