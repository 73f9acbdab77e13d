// SPDX-License-Identifier: Apache-2.0

/// A connection of an event loop, which calls it on its thread alone.
protocol ServedConnection: AnyObject {
    /// The key of the connection in the poller and in the loop; it is never reused, so late events are ignored.
    var token: UInt64 { get }

    /// Records what happened on the socket, and continues.
    func handle(_ change: SocketChange)

    /// Continues as far as possible without waiting.
    func advance()

    /// Ends what has not happened by its deadline.
    func checkDeadlines()

    /// Closes an idle connection now, and any other one after its last response.
    func beginDraining()

    /// Closes the connection at once.
    func close()
}

extension ServedConnection {
    /// The nanoseconds that a client has when nothing keeps its connection open: a few round trips.
    static var partingTime: UInt64 { 2_000_000_000 }
}
