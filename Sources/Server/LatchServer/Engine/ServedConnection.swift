// SPDX-License-Identifier: Apache-2.0

/// A connection of an event loop, which calls it only on its thread.
protocol ServedConnection: AnyObject {
    /// The key of the connection in the poller and in the loop; it is never reused, so late events are ignored.
    var token: UInt64 { get }

    /// Records the changes on the socket, and continues.
    func handle(_ change: SocketChange)

    /// Continues as far as possible without waiting.
    func advance()

    /// Ends the phases whose deadlines have passed.
    func checkDeadlines()

    /// Closes an idle connection now, and any other connection after its last response.
    func beginDraining()

    /// Closes the connection immediately.
    func close()
}

extension ServedConnection {
    /// The nanoseconds that a client has when its connection is about to close: a few round trips.
    static var partingTime: UInt64 { 2_000_000_000 }
}
