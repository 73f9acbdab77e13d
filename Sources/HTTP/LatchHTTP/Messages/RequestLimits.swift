// SPDX-License-Identifier: Apache-2.0

/// The limits of each transfer of a request; nil if the request does not set one.
///
/// They are one value, so that a transport finds all of them in one lookup.
package struct RequestLimits: Sendable {
    /// The maximum duration.
    package var total: Duration?
    /// The client's maximum duration for requests without a `total`; it does not end a stream that makes progress.
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
    /// With a stream in either direction it is the maximum time without progress, unless the request has an
    /// ``idleTimeout``. With one, a timeout that is set here or by the route ends the whole stream; a client's or a
    /// transport's does not. See also ``deadline``.
    ///
    /// It applies to each transfer, so a request that is redirected or retried may take longer in total.
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

    /// The maximum time to connect, in total: to look up the name, reach the host or the proxy, and perform the TLS
    /// handshake.
    ///
    /// Nil uses the transport's. A request on an open connection needs no such time. ``timeout`` limits the wait for a
    /// free connection to the host. The error is `HTTPError.timeout`, and nothing was sent.
    ///
    /// Apple's URLSession does not report when it has connected. There this has no effect, and only ``timeout`` and
    /// ``idleTimeout`` apply.
    public var connectTimeout: Duration? {
        get { limits.connect }
        set { limits.connect = newValue }
    }

    /// The maximum time without progress of the server, for collected and for streamed content.
    ///
    /// Nil means no such limit for collected content, and ``timeout`` for streams. Progress is request content that the
    /// connection takes, the complete head of the response, and each piece of its content. The time begins with the
    /// request on its connection. Before that, ``connectTimeout`` and ``timeout`` apply. Time in which the server waits
    /// does not count: the source of a stream delivers nothing, or a reader takes nothing. The refresh of a session has
    /// no such limit.
    ///
    /// The connection takes some megabytes immediately, then waits until they are sent. On a slow uplink, allow enough
    /// time for that.
    ///
    /// On Apple platforms the system measures this time, from the start of the request.
    public var idleTimeout: Duration? {
        get { limits.idle }
        set { limits.idle = newValue }
    }
}
