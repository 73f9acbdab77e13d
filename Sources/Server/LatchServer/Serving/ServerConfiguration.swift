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
        /// This is nginx's default: browsers send many cookies of a domain's other apps.
        public var maximumHeaderBytes = 32 * 1024
        /// The maximum number of header fields; more is 431.
        public var maximumHeaderFields = 100
        /// The maximum size of the content, in bytes; more is 413, and is not read.
        public var maximumBodyBytes = 1024 * 1024
        /// The maximum sizes of the content by path prefix, such as `/shop.v1.Shop/`; the longest matching prefix
        /// applies.
        ///
        /// They replace `maximumBodyBytes`. A request over such a limit reaches its handler, with content that throws
        /// `HTTPError.tooLarge` when it is read. So the handler can report the error in its protocol. Over HTTP/2 the
        /// same applies to content that has not arrived after `bodyDeadline` (`HTTPError.timeout`). The connection ends
        /// with the response. A service of RPCs, even in a router, has such limits, and an endpoint may have one
        /// (``ContentRule``). The limits here take precedence.
        public var contentLimits: [String: Int] = [:]
        /// The maximum number of bytes that all requests together hold; a request that exceeds it gets a 503.
        ///
        /// It applies while they are received and handled, and includes decompressed and decoded messages. The requests
        /// from one address (one /64 of IPv6) hold at most a quarter of it, unless it is a trusted proxy.
        public var maximumContentBytes = 256 * 1024 * 1024
        /// The time for the head of a request, from its first byte.
        public var headDeadline = Duration.seconds(10)
        /// The time for the content, from the end of the head.
        ///
        /// For content that a handler reads while it arrives over HTTP/1.1, it is the maximum delay of a client in
        /// sending it.
        public var bodyDeadline = Duration.seconds(30)
        /// The maximum delay of a client in reading a response.
        public var idleTimeout = Duration.seconds(60)
        /// The maximum time that a connection may be without a request.
        ///
        /// It has to be longer than the timeout of a proxy or load balancer in front. Otherwise the proxy sends a
        /// request into a connection that is ending. By default nginx and AWS keep a connection for 60 seconds, Google
        /// Cloud for 600.
        ///
        /// An HTTP/2 connection with requests gets a PING after the same time of silence in both directions. It ends
        /// without a response within `idleTimeout`.
        public var keepAliveTimeout = Duration.seconds(75)
        /// The bytes per second at which a client must read a response, on average; 0 requires only progress.
        ///
        /// The delay of a slower client counts against `idleTimeout`. So a client cannot hold a long response and its
        /// connection by reading a byte now and then.
        public var minimumSendRate = 256
        /// The bytes per second at which a client must send streamed content over HTTP/1.1, on average; 0 requires only
        /// progress.
        ///
        /// It applies to content that a handler reads while it arrives. The delay of a slower client counts against
        /// `bodyDeadline`; after that, the read throws `HTTPError.timeout`. Time in which the handler has not read
        /// available content does not count.
        public var minimumContentRate = 256
        /// The maximum number of open connections; further ones get a 503 and are closed.
        public var maximumConnections = 10_000
        /// The maximum number of open connections from one address (one /64 of IPv6).
        public var maximumConnectionsPerAddress = 2000
        /// Whether clients may speak HTTP/2 (RFC 9113), on Linux.
        ///
        /// Over TLS it is for clients that offer it, and over plain HTTP for clients that begin with it.
        public var supportsHTTP2 = true
        /// The maximum number of concurrent requests of one HTTP/2 connection.
        ///
        /// Further ones are refused, and clients send them again.
        public var maximumStreamsPerConnection = 100
        /// The path prefixes, of whole segments, whose handlers read the content while it arrives; other handlers get
        /// it complete.
        ///
        /// An endpoint may also require it (``ContentRule``). Over HTTP/2 this includes the streams of a service of
        /// RPCs, even in a router. The content at a prefix has no size limit, and over HTTP/2 no time limit. Unread
        /// content is bounded, and counts in `maximumContentBytes`. So do 24 KiB for each such request and for each
        /// streamed response, except for the first one of an HTTP/2 connection.
        public var streamedContent: Set<String> = []
        /// The proxies that may state the address of the client; none by default.
        ///
        /// `maximumConnectionsPerAddress` does not apply to them, since they connect for many clients.
        public var trustedProxies = TrustedProxies()
        /// The maximum number of connections that the system holds before they are accepted.
        public var backlog = 1024
        /// The time that `run()` gives requests to finish when it is canceled.
        public var grace = Duration.seconds(10)
        /// The number of event loop threads; one is enough for handlers that mostly wait.
        public var loops = 1
        /// The certificate, on Linux only; nil serves plain HTTP.
        public var tls: TLS?

        /// The listening TCP sockets that the process was started with, which replace `host` and `port`.
        ///
        /// The server's address is the first one's.
        package var inheritedSockets: [Int32] = []

        /// The clock of deadlines in nanoseconds, for tests; nil uses the system's.
        package var uptime: (@Sendable () -> UInt64)?

        /// A function that is called once a minute while the process has no descriptor or memory for further
        /// connections.
        ///
        /// It must not block.
        package var onExhaustion: (@Sendable () -> Void)?

        /// Creates a configuration with the defaults.
        public init() {}

        /// Creates a configuration with an address and the other defaults.
        public init(host: String = "127.0.0.1", port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// The clients that are asked for a certificate; none of them has to show one.
    ///
    /// A browser asks its user to choose one if it is asked. So a server with pages has another host for certificates.
    public enum ClientCertificates: Sendable, Hashable {
        /// No client is asked.
        case ignored
        /// Each client is asked.
        case requested
        /// Each client that names this host in its handshake (RFC 6066 §3) is asked.
        case requestedFor(host: String)
    }

    /// A certificate and its key, for TLS 1.2 and 1.3.
    public struct TLS: Sendable, CustomStringConvertible {
        let certificate: [UInt8]
        let key: [UInt8]
        /// The clients that are asked for a certificate.
        ///
        /// Any certificate is accepted, and handlers decide on `HTTPRequest.clientCertificate`. The TLS session of a
        /// client with a certificate is not resumed.
        public var clientCertificates: ClientCertificates

        /// Creates an identity from PEM text.
        ///
        /// - Parameters:
        ///   - certificate: The chain, beginning with the server's certificate.
        ///   - key: The private key of the first certificate, without a passphrase.
        ///   - clientCertificates: The clients that are asked for a certificate.
        public init(certificate: [UInt8], key: [UInt8], clientCertificates: ClientCertificates = .ignored) {
            self.certificate = certificate
            self.key = key
            self.clientCertificates = clientCertificates
        }

        /// A description that redacts the key.
        public var description: String { "TLS(certificate of \(certificate.count) bytes)" }
    }
}
