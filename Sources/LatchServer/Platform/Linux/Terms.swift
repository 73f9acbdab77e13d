// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP

/// What all loops and connections of one server share: whom to ask, where, and how much is borne.
struct Terms: Sendable {
    let handler: any Handler
    let listener: ListeningSocket
    let tls: TLSContext?
    let census: ConnectionCensus
    let scheme: String
    let authority: String
    let headLimits: HeadLimits
    let maximumBodyBytes: Int
    /// In nanoseconds, as all times here.
    let headDeadline: UInt64
    let bodyDeadline: UInt64
    let idleTimeout: UInt64
    let pace: AnswerPace
    /// How often deadlines are looked at.
    let tick: UInt64

    init(_ handler: any Handler, _ configuration: Server.Configuration) throws(ServerError) {
        self.handler = handler
        if let identity = configuration.tls { tls = try TLSContext(identity) } else { tls = nil }
        listener = try ListeningSocket(
            host: configuration.host, port: configuration.port, backlog: configuration.backlog)
        census = ConnectionCensus(
            limit: configuration.maximumConnections, perAddress: configuration.maximumConnectionsPerAddress)
        let address = Server.Address(
            scheme: tls == nil ? "http" : "https", host: listener.host, port: listener.port)
        (scheme, authority) = (address.scheme, address.authority)
        headLimits = HeadLimits(
            bytes: configuration.maximumHeaderBytes, fieldCount: configuration.maximumHeaderFields)
        maximumBodyBytes = configuration.maximumBodyBytes
        headDeadline = configuration.headDeadline.nanoseconds
        bodyDeadline = configuration.bodyDeadline.nanoseconds
        idleTimeout = configuration.idleTimeout.nanoseconds
        pace = AnswerPace(patience: idleTimeout, bytesPerSecond: configuration.minimumAnswerRate)
        let shortest = min(headDeadline, bodyDeadline, idleTimeout)
        tick = max(5_000_000, min(250_000_000, shortest / 4))
    }

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
