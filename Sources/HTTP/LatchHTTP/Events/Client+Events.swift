// SPDX-License-Identifier: Apache-2.0

public import LatchCore

extension Client {
    /// The events that a route streams, connected again where the connection breaks.
    ///
    /// The first connection has to succeed. Later ones are tried again after a pause; the server learns from the
    /// `Last-Event-ID` field what was seen. An answer that is no event stream ends it with an error: it would be the same
    /// the next time. 204 ends it without one.
    ///
    /// - Parameters:
    ///   - route: What to connect to; its timeout, if it has one, counts for each connection.
    ///   - lastEventID: The identifier of the last event that was seen by an earlier stream.
    ///   - reconnection: When to connect again.
    public func events(
        _ route: Route<Void>, after lastEventID: String = "", reconnection: Reconnection = Reconnection(),
        limits: EventStreamParser.Limits = EventStreamParser.Limits(), clock: WallClock = .system,
        random: RandomSource = .system
    ) -> EventStream {
        var response = route.raw().streamed()
        response.fields[.accept] = response.fields[.accept] ?? EventStream.mediaType
        // HTML §9.2.3: no cache on the way is to hold events back.
        response.fields[.cacheControl] = response.fields[.cacheControl] ?? "no-store"
        response.timeout = route.timeout ?? EventStream.longestConnection
        return EventStream(
            client: self, route: response, lastEventID: lastEventID, reconnection: reconnection, limits: limits,
            clock: clock, random: random)
    }
}

extension EventStream {
    /// A stream of events has no end, and the timeout of a transport counts for whole transfers.
    fileprivate static let longestConnection = Duration.seconds(86_400)
}

extension Route where Answer == Void {
    /// The same request whose answer is the response as it came.
    func raw() -> Route<HTTPResponse> {
        var raw = Route<HTTPResponse>.raw(method, path, query: query, sending: content)
        raw.fields = fields
        raw.timeout = timeout
        raw.context = context
        return raw
    }
}
