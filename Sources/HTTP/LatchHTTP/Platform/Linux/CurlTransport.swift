// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Synchronization

/// A transport based on libcurl: connection reuse, HTTP/2, TLS, proxies.
///
/// Each instance has its own connection pool, so create one and share it, as `Transport.live` is. It does not follow
/// redirects and stores no cookies, credentials or proxy passwords: the layers above do that.
///
/// A fast response requires no switch between threads. If the loop is idle, the calling thread drives the transfer for
/// a fraction of a millisecond (`CurlLoop.lead`). Only slower transfers move to the loop's thread.
public final class CurlTransport: Handler {
    /// The limits, the proxy and the TLS settings of a transport.
    public struct Configuration: Sendable {
        /// The maximum time to connect, unless the request overrides it (``HTTPRequest/connectTimeout``).
        public var connectTimeout: Duration = .seconds(15)
        /// The maximum duration of one transfer, unless the request overrides it.
        ///
        /// With a stream in either direction, it is the maximum time without progress of the peer. The head of the
        /// response counts as a whole, content chunk by chunk. Time in which the peer waits does not count: a source
        /// delivers nothing, or a reader takes nothing. A request's `deadline` also ends a stream that makes progress.
        ///
        /// The refresh of a session has no such limit and ends only with its connection. TCP keep-alive detects a dead
        /// peer after two minutes.
        public var timeout: Duration = .seconds(60)
        /// The time that large or unbounded streams wait for the server's 100 (Continue) response.
        ///
        /// A server that rejects the request by its head (with a 401, for example) then leaves the stream unread. A
        /// server without support for 100 (RFC 9110 §10.1.1) receives the content after this time.
        public var continueTimeout: Duration = .seconds(1)
        /// The maximum size of response content after decoding (`gzip` and others).
        public var maximumResponseBytes = 64 << 20
        /// The maximum size of streamed response content after decoding.
        ///
        /// Streaming bounds the memory, even if content expands a thousand times. It does not bound the size of a file
        /// that the content is written to.
        public var maximumStreamedBytes = Int.max
        /// The maximum number of connections to one host; further requests wait for one of them.
        public var maximumConnectionsPerHost = 64
        /// The proxy, by default that of the environment; nil for none.
        public var proxy: HTTPProxy? = .system
        /// The path of a PEM file with the trusted certificate authorities, instead of the system's; also for a proxy
        /// over https.
        public var certificateAuthorityFile: String?
        /// The folder of the system's authorities; nil for libcurl's default.
        var systemAuthorityFolder: String?
        /// The pins, client certificates and minimum version of TLS.
        public var tls = TLSPolicy()
        /// Returns whether a connection may be opened to an address, from its four or sixteen bytes; nil for each one.
        ///
        /// A proxy would be such an address, and would then resolve the name itself.
        package var permitsAddress: (@Sendable (_ bytes: [UInt8]) -> Bool)?

        /// Creates the default configuration.
        public init() {}
    }

    private let configuration: Configuration
    private let startedLoop = AtomicLazyReference<CurlLoop>()

    /// Creates a transport with its own connection pool.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Transfers in progress keep what they need and still finish; the thread ends after the last one.
    deinit { startedLoop.load()?.stop() }

    /// Returns the loop, which the first request starts; a program without requests never loads libcurl.
    private func loop() throws(HTTPError) -> CurlLoop {
        if let loop = startedLoop.load() { return loop }
        let newLoop = try CurlLoop.start(configuration: configuration)
        let loop = startedLoop.storeIfNil(newLoop)
        if loop !== newLoop { newLoop.stop() }
        return loop
    }

    /// Sends `request` and returns its response; with `wantsStream` it returns as soon as the head has arrived.
    ///
    /// Canceling the task aborts the transfer. A streamed response holds its connection until it is read to its end or
    /// released, which aborts the transfer. A slow reader slows the server, though over HTTP/2 libcurl buffers up to 32
    /// MiB before the server notices.
    ///
    /// The content codings gzip, deflate, br and zstd are requested and decoded. Then `Content-Encoding` and
    /// `Content-Length` are removed. For a request with an `Accept-Encoding` or a `Range`, nothing is requested or
    /// decoded. Content in another coding is not decoded. Content that ends before its coding does is
    /// `malformedMessage`.
    ///
    /// - Throws: `HTTPError`: `offline`, `tooManyOpenFiles`, `timeout`, `tls`, `pinMismatch`,
    ///   `clientCertificateRefused`, `cancelled`, `tooLarge`, or `malformedMessage`. Before anything is sent:
    ///   `invalidURL`, `invalidField` and `invalidTLSPolicy`. The errors of the stream of the request's content are
    ///   also thrown.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await respond(to: request, attempts: 3)
    }

    private func respond(to request: HTTPRequest, attempts: Int) async throws -> HTTPResponse {
        var request = request
        do {
            return try await respondOnce(to: request)
        } catch let lost as LostResponseError {
            guard attempts > 1, lost.allowsRepetition(of: request) else { throw lost.httpError }
        } catch let unprocessed as UnprocessedRequestError {
            guard attempts > 1, unprocessed.isRepeatable else { throw unprocessed.httpError }
            if unprocessed.omitsExpectation { request.omitsExpectation = true }
        }
        return try await respond(to: request, attempts: attempts - 1)
    }

    private func respondOnce(to request: HTTPRequest) async throws -> HTTPResponse {
        let loop = try loop()
        guard !Task.isCancelled else { throw HTTPError.cancelled }
        let transfer = try loop.transfers.take(for: loop)
        do {
            try transfer.prepare(request, timeout: request.timeLimit(usual: configuration.timeout))
        } catch {
            loop.transfers.giveBack(transfer)
            throw error
        }
        if let buffer = transfer.responseBuffer {
            return try await stream(buffer, of: transfer, for: request, on: loop)
        }
        switch transfer.hasIdleTimeout ? .unfinished : loop.lead(transfer) {
        case .finished: break
        case .finishedAndYieldIsDue: await Task.yield()
        case .unfinished:
            transfer.upload?.start { [weak transfer] in transfer.map { loop.wake($0) } }
            let isAbortable = !request.isUninterruptible
            await withTaskCancellationHandler {
                await withUnsafeContinuation { loop.submit(transfer, resuming: $0) }
            } onCancel: {
                if isAbortable { loop.cancel(transfer) }
            }
        }
        defer { loop.transfers.giveBack(transfer) }
        return try transfer.response(to: request)
    }

    /// Returns the response as soon as its head has arrived; its content is read as it arrives.
    private func stream(
        _ buffer: ResponseBuffer<[UInt8]>, of transfer: CurlTransfer, for request: HTTPRequest, on loop: CurlLoop
    ) async throws -> HTTPResponse {
        let isDecoded = transfer.decodes
        let streamed = StreamedResponse(transfer, buffer, on: loop)
        transfer.upload?.start { [weak transfer] in transfer.map { loop.wake($0) } }
        loop.submit(transfer, resuming: nil)
        var response = try await streamed.head(isAbortable: !request.isUninterruptible)
        if isDecoded { response.removeCoding() }
        let length = request.method == .head ? nil : response.fields[.contentLength].flatMap { Int($0) }
        // The response keeps the trailers' source as long as it lives, so the handle must be owned by its reader.
        response.body = HTTPBody(
            HTTPBodyStream(
                length: length, once: { try await streamed.next() },
                trailers: { buffer.trailers.map { ResponseHead.fields($0) } ?? [:] }))
        return response
    }
}

/// The reader's handle of a streamed response: releasing it aborts the transfer.
private final class StreamedResponse: Sendable {
    private let transfer: CurlTransfer
    private let loop: CurlLoop
    private let buffer: ResponseBuffer<[UInt8]>

    /// Creates a handle of a transfer that is about to be submitted.
    init(_ transfer: CurlTransfer, _ buffer: ResponseBuffer<[UInt8]>, on loop: CurlLoop) {
        self.transfer = transfer
        self.buffer = buffer
        self.loop = loop
    }

    deinit {
        if buffer.hasEnded { loop.transfers.giveBack(transfer) } else { loop.cancel(transfer) }
    }

    /// Returns the head; canceling the task aborts the transfer if it is `isAbortable`.
    func head(isAbortable: Bool) async throws -> HTTPResponse {
        try ResponseHead.parse(
            isAbortable ? try await abortable { try await buffer.head() } : try await buffer.head())
    }

    /// Returns the next chunk of the content, or nil at the end; canceling the task aborts the transfer.
    func next() async throws -> [UInt8]? {
        try await abortable { try await buffer.next { loop.wake(transfer) } }
    }

    private func abortable<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            loop.cancel(transfer)
        }
    }
}
#endif
