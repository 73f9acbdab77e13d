// SPDX-License-Identifier: Apache-2.0

/// The limits of each transfer of a request; nil where the request sets none.
///
/// They are one value, so that a transport finds all of them at once.
package struct RequestLimits: Sendable {
    /// The maximum duration.
    package var total: Duration?
    /// The client's maximum duration for requests without a `total`, which ends no stream that makes progress.
    package var usual: Duration?
    /// The maximum time to connect.
    package var connect: Duration?
    /// The maximum time without progress of the peer.
    package var idle: Duration?

    /// Creates no limits.
    package init() {}

    /// Whether there are none.
    var isEmpty: Bool { total == nil && usual == nil && connect == nil && idle == nil }
}

private enum LimitsKey: HTTPContextKey {
    static var defaultValue: RequestLimits { RequestLimits() }
}

extension HTTPRequest {
    /// The limits of each transfer.
    package var limits: RequestLimits {
        get { context[LimitsKey.self] }
        set { context[LimitsKey.self] = newValue }
    }

    /// The maximum duration of the transfer; nil uses the transport's.
    ///
    /// With a stream in either direction it is the maximum time without progress, unless the request has an ``idleTimeout``. Then a
    /// timeout that is set here or by the route ends the whole stream, and that of a client or a transport does not. See also
    /// ``deadline``.
    ///
    /// It applies to each transfer: a request that is redirected or retried may take it more than once.
    public var timeout: Duration? {
        get {
            let limits = limits
            return limits.total ?? limits.usual
        }
        set {
            var limits = limits
            (limits.total, limits.usual) = (newValue, nil)
            self.limits = limits
        }
    }

    /// The maximum time to connect: to look up the name, to reach the host or the proxy, and for the TLS handshake, together.
    ///
    /// Nil uses the transport's. A request on an open connection needs no such time. The wait for one of the connections to the host is
    /// limited by ``timeout``. The error is `HTTPError.timeout`, and nothing was sent.
    ///
    /// Apple's URLSession does not tell when it has connected: there this has no effect, and ``timeout`` and ``idleTimeout`` hold.
    public var connectTimeout: Duration? {
        get { limits.connect }
        set { limits.connect = newValue }
    }

    /// The maximum time without progress of the server, for collected and for streamed content.
    ///
    /// Nil is no such limit for collected content, and ``timeout`` for streams. Progress is content of the request that the connection
    /// takes, the head of the response as a whole, and each piece of its content. The time begins with the request on its connection:
    /// before that, ``connectTimeout`` and ``timeout`` hold. Time in which the server waits does not count, because the source of a
    /// stream delivers nothing or a reader takes nothing. A refresh of a session has no such limit.
    ///
    /// The connection takes some megabytes at once, and then waits until they have left: on a slow uplink give it the time for that.
    ///
    /// On Apple platforms the system measures it, from the start of the request on.
    public var idleTimeout: Duration? {
        get { limits.idle }
        set { limits.idle = newValue }
    }
}
