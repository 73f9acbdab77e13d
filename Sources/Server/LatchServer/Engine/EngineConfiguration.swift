// SPDX-License-Identifier: Apache-2.0

/// The configuration that all loops and connections of one server share; all times are in nanoseconds.
final class EngineConfiguration: Sendable {
    /// The handler of all requests; it runs on the loops' threads, so it must not block for long (see ``Server``).
    let handler: NextHandler
    /// The listening sockets, at least one; all loops accept from them.
    let listeners: [ListeningSocket]
    /// The loops that take connections.
    let loops = LoopGroup()
    /// The TLS context of later connections; nil serves plain HTTP.
    let tls: CurrentTLSContext?
    /// The limits of connections; shared, so that they apply to the process and not to each loop.
    let limiter: ConnectionLimiter
    /// The address that clients connect to.
    let address: Server.Address
    /// The authority of HTTP/1.0 requests without a host.
    let authority: String
    let headLimits: HeadLimits
    /// The limits of one content, without the bytes of the chunked coding.
    let contentLimits: ContentLimits
    /// Whether connections may speak HTTP/2.
    let supportsHTTP2: Bool
    /// The maximum number of concurrent requests of one HTTP/2 connection.
    let maximumStreams: Int
    /// The path prefixes whose requests are handled before their content is complete.
    private let streamedContent: [String]
    /// The path prefixes whose requests are handled early only over HTTP/2; over HTTP/1.1 a stream of messages is
    /// received as a whole.
    private let streamedMessages: [String]
    /// Returns an endpoint's rule for its content; nil if no endpoint has one.
    private let contentRule: ContentPolicy.RuleFinder?
    /// The limit of the bytes that all requests hold together.
    let memory: MemoryBudget
    let headDeadline: UInt64
    /// The time for the content, from the end of the head.
    let bodyDeadline: UInt64
    /// The time without progress in a response.
    let idleTimeout: UInt64
    /// The time without a request.
    let keepAliveTimeout: UInt64
    let minimumSendRate: MinimumRate
    let minimumContentRate: MinimumRate
    /// The interval between checks of deadlines.
    let tick: UInt64
    /// Returns the time for measuring deadlines.
    let uptime: @Sendable () -> UInt64
    /// A function that is called when the process has no descriptor or memory for a connection.
    let onExhaustion: (@Sendable () -> Void)?

    /// Reads the certificate before it listens, so that no socket stays open if the certificate is invalid.
    init(
        _ handler: any Handler, _ configuration: Server.Configuration, _ limiter: ConnectionLimiter
    ) throws(ServerError) {
        self.handler = NextHandler(handler)
        self.limiter = limiter
        memory = limiter.memory
        onExhaustion = configuration.onExhaustion
        let uptime = configuration.uptime ?? EventLoop.monotonicNow
        self.uptime = uptime
        tls = try configuration.tls.map { identity throws(ServerError) in
            CurrentTLSContext(
                try TLSContext(identity, offersHTTP2: configuration.supportsHTTP2), uptime: uptime)
        }
        var listeners: [ListeningSocket] = []
        for inherited in configuration.inheritedSockets { listeners.append(try ListeningSocket(inheriting: inherited)) }
        if listeners.isEmpty {
            listeners = [
                try ListeningSocket(
                    host: configuration.host, port: configuration.port, backlog: configuration.backlog)
            ]
        }
        self.listeners = listeners
        // Warnings depend on whether other machines can reach the server.
        let listener = listeners.first { IPAddress($0.host)?.isLoopback == false } ?? listeners[0]
        address = Server.Address(
            scheme: tls == nil ? "http" : "https", host: listener.host, port: listener.port)
        authority = address.authority
        headLimits = HeadLimits(
            bytes: configuration.maximumHeaderBytes, fieldCount: configuration.maximumHeaderFields)
        let policy = handler.contentPolicy
        contentLimits = ContentLimits(configuration, policy)
        contentRule = policy.rule
        streamedContent = configuration.streamedContent.sorted()
        streamedMessages = policy.streamed.sorted()
        supportsHTTP2 = configuration.supportsHTTP2
        maximumStreams = max(1, configuration.maximumStreamsPerConnection)
        headDeadline = configuration.headDeadline.nanoseconds
        bodyDeadline = configuration.bodyDeadline.nanoseconds
        idleTimeout = configuration.idleTimeout.nanoseconds
        keepAliveTimeout = configuration.keepAliveTimeout.nanoseconds
        minimumSendRate = MinimumRate(
            bytesPerSecond: configuration.minimumSendRate, maximumPause: idleTimeout)
        minimumContentRate = MinimumRate(
            bytesPerSecond: configuration.minimumContentRate, maximumPause: bodyDeadline)
        let shortest = min(headDeadline, bodyDeadline, idleTimeout, keepAliveTimeout)
        tick = max(5_000_000, min(250_000_000, shortest / 4))
    }

    /// Lets clients connect, or closes the sockets.
    func startListening() throws(ServerError) {
        do throws(ServerError) {
            for listener in listeners { try listener.startListening() }
        } catch {
            stopListening()
            throw error
        }
    }

    /// Closes the sockets, once.
    func stopListening() {
        for listener in listeners { listener.close() }
    }
}

/// The way in which the content of a request is received.
enum ContentReception {
    /// The handler gets the complete content; it may report a larger one itself.
    case collected(limit: Int, isReportedByHandler: Bool)
    /// The handler reads the content while it arrives, with the limit in the configuration, if any.
    case streamed(limit: Int?)
}

extension EngineConfiguration {
    /// Returns how content at a path is received.
    func reception(_ method: HTTPMethod, _ path: String, overHTTP2 isHTTP2: Bool) -> ContentReception {
        if let rule = contentRule?(method, path) {
            let limit = contentLimits.configuredLimit(at: path)
            if rule.isStreamed || Self.contains(path, streamedContent) { return .streamed(limit: limit) }
            return .collected(limit: limit ?? rule.limit, isReportedByHandler: true)
        }
        if Self.contains(path, streamedContent) || isHTTP2 && Self.contains(path, streamedMessages) {
            return .streamed(limit: nil)
        }
        let limit = contentLimits.limit(at: path)
        return .collected(limit: limit.bytes, isReportedByHandler: limit.isReportedByHandler)
    }

    /// Whether a path begins with one of the prefixes.
    ///
    /// A prefix ends with a segment of the path, since the name of one method may begin with the name of another.
    private static func contains(_ path: String, _ prefixes: [String]) -> Bool {
        prefixes.contains { prefix in
            guard path.utf8.starts(with: prefix.utf8), prefix.utf8.last != UInt8(ascii: "/") else {
                return path.utf8.starts(with: prefix.utf8)
            }
            let next = path.utf8.dropFirst(prefix.utf8.count).first
            return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
        }
    }
}

extension Duration {
    /// The whole nanoseconds; never negative, and at most a century.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 3_155_760_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
