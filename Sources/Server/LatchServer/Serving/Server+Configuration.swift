// SPDX-License-Identifier: Apache-2.0

extension Server {
    /// Where a server listens and what it bears; the defaults are safe on a network that is not.
    public struct Configuration: Sendable {
        /// The address to listen on: an IPv4 or IPv6 address, or `localhost`.
        public var host = "127.0.0.1"
        /// The port; 0 takes any free one.
        public var port = 0
        /// How many bytes the request line and the header fields may have together; more is 414 or 431.
        public var maximumHeaderBytes = 16 * 1024
        /// How many header fields a request may have; more is 431.
        public var maximumHeaderFields = 100
        /// How many bytes the content may have; more is 413, and is not read.
        public var maximumBodyBytes = 1024 * 1024
        /// How many bytes the content may have below some paths, such as `/shop.v1.Shop/`, in place of
        /// `maximumBodyBytes`; of several such paths the longest counts.
        ///
        /// A request with more content reaches its handler, with content that fails with `HTTPError.tooLarge` when it
        /// is read, so that the refusal is in the words of the handler's protocol (`RPCService.contentLimits`). The
        /// connection ends with the answer.
        public var contentLimits: [String: Int] = [:]
        /// How many bytes the contents of all requests may have together while they arrive and are answered; a request
        /// for which there is no room is answered 503.
        public var maximumContentBytes = 256 * 1024 * 1024
        /// How long a request's head may take from its first byte, however steadily it trickles.
        public var headDeadline = Duration.seconds(10)
        /// How long the content may take from the end of the head.
        public var bodyDeadline = Duration.seconds(30)
        /// How long a connection may be without a request, and how far a client may fall behind in reading its answer.
        public var idleTimeout = Duration.seconds(60)
        /// How many bytes of an answer a client must take in a second, on average; 0 asks for nothing but progress.
        ///
        /// What a slower client falls behind counts against `idleTimeout`, so that nobody holds a long answer and its
        /// connection by reading a byte now and then.
        public var minimumAnswerRate = 256
        /// How many connections there may be at once; further ones are answered 503 and closed.
        public var maximumConnections = 10_000
        /// How many of them may come from one address (one /64 of IPv6).
        public var maximumConnectionsPerAddress = 1000
        /// The proxies whose word about a client's address is taken; none by default.
        ///
        /// Their connections are those of many clients, and are not bounded by `maximumConnectionsPerAddress`.
        public var trustedProxies = TrustedProxies()
        /// How many connections the system may hold before they are accepted.
        public var backlog = 1024
        /// How long `run()` lets requests finish when it is cancelled.
        public var grace = Duration.seconds(10)
        /// How many threads serve connections; one is enough where handlers do little else than wait.
        public var loops = 1
        /// The certificate; nil serves plain http.
        public var tls: TLS?

        /// The nanoseconds by which deadlines are kept, for a test that moves them; nil for the system's.
        package var uptime: (@Sendable () -> UInt64)?

        /// The defaults.
        public init() {}

        /// The defaults, at another address.
        public init(host: String = "127.0.0.1", port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// A certificate and its key, for TLS 1.2 and 1.3.
    public struct TLS: Sendable {
        let certificate: [UInt8]
        let key: [UInt8]

        /// A certificate from PEM text.
        ///
        /// - Parameters:
        ///   - certificate: The chain, the server's own certificate first.
        ///   - key: The private key of the first certificate, without a passphrase.
        public init(certificate: [UInt8], key: [UInt8]) {
            self.certificate = certificate
            self.key = key
        }
    }
}

extension Server.TLS: CustomStringConvertible {
    /// Says nothing about the key.
    public var description: String { "TLS(certificate of \(certificate.count) bytes)" }
}
