// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The TLS context of the connections that are accepted from now on; those that are open keep theirs.
///
/// Its keys of session tickets are of this process alone, so a session that another node has begun is not resumed: the client
/// makes a full handshake. A key encrypts for as long as a ticket lives, decrypts for as long again, and is then erased, so that
/// whoever takes it out of the memory later reads no session with it (RFC 8446 §8.1, Appendix F.1).
final class CurrentTLSContext: Sendable {
    private struct State {
        var context: TLSContext
        /// The time from which on the current key of tickets is used, on the server's clock.
        var rotated: UInt64
    }

    private let state: Mutex<State>
    private let uptime: @Sendable () -> UInt64

    init(_ context: TLSContext, uptime: @escaping @Sendable () -> UInt64) {
        state = Mutex(State(context: context, rotated: uptime()))
        self.uptime = uptime
    }

    /// Creates the session of one connection; nil when memory is exhausted.
    func session(on descriptor: Int32, now: UInt64) -> TLSSession? {
        state.withLock { state in
            Self.rotate(&state, now: now)
            return state.context
        }.session(on: descriptor)
    }

    /// The seconds since 1970 from which and until which the certificate and its chain are valid; nil if they cannot be read.
    var validity: (start: Int64, end: Int64)? { state.withLock { $0.context }.validity }

    /// Replaces the context, which has new keys of tickets.
    func replace(with next: TLSContext) { state.withLock { $0 = State(context: next, rotated: uptime()) } }

    /// Replaces keys of session tickets that are as old as a ticket may become.
    func rotateTicketKeys(now: UInt64) { state.withLock { Self.rotate(&$0, now: now) } }

    private static func rotate(_ state: inout State, now: UInt64) {
        let lifetime = TLSContext.ticketLifetime * 1_000_000_000
        guard now >= state.rotated else { return }
        let lifetimes = (now - state.rotated) / lifetime
        // After two of them neither of the earlier keys is to decrypt any more.
        for _ in 0..<min(lifetimes, 2) where !state.context.rotateTicketKeys() { return }
        state.rotated += lifetimes * lifetime
    }
}
