// SPDX-License-Identifier: Apache-2.0

extension Server {
    /// The address and the resource limits of a server; the defaults suit a public network.
    public struct Configuration: Sendable {
        /// The address to listen on: an IPv4 or IPv6 address, or `localhost`.
        public var host = "127.0.0.1"
        /// The port; 0 lets the system choose one.
        public var port = 0
        /// The maximum size of the request line and the header fields together, in bytes; more is 414 or 431.
        ///
        /// As much as nginx takes by default: browsers send many cookies of other apps of a domain.
        public var maximumHeaderBytes = 32 * 1024
        /// The maximum number of header fields; more is 431.
        public var maximumHeaderFields = 100
        /// The maximum size of the content, in bytes; more is 413, and is not read.
        public var maximumBodyBytes = 1024 * 1024
        /// The maximum sizes of the content by path prefix, such as `/shop.v1.Shop/`, which replace
        /// `maximumBodyBytes`; the longest prefix that matches applies.
        ///
        /// A request over such a limit reaches its handler, with content that throws `HTTPError.tooLarge` when it is
        /// read, so that the handler can report the error in its own protocol. Over HTTP/2 the same holds for content that is not
        /// there after `bodyDeadline` (`HTTPError.timeout`). The connection ends with the response. A service of RPCs, also in a
        /// router, has such limits, and an endpoint may have one (``ContentRule``); these prevail.
        public var contentLimits: [String: Int] = [:]
        /// The maximum number of bytes that all requests together hold while they are received and handled, decompressed and
        /// decoded messages included; a request that exceeds it gets a 503.
        ///
        /// The requests from one address (one /64 of IPv6) hold at most a quarter of it, unless it is a trusted proxy.
        public var maximumContentBytes = 256 * 1024 * 1024
        /// The time for the head of a request, from its first byte.
        public var headDeadline = Duration.seconds(10)
        /// The time for the content, from the end of the head; for content that a handler reads while it arrives over HTTP/1.1, the time
        /// that a client may fall behind in sending it.
        public var bodyDeadline = Duration.seconds(30)
        /// The time that a client may fall behind in reading a response.
        public var idleTimeout = Duration.seconds(60)
        /// The time that a connection may be without a request.
        ///
        /// It has to be longer than that of a proxy or load balancer in front, which otherwise sends a request into a connection that
        /// ends: those of nginx and of AWS keep one for 60 seconds by default, those of Google Cloud for 600.
        ///
        /// An HTTP/2 connection with requests that is silent for as long in both directions gets a PING, and ends if nothing comes
        /// back within `idleTimeout`.
        public var keepAliveTimeout = Duration.seconds(75)
        /// The bytes per second at which a client must read a response, on average; 0 requires progress only.
        ///
        /// The time that a slower client falls behind counts against `idleTimeout`, so that a client cannot hold a long
        /// response and its connection by reading a byte now and then.
        public var minimumSendRate = 256
        /// The bytes per second at which a client must send content that a handler reads while it arrives over HTTP/1.1, on average; 0
        /// requires progress only.
        ///
        /// The time that a slower client falls behind counts against `bodyDeadline`, after which the read throws
        /// `HTTPError.timeout`. Time in which the handler has not read what is there does not count.
        public var minimumContentRate = 256
        /// The maximum number of open connections; further ones get a 503 and are closed.
        public var maximumConnections = 10_000
        /// The maximum number of open connections from one address (one /64 of IPv6).
        public var maximumConnectionsPerAddress = 2000
        /// Whether clients may speak HTTP/2 (RFC 9113), on Linux.
        ///
        /// Over TLS those do that offer it, over plain HTTP those that begin with it.
        public var supportsHTTP2 = true
        /// The maximum number of requests that one HTTP/2 connection may have at a time; further ones are refused, and
        /// clients send them again.
        public var maximumStreamsPerConnection = 100
        /// The path prefixes, of whole segments, whose handlers read the content while it arrives; other handlers get it complete.
        ///
        /// An endpoint may say so itself (``ContentRule``). The streams of a service of RPCs, also in a router, are among them over HTTP/2. The
        /// content at a prefix has no limit of size, and over HTTP/2 none of time. What is not read yet is bounded, and counts in
        /// `maximumContentBytes`. So do 24 KiB for each such request, and for each response that is a stream, beside the first of an
        /// HTTP/2 connection.
        public var streamedContent: Set<String> = []
        /// The proxies that may state the address of the client; none by default.
        ///
        /// `maximumConnectionsPerAddress` does not apply to them, since their connections are those of many clients.
        public var trustedProxies = TrustedProxies()
        /// The maximum number of connections that the system holds before they are accepted.
        public var backlog = 1024
        /// The time that `run()` gives requests to finish when it is cancelled.
        public var grace = Duration.seconds(10)
        /// The number of event loop threads; one is enough for handlers that mostly wait.
        public var loops = 1
        /// The certificate, on Linux only; nil serves plain HTTP.
        public var tls: TLS?

        /// The listening TCP sockets that the process has been started with, which take the place of `host` and `port`; the
        /// server's address is that of the first.
        package var inheritedSockets: [Int32] = []

        /// The clock of deadlines in nanoseconds, for tests; nil uses the system's.
        package var uptime: (@Sendable () -> UInt64)?

        /// A function that is called, once a minute, while the process has no descriptor or memory left for further connections; it
        /// must not block.
        package var onExhaustion: (@Sendable () -> Void)?

        /// Creates a configuration with the defaults.
        public init() {}

        /// Creates a configuration with an address, and the defaults otherwise.
        public init(host: String = "127.0.0.1", port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// A certificate and its key, for TLS 1.2 and 1.3.
    public struct TLS: Sendable, CustomStringConvertible {
        let certificate: [UInt8]
        let key: [UInt8]

        /// Creates an identity from PEM text.
        ///
        /// - Parameters:
        ///   - certificate: The chain, the server's own certificate first.
        ///   - key: The private key of the first certificate, without a passphrase.
        public init(certificate: [UInt8], key: [UInt8]) {
            self.certificate = certificate
            self.key = key
        }

        /// A description that redacts the key.
        public var description: String { "TLS(certificate of \(certificate.count) bytes)" }
    }
}
