// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Sends requests with libcurl: kept connections, HTTP/2, TLS, the proxies of the environment.
///
/// One instance owns one pool of connections, so make one and share it (`Transport.live` is such a one). Redirects are
/// not followed here and no cookie, credential or proxy password is kept: that is for the layers above.
///
/// A quick answer costs no hand-off between threads: when nothing else is under way, the calling thread itself drives
/// the transfer for a fraction of a millisecond (`CurlLoop.lead`), and only what takes longer goes to the loop's own
/// thread.
public final class CurlTransport: Handler {
    /// Limits of a transport.
    public struct Configuration: Sendable {
        /// How long a connection may take to be made.
        public var connectTimeout: Duration = .seconds(15)
        /// How long one transfer may take in all, unless the request says otherwise.
        public var timeout: Duration = .seconds(60)
        /// How large the content of a response may be.
        public var maximumResponseBytes = 64 << 20
        /// How many connections to one host may be open at once; further requests wait for one of them.
        public var maximumConnectionsPerHost = 64
        /// A PEM file of certificate authorities to trust instead of the system's.
        public var certificateAuthorityFile: String?

        /// The usual limits.
        public init() {}
    }

    private let configuration: Configuration
    /// The loop, or why there is none: an initialiser that cannot fail is kinder to those who make transports.
    private let loop: Result<CurlLoop, HTTPError>

    /// A transport with a connection pool of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        do {
            loop = .success(try CurlLoop.start(configuration: configuration))
        } catch {
            loop = .failure(error)
        }
    }

    /// Transfers hold what they need, so those under way still end; the thread goes after the last.
    deinit {
        guard case .success(let loop) = loop else { return }
        loop.stop()
    }

    /// Sends `request` and collects its response.
    ///
    /// Cancelling the task aborts the transfer.
    ///
    /// - Throws: `HTTPError`: `offline`, `timeout`, `tls`, `cancelled`, `tooLarge`, `malformedMessage`, or
    ///   `invalidURL` and `invalidField` before anything is sent.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let loop = try loop.get()
        guard !Task.isCancelled else { throw HTTPError.cancelled }
        let transfer = try loop.transfers.take()
        do {
            try transfer.prepare(request, timeout: request.timeLimit(usual: configuration.timeout))
        } catch {
            loop.transfers.giveBack(transfer)
            throw error
        }
        if !loop.lead(transfer) {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { loop.submit(transfer, resuming: $0) }
            } onCancel: {
                loop.cancel(transfer)
            }
        }
        defer { loop.transfers.giveBack(transfer) }
        return try transfer.response(to: request)
    }
}
#endif
