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
        ///
        /// With a stream in it, either way, it is how long nothing may move that the other side has to move: the head
        /// of the answer counts as a whole, content piece by piece. Time in which the other side waits for us, because
        /// a source gives nothing or a reader takes nothing, does not count.
        public var timeout: Duration = .seconds(60)
        /// How long a stream that is large, or of unknown size, waits for the server's leave to send it.
        ///
        /// A server that refuses the request by its head (a 401, say) then leaves the stream unread. One that knows
        /// nothing of it (RFC 9110 §10.1.1) gets the content after this time.
        public var continueTimeout: Duration = .seconds(1)
        /// How large the content of a response may be, after its coding (`gzip` and the like) is taken off.
        public var maximumResponseBytes = 64 << 20
        /// The same for an answer that is read as a stream.
        ///
        /// Where content expands a thousand times, memory is bounded anyway; what is written to a disk is not.
        public var maximumStreamedBytes = Int.max
        /// How many connections to one host may be open at once; further requests wait for one of them.
        public var maximumConnectionsPerHost = 64
        /// A PEM file of certificate authorities to trust instead of the system's.
        public var certificateAuthorityFile: String?
        /// Pins, client certificates and the oldest version of TLS.
        public var tls = TLSPolicy()

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

    /// Sends `request` and collects its response, or begins to: with `wantsStream` the answer is there with its head.
    ///
    /// Cancelling the task aborts the transfer. A stream of an answer holds its connection until it is read to its end
    /// or let go, which aborts the transfer; a slow reader slows the server, though over HTTP/2 libcurl keeps what
    /// comes before the server notices, 32 MiB at most. The codings that libcurl knows are asked for and taken off, and
    /// `Content-Encoding` and `Content-Length` with them, unless the request has an `Accept-Encoding` or a `Range`.
    ///
    /// - Throws: `HTTPError`: `offline`, `timeout`, `tls`, `pinMismatch`, `clientCertificateRefused`, `cancelled`,
    ///   `tooLarge`, `malformedMessage`, or `invalidURL`, `invalidField` and `invalidTLSPolicy` before anything is sent;
    ///   and what the stream of the request's content throws.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await respond(to: request, attempts: 3)
    }

    private func respond(to request: HTTPRequest, attempts: Int) async throws -> HTTPResponse {
        do {
            return try await respondOnce(to: request)
        } catch let lost as LostAnswer {
            guard attempts > 1, lost.allowsRepetition(of: request) else { throw lost.told }
        }
        return try await respond(to: request, attempts: attempts - 1)
    }

    private func respondOnce(to request: HTTPRequest) async throws -> HTTPResponse {
        let loop = try loop.get()
        guard !Task.isCancelled else { throw HTTPError.cancelled }
        let transfer = try loop.transfers.take()
        do {
            try transfer.prepare(request, timeout: request.timeLimit(usual: configuration.timeout))
        } catch {
            loop.transfers.giveBack(transfer)
            throw error
        }
        if let answer = transfer.answer { return try await stream(answer, of: transfer, for: request, on: loop) }
        if transfer.isPaced || !loop.lead(transfer) {
            transfer.upload?.start { [weak transfer] in transfer.map { loop.wake($0) } }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { loop.submit(transfer, resuming: $0) }
            } onCancel: {
                loop.cancel(transfer)
            }
        }
        defer { loop.transfers.giveBack(transfer) }
        return try transfer.response(to: request)
    }

    /// The answer as soon as its head is there; its content is read as it arrives.
    private func stream(
        _ feed: AnswerFeed<[UInt8]>, of transfer: CurlTransfer, for request: HTTPRequest, on loop: CurlLoop
    ) async throws -> HTTPResponse {
        let isDecoded = transfer.decodes && request.method != .head
        let answer = StreamedAnswer(transfer, feed, on: loop)
        transfer.upload?.start { [weak transfer] in transfer.map { loop.wake($0) } }
        loop.submit(transfer, resuming: nil)
        var response = try await answer.head()
        if isDecoded { response.removeCoding() }
        let length = request.method == .head ? nil : response.fields[.contentLength].flatMap { Int($0) }
        response.body = HTTPBody(
            HTTPBodyStream(length: length, once: { try await answer.next() }, trailers: { answer.trailers }))
        return response
    }
}
#endif
