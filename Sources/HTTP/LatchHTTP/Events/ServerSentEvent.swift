// SPDX-License-Identifier: Apache-2.0

/// An event that a server has sent in an event stream (HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The kind of event; `message` where the server names none.
    public var type: String
    /// The data, its lines joined by line feeds.
    public var data: String
    /// The identifier that was sent last, with this event or before it; empty where there was none.
    ///
    /// It is what a connection that is made again asks for more from.
    public var id: String

    /// An event from its parts.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}
