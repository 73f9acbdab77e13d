// SPDX-License-Identifier: Apache-2.0

/// An event that a `Poller` reports.
struct PollerEvent {
    /// The token of the receiver: a connection, the wake-up or the listener.
    let token: UInt64
    /// The changes on the socket of a connection.
    let change: SocketChange

    /// The token of the wake-up, above those of connections.
    static var wakeupToken: UInt64 { .max }
    /// The token of the listener, above those of connections.
    static var listenerToken: UInt64 { .max - 1 }
}

/// A set of changes on a socket; each platform defines its bits for them, next to its `Poller`.
struct SocketChange {
    /// The bits of the changes; one change may have several.
    let bits: UInt32

    /// Whether this set has at least one of the bits of a change.
    func includes(_ change: SocketChange) -> Bool { bits & change.bits != 0 }
}
