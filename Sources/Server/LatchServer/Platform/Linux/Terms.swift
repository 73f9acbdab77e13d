// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP

/// What all loops and connections of one server share: whom to ask, where, and how much is borne.
struct Terms: Sendable {
    /// Asked on the loops' threads, so it must not block.
    let handler: any Handler
    /// One for all loops; the kernel shares connections out among those that wait.
    let listener: ListeningSocket
    /// nil serves in the clear.
    let tls: TLSContext?
    /// Shared, so that limits hold for the process and not for each loop.
    let census: ConnectionCensus
    /// What requests carry as theirs; it is the server's to know and never the client's.
    let scheme: String
    /// Stands for the host where HTTP/1.0 names none.
    let authority: String
    /// Before anything of a head is believed.
    let headLimits: HeadLimits
    /// Of one content, after chunks are taken apart.
    let contentLimits: ContentLimits
    /// Of all contents together, shared out among the loops.
    let maximumContentBytesPerLoop: Int
    /// In nanoseconds, as all times here.
    let headDeadline: UInt64
    /// From the end of the head.
    let bodyDeadline: UInt64
    /// Without a request, and without progress in an answer.
    let idleTimeout: UInt64
    /// How slowly an answer may be read.
    let pace: AnswerPace
    /// How often deadlines are looked at.
    let tick: UInt64
    /// What deadlines are measured by, in nanoseconds.
    let uptime: @Sendable () -> UInt64

    /// Reads the certificate before it listens, so that a bad one leaves no socket behind.
    init(_ handler: any Handler, _ configuration: Server.Configuration) throws(ServerError) {
        self.handler = handler
        if let identity = configuration.tls { tls = try TLSContext(identity) } else { tls = nil }
        listener = try ListeningSocket(
            host: configuration.host, port: configuration.port, backlog: configuration.backlog)
        census = ConnectionCensus(
            limit: configuration.maximumConnections, perAddress: configuration.maximumConnectionsPerAddress,
            besides: configuration.trustedProxies)
        let address = Server.Address(
            scheme: tls == nil ? "http" : "https", host: listener.host, port: listener.port)
        (scheme, authority) = (address.scheme, address.authority)
        headLimits = HeadLimits(
            bytes: configuration.maximumHeaderBytes, fieldCount: configuration.maximumHeaderFields)
        contentLimits = ContentLimits(configuration)
        maximumContentBytesPerLoop = configuration.maximumContentBytes / max(1, configuration.loops)
        headDeadline = configuration.headDeadline.nanoseconds
        bodyDeadline = configuration.bodyDeadline.nanoseconds
        idleTimeout = configuration.idleTimeout.nanoseconds
        pace = AnswerPace(patience: idleTimeout, bytesPerSecond: configuration.minimumAnswerRate)
        uptime = configuration.uptime ?? EventLoop.monotonicNow
        let shortest = min(headDeadline, bodyDeadline, idleTimeout)
        tick = max(5_000_000, min(250_000_000, shortest / 4))
    }

    /// Where clients find the server.
    var address: Server.Address {
        Server.Address(scheme: scheme, host: listener.host, port: listener.port)
    }
}

extension Duration {
    /// The whole nanoseconds; nothing below zero, and at most a century.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 3_155_760_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}

#endif
