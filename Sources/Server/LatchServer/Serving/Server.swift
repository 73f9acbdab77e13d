// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import Synchronization

/// A server of HTTP/1.1 and HTTP/2, which rejects every message that two parsers could interpret differently.
///
/// ```swift
/// let server = Server(handler: router)
/// let address = try await server.start()
/// print("serving \(address.url)")
/// try await server.run()                    // until the task is cancelled; then drains
/// ```
///
/// Handlers run on the thread that reads the socket until they suspend, and resume there. So they may block only for
/// less time than a thread switch takes. A longer computation or call belongs on a separate thread, which resumes the
/// task by a continuation. If the client disconnects, the handler's task is canceled.
public final class Server: Sendable {
    /// The address that a server listens on.
    public struct Address: Sendable, Hashable, CustomStringConvertible {
        /// The scheme: `http` or `https`.
        public let scheme: String
        /// The host, without brackets.
        public let host: String
        /// The port, even if the system chose it.
        public let port: Int

        /// The host, in brackets if it is an IPv6 address, and the port.
        public var authority: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

        /// The URL without a trailing slash, such as `http://127.0.0.1:8080`.
        public var url: String { "\(scheme)://\(authority)" }

        /// The URL.
        public var description: String { url }
    }

    /// The state of a server, which starts once and stops once.
    private enum State {
        case new
        case bound(EngineConfiguration)
        case serving(Engine, Address)
        /// The task that ends the running server; nil if it did not run.
        case stopped(Task<Void, Never>?)
    }

    private let handler: any Handler
    private let configuration: Configuration
    private let state = Mutex<State>(.new)
    /// The limits of connections, whose counts outlive the loops.
    private let limiter: ConnectionLimiter
    /// A stream that ends when the server has stopped.
    private let stopped = AsyncStream<Never>.makeStream()

    /// Creates a server that does not listen yet.
    public init(handler: any Handler, configuration: Configuration = Configuration()) {
        let proxies = configuration.trustedProxies
        var filters: [any Interceptor] = []
        if !proxies.ranges.isEmpty || proxies.certificateField != nil {
            filters.append(TrustedProxyInterceptor(proxies: proxies))
        }
        if case .requestedFor(let host) = configuration.tls?.clientCertificates {
            filters.append(MisdirectedRequestFilter(host: host.lowercasedASCII()))
        }
        self.handler = filters.isEmpty ? handler : handler.nested(in: filters)
        self.configuration = configuration
        limiter = ConnectionLimiter(configuration)
    }

    /// Binds the address, for a program that still has to prepare its content.
    ///
    /// Until ``start()`` clients are refused, so that a proxy uses another server. Clients of an inherited socket wait
    /// in it.
    ///
    /// - Throws: The errors of ``start()``.
    package func bind() throws(ServerError) -> Address {
        try state.withLock { state throws(ServerError) in
            guard case .new = state else { throw .alreadyStarted }
            let shared = try EngineConfiguration(handler, configuration, limiter)
            state = .bound(shared)
            return shared.address
        }
    }

    /// Starts to listen; returns as soon as connections are accepted.
    ///
    /// - Throws: `ServerError.portInUse`, `.addressUnavailable`, `.badCertificate`, `.tlsUnavailable` on Apple
    ///   platforms, `.outOfResources`, or `.alreadyStarted`.
    @discardableResult
    public func start() async throws(ServerError) -> Address {
        try state.withLock { state throws(ServerError) in
            let shared: EngineConfiguration
            switch state {
            case .new: shared = try EngineConfiguration(handler, configuration, limiter)
            case .bound(let bound): shared = bound
            case .serving, .stopped: throw .alreadyStarted
            }
            // A failed start closes the socket.
            state = .new
            state = .serving(try Engine.start(shared, loops: configuration.loops), shared.address)
            return shared.address
        }
    }

    /// The address that the server listens on; nil while it does not listen.
    public var address: Address? {
        state.withLock { state in
            switch state {
            case .bound(let shared): shared.address
            case .serving(_, let address): address
            case .new, .stopped: nil
            }
        }
    }

    /// The number of open connections.
    package var connectionCount: Int { limiter.total }

    /// The numbers of open, refused and failed connections since the start.
    package var connectionStatistics: ConnectionStatistics { limiter.statistics }

    /// The bytes that the requests of all connections hold; nil while the server does not listen.
    package var memory: MemoryBudget? {
        state.withLock { if case .serving(let engine, _) = $0 { engine.memory } else { nil } }
    }

    /// Replaces the certificate for later connections, for example after a renewal; open ones keep theirs.
    ///
    /// - Throws: `ServerError.badCertificate`, and then the earlier certificate stays in use, or `.noCertificate` if
    ///   the server does not serve https.
    public func replaceCertificate(_ tls: TLS) throws(ServerError) { try certificateReplacement(tls)() }

    /// Loads a certificate, and returns a function that installs it in the server and cannot fail.
    ///
    /// - Throws: The errors of ``replaceCertificate(_:)``.
    package func certificateReplacement(_ tls: TLS) throws(ServerError) -> @Sendable () -> Void {
        guard let current = currentTLSContext else { throw .noCertificate }
        let context = try TLSContext(tls, offersHTTP2: configuration.supportsHTTP2)
        return { current.replace(with: context) }
    }

    /// The earliest expiry in the certificate chain of later connections; nil if the server does not serve https.
    package var certificateEnd: Date? {
        currentTLSContext?.validity.map { Date(timeIntervalSince1970: Double($0.end)) }
    }

    private var currentTLSContext: CurrentTLSContext? {
        state.withLock { if case .serving(let engine, _) = $0 { engine.tls } else { nil } }
    }

    /// Stops accepting connections, lets running requests finish, then closes every connection.
    ///
    /// A further call waits for the first one, whose grace applies.
    ///
    /// - Parameter grace: The time after which running handlers are canceled and their connections closed.
    public func shutdown(grace: Duration) async {
        let end = state.withLock { state -> Task<Void, Never>? in
            var end: Task<Void, Never>?
            switch state {
            case .new: break
            case .bound(let shared): shared.stopListening()
            case .serving(let engine, _): end = Task { await engine.stop(grace: grace) }
            case .stopped(let earlier): end = earlier
            }
            state = .stopped(end)
            return end
        }
        await end?.value
        stopped.continuation.finish()
    }

    /// Starts unless the server was started, and serves until the task is canceled or the server is shut down.
    ///
    /// - Throws: An error of `start()`.
    public func run() async throws(ServerError) {
        let isStarted = state.withLock { state in
            switch state {
            case .new, .bound: false
            case .serving, .stopped: true
            }
        }
        if !isStarted { try await start() }
        for await _ in stopped.stream {}
        await shutdown(grace: configuration.grace)
    }
}
