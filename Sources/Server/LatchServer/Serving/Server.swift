// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization
public import LatchHTTP

/// Gives a handler a socket: an HTTP/1.1 server that serves nothing two readers could read in two ways.
///
/// ```swift
/// let server = Server(handler: router)
/// let address = try await server.start()
/// print("serving \(address.url)")
/// try await server.run()                    // until the task is cancelled; then drains
/// ```
///
/// Handlers run on the thread that reads the socket until they wait for something, and come back to it afterwards. So
/// they must not block: what computes for long or waits for a disk goes to a thread of its own and resumes the task
/// by a continuation. When the client goes away, the handler's task is cancelled.
public final class Server: Sendable {
    /// A server starts once and stops once; a stopped one has no way back.
    private enum State {
        case new
        case serving(Engine, Address)
        case stopped
    }

    /// Asked by every loop.
    private let handler: any Handler
    /// As it was given; changing the original later changes nothing.
    private let configuration: Configuration
    /// Guards the way from new to stopped; nothing waits while it is held but the start itself.
    private let state = Mutex<State>(.new)
    /// Ends when the server has stopped, so that `run()` need not poll.
    private let stopped = AsyncStream<Never>.makeStream()

    /// A server that does not listen yet.
    public init(handler: any Handler, configuration: Configuration = Configuration()) {
        let proxies = configuration.trustedProxies
        self.handler =
            proxies.ranges.isEmpty ? handler : handler.intercepted(by: [TrustedProxyInterceptor(proxies)])
        self.configuration = configuration
    }

    /// Listens and serves; returns as soon as connections are accepted.
    ///
    /// - Throws: `ServerError.portInUse`, `.addressUnavailable`, `.badCertificate`, or `.alreadyStarted`.
    @discardableResult
    public func start() async throws(ServerError) -> Address {
        try state.withLock { state throws(ServerError) in
            guard case .new = state else { throw .alreadyStarted }
            let (engine, address) = try Engine.start(handler, configuration)
            state = .serving(engine, address)
            return address
        }
    }

    /// Where the server listens; nil while it does not.
    public var address: Address? {
        state.withLock { if case .serving(_, let address) = $0 { address } else { nil } }
    }

    /// How many connections are open.
    public var connectionCount: Int {
        state.withLock { if case .serving(let engine, _) = $0 { engine.connectionCount } else { 0 } }
    }

    /// Accepts nothing more, lets requests in flight finish, then closes every connection.
    ///
    /// - Parameter grace: After this time, handlers that still run are cancelled and their connections closed.
    public func shutdown(grace: Duration) async {
        let engine = state.withLock { state -> Engine? in
            defer { state = .stopped }
            guard case .serving(let engine, _) = state else { return nil }
            return engine
        }
        await engine?.stop(grace: grace)
        stopped.continuation.finish()
    }

    /// Serves until the task is cancelled or the server is shut down, and drains; starts first where nobody did.
    ///
    /// - Throws: What `start()` throws.
    public func run() async throws(ServerError) {
        if state.withLock({ if case .new = $0 { true } else { false } }) { try await start() }
        for await _ in stopped.stream {}
        await shutdown(grace: configuration.grace)
    }
}
