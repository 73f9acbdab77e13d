// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import LatchCore

/// A libcurl easy handle and the buffers of its transfer, reused for the next one.
///
/// It has one owner at a time: the task that prepares it, then the driver of the loop, then the task again. Only
/// `isCancelled` and `waiter` are accessed from both sides, under the loop's lock. `upload` and `responseBuffer` have
/// separate locks.
final class CurlTransfer: @unchecked Sendable {
    let easy: UnsafeMutableRawPointer
    /// The size limits of the response content, after decoding, and the TLS policy.
    let configuration: CurlTransport.Configuration
    /// libcurl's error message buffer; it has the lifetime of the handle.
    let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// The strings that libcurl reads during the transfer; they live as long as the handle.
    private var text = CurlRequestStrings()
    /// The lines of the last block of fields, including the status line, without the empty line.
    var head: [UInt8] = []
    var content: [UInt8] = []
    /// The maximum size of the response content in memory.
    private var maximumResponseBytes = 0
    /// The lines of the trailer section (RFC 9110 §6.5).
    var trailers: [UInt8] = []
    /// The reason why this library stopped the transfer; libcurl only reports that a callback stopped it.
    var refusal: HTTPError?
    /// Whether the server has rejected the expectation of the request, so that the content can be sent without it.
    private(set) var isExpectationRefused = false
    /// Whether libcurl may wait for a 100 response before it sends the content.
    private var expectsContinue = false
    /// Whether the head was restored from the data that libcurl kept of a response.
    var isHeadRestored = false
    /// Whether the empty line after the fields has not arrived yet.
    var isReadingHead = true
    /// Whether the content codings of the response are decoded.
    private(set) var decodes = true
    /// Whether the head has a field for a content coding.
    private var namesCoding = false
    /// Whether the head has a transfer coding that was not checked yet.
    private var namesTransferCoding = false
    /// The decoder of the content; nil if it has no coding, or is not decoded.
    private var decoder: ContentDecoder?
    /// Whether plain http uses HTTP/2 with prior knowledge.
    private(set) var assumesHTTP2 = false
    /// Whether the request is for HTTP/2, encrypted or not.
    private(set) var wantsHTTP2 = false
    /// Whether the request is for https.
    private(set) var isEncrypted = false
    /// An unretained pointer to the loop for libcurl's callbacks.
    var loop: UnsafeMutableRawPointer?
    /// Whether the request accepts trailers (RFC 9110 §10.1.4).
    private(set) var wantsTrailers = false
    private var ignoresLength = false
    /// The number of received bytes, and how many of them the driver has noticed.
    var arrived = 0
    var noticed = 0
    /// Whether the host can request a client certificate.
    var showsCertificate = false
    /// The request's authority, for errors.
    private(set) var authority = ""
    /// The request's port, and the size of its content in memory.
    private(set) var (port, size) = (0, Int64(0))
    /// The port of the last connection that was opened for the transfer: the proxy's, or the request's.
    var peerPort: Int?
    /// Whether that connection waits for a response, to a handshake or to the request.
    var isConnected = false
    /// Whether the last connection could not be opened, because no descriptor was left.
    var hasNoDescriptor = false
    /// Whether an address of the host was refused.
    var hasRefusedAddress = false

    /// The buffer that libcurl reads the request content from; nil for content in memory.
    var upload: UploadBuffer?
    /// The buffer of a streamed response; nil if the response is collected here.
    var responseBuffer: ResponseBuffer<[UInt8]>?
    /// The number of bytes of content that were passed to `responseBuffer`.
    private var streamedBytes = 0
    /// The idle timeout in nanoseconds; 0 for none.
    var idleTimeout: UInt64 = 0
    /// The idle timeout in nanoseconds before the request begins.
    var waitLimit: UInt64 = 0
    /// Whether the idle timeout is set by the request, so that it starts when the request begins on its connection.
    var limitsSilence = false
    /// Whether the last request set a maximum time to connect.
    var limitsConnecting = false
    /// The number of content bytes sent when the driver last checked.
    var noticedSent: Int64 = 0
    /// The time at which libcurl got the transfer, in nanoseconds of the monotonic clock.
    var began: UInt64 = 0
    /// Whether options keep the transfer away from certain connections.
    var avoidsConnections = false
    /// The time of the last progress, in nanoseconds of the monotonic clock.
    var lastMove: UInt64 = 0

    /// The time in nanoseconds after which the transfer ends, even if it progresses; 0 for none.
    var timeLimit: UInt64 = 0
    /// The end of that time, and the index among the transfers with a time limit; see `TransferLimits`.
    var end = UInt64.max
    var place = 0

    /// The number of the poll that follows the expiry of the idle timeout; nil before the expiry.
    var overduePoll: UInt64?

    /// The socket of the last event that libcurl requested for this transfer.
    ///
    /// libcurl 7.88 does not know the socket before the end of a transfer (`CURLINFO_ACTIVESOCKET`).
    var socket: CInt?
    /// The socket that libcurl does not watch while it waits for `upload`.
    var unreadSocket: CInt?

    /// Whether the request may be sent again on another connection, even if a server has executed it.
    private(set) var isRepeatable = false
    /// The number of bytes sent to a proxy before the request; nil before the first attempt.
    var bytesBeforeRequest: Int?
    /// The facts that libcurl has reported about the request's HTTP/2 stream; empty for a repeatable request.
    var stream = StreamReport()
    /// The condition under which the request may be sent; see `SendCondition`.
    var mayBeSent: (@Sendable () -> Bool?)?

    /// The phase of an email submission; nil for other transfers.
    var mail: MailPhase?
    /// Whether libcurl is working on the transfer.
    var isUnderWay = false
    /// The result of the transfer; nil until its end.
    var outcome: CURLcode?
    /// Whether the transfer was canceled; a canceled transfer is not reused.
    var isCancelled = false
    /// The continuation to resume at the end; nil while a caller leads, and for a streamed response.
    var waiter: UnsafeContinuation<Void, Never>?

    /// Creates a transfer that owns `easy` and frees it.
    init(easy: UnsafeMutableRawPointer, configuration: CurlTransport.Configuration) {
        self.easy = easy
        self.configuration = configuration
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        head.reserveCapacity(512)
    }

    deinit {
        curl_easy_cleanup(easy)
        errorBuffer.deallocate()
    }

    /// An unretained pointer to this transfer for libcurl's callbacks.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func of(_ pointer: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Sets all options that change from one request to the next.
    ///
    /// libcurl copies the content and reads the fields in `text`, so the request need not be kept.
    ///
    /// - Throws: The errors of `validateForSending`, and `malformedMessage` for a HEAD with content.
    func prepare(_ request: HTTPRequest, timeout: Duration) throws(HTTPError) {
        try request.validateForSending()
        reset(for: request)
        let isHead = request.method == .head
        // RFC 9110 §8.6: these methods anticipate content, so its absence is announced with a length of 0.
        let hasContent = !request.body.isEmpty || [.post, .put, .patch].contains(request.method)
        guard !isHead || request.body.isEmpty else { throw .malformedMessage("A HEAD request carries no content.") }
        decodes = text.write(request, hasContent: hasContent) && !isHead
        (wantsHTTP2, isEncrypted) = (request.assumesHTTP2, request.scheme == "https")
        let assumesHTTP2 = request.scheme == "http" && request.assumesHTTP2
        var options = CurlOptions(of: easy)
        if assumesHTTP2 != self.assumesHTTP2 {
            options.set(
                CURLOPT_HTTP_VERSION, assumesHTTP2 ? latch_curl_http2_prior_knowledge : latch_curl_http2_over_tls)
            // libcurl 7.88 sends the greeting again on a reused connection, and the server closes it.
            let needsNewConnection = assumesHTTP2 && CurlLoop.losesBufferedData
            options.set(CURLOPT_FRESH_CONNECT, needsNewConnection)
            options.set(CURLOPT_FORBID_REUSE, needsNewConnection)
        }
        self.assumesHTTP2 = assumesHTTP2
        options.set(CURLOPT_URL, pointer: text.url)
        options.set(CURLOPT_HTTPHEADER, pointer: text.fields)
        // HTTPGET also resets CURLOPT_NOBODY and CURLOPT_POST of the previous request.
        options.set(CURLOPT_HTTPGET, true)
        let size = upload == nil ? request.body.bytes.count : upload?.length ?? -1
        options.set(CURLOPT_POSTFIELDSIZE_LARGE, size: hasContent ? size : -1)
        setContent(of: request, hasContent: hasContent, &options)
        if isHead { options.set(CURLOPT_NOBODY, true) }
        // libcurl sets these methods itself.
        let isUsualMethod = isHead || request.method == (hasContent ? .post : .get)
        options.set(CURLOPT_CUSTOMREQUEST, pointer: isUsualMethod ? nil : text.method)
        setLimits(of: request, timeout: timeout, &options)
        options.set(CURLOPT_PROXY, text: configuration.proxyText(for: request.origin))
        // Never with prior knowledge, since it has nothing to wait for.
        options.set(CURLOPT_PIPEWAIT, isEncrypted && CurlLoop.sharesUnansweredConnections)
        options.set(CURLOPT_VERBOSE, wantsReports)
        guard options.code == CURLE_OK else { throw CurlFailure.error(options.code, authority: authority) }
        if configuration.tls.isPerHost { try applyTLS(configuration.tls, to: request.origin.host) }
    }

    private func setContent(of request: HTTPRequest, hasContent: Bool, _ options: inout CurlOptions) {
        if upload != nil {
            options.set(CURLOPT_COPYPOSTFIELDS, pointer: nil)
            options.set(CURLOPT_POST, true)
        } else if !hasContent {
            options.set(CURLOPT_COPYPOSTFIELDS, pointer: nil)
            options.set(CURLOPT_HTTPGET, true)
        } else if request.body.bytes.isEmpty {
            options.set(CURLOPT_COPYPOSTFIELDS, text: "")
        } else {
            request.body.bytes.withUnsafeBytes { options.set(CURLOPT_COPYPOSTFIELDS, pointer: $0.baseAddress) }
        }
    }

    /// Lets the connection determine the end of the response, which comes after the trailers.
    private func ignoreLength() {
        guard !ignoresLength else { return }
        latch_curl_set_long(easy, CURLOPT_IGNORE_CONTENT_LENGTH, 1)
        ignoresLength = true
    }

    private func reset(for request: HTTPRequest) {
        head.removeAll(keepingCapacity: true)
        content = []
        if !trailers.isEmpty { trailers = [] }
        (refusal, isExpectationRefused) = (nil, false)
        (isReadingHead, isHeadRestored, namesCoding, decoder) = (true, false, false, nil)
        (namesTransferCoding, hasNoDescriptor, hasRefusedAddress) = (false, false, false)
        wantsTrailers = request.fields["te"] == "trailers"
        if ignoresLength { latch_curl_set_long(easy, CURLOPT_IGNORE_CONTENT_LENGTH, 0) }
        ignoresLength = false
        if avoidsConnections { avoidConnections(olderThan: 0, isFresh: false) }
        outcome = nil
        (authority, port, peerPort, isConnected) = (request.authority, request.origin.port, nil, false)
        size = Int64(request.body.bytes.count)
        upload = request.body.isEmpty ? nil : request.body.stream.map { UploadBuffer($0) }
        // libcurl sends shorter content without an expectation.
        expectsContinue =
            !request.assumesHTTP2 && !request.omitsExpectation && upload.map { $0.length ?? .max > 1 << 20 } == true
        responseBuffer = request.wantsStream ? ResponseBuffer<[UInt8]>() : nil
        maximumResponseBytes = min(request.maximumResponseBytes ?? .max, configuration.maximumResponseBytes)
        (streamedBytes, arrived, noticed) = (0, 0, 0)
        (socket, unreadSocket, overduePoll, end) = (nil, nil, nil, .max)
        isRepeatable =
            request.method.isIdempotent || request.isSafeToRetry || request.fields[.idempotencyKey] != nil
        (bytesBeforeRequest, stream) = (nil, StreamReport())
        mayBeSent = SendCondition.current
    }

    /// Returns the received response, or throws; the content is moved out, so it can be returned only once.
    func response(to request: HTTPRequest) throws -> HTTPResponse {
        guard !isCancelled else { throw HTTPError.cancelled }
        try check()
        var response = try ResponseHead.parse(head)
        if decodes { response.removeCoding() }
        response.body = HTTPBody(content, trailers: trailers.isEmpty ? [:] : ResponseHead.fields(trailers))
        content = []
        return response
    }

    /// Whether the server sent a complete response and closed the connection before the end of the content (RFC 9112
    /// §9.3).
    ///
    /// A response with trailers is complete, even if the rest of the request fails (RFC 9113 §8.1).
    private var isAnsweredAnyway: Bool {
        guard !isHeadRestored else { return true }
        guard upload != nil, !isReadingHead else { return false }
        guard trailers.isEmpty else { return true }
        return (outcome == CURLE_SEND_ERROR || hasLostEnd)
            && announcedLength == latch_curl_get_size(easy, CURLINFO_SIZE_DOWNLOAD_T, 0)
    }

    /// The announced size of the content; -1 if none was announced.
    private var announcedLength: Int64 { latch_curl_get_size(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, -1) }

    /// Checks that there is a complete response.
    ///
    /// This library's errors take precedence over libcurl's, which only report that a callback stopped the transfer.
    func check() throws {
        if outcome != CURLE_OK, !isAnsweredAnyway, let failure = upload?.failure { throw failure }
        if let refusal { throw refusal }
        guard !isExpectationRefused else {
            let error = HTTPError.offline("\(authority) rejected the Expect field of the request.")
            throw UnprocessedRequestError(httpError: error, isRepeatable: true, omitsExpectation: true)
        }
        if hasLostResponse { throw LostResponseError(authority: authority, status: Int(latch_curl_early_status(easy))) }
        if hasLostEnd, !isAnsweredAnyway { throw LostResponseError.end(of: authority) }
        guard let outcome, outcome == CURLE_OK || isAnsweredAnyway else {
            if isOutOfBounds { throw HTTPError.forbiddenAddress(of: authority) }
            if isOutOfDescriptors { throw HTTPError.tooManyOpenFiles(isUnsent: !hasSent) }
            if hasTooLargeFields { throw HTTPError.fieldsTooLarge(of: authority) }
            let proxyStatus = latch_curl_connect_status(easy)
            guard proxyStatus < 300 else { throw CurlFailure.proxy(proxyStatus, authority: authority) }
            if isUnprocessed { throw UnprocessedRequestError(httpError: unprocessed, isRepeatable: canRestart) }
            let (code, report) = (outcome ?? CURLE_ABORTED_BY_CALLBACK, String(cString: errorBuffer))
            let error = CurlFailure.error(
                code, authority: authority, errorBuffer: report, showsCertificate: showsCertificate, hasSent: hasSent,
                phase: phase(of: code, report))
            guard code == CURLE_HTTP2, isRepeatable, isReadingHead, head.isEmpty else { throw error }
            throw UnprocessedRequestError(httpError: error, isRepeatable: canRestart)
        }
        // RFC 9112 §8: a head without its final empty line is incomplete, but libcurl accepts it.
        guard !isReadingHead else {
            throw HTTPError.offline("\(authority) closed in the middle of its response.")
        }
        guard decoder?.isWhole ?? true else {
            throw HTTPError.malformedMessage("The compressed content of \(authority) is incomplete.")
        }
    }
}

extension HTTPResponse {
    /// Removes the fields that describe a decoded content coding (RFC 9110 §8.4).
    mutating func removeCoding() {
        // Compares the length of the name first, since it runs for each line of each response.
        guard fields.contains(where: { $0.name.rawName.utf8.count == 16 && $0.name == .contentEncoding }) else {
            return
        }
        guard ContentCoding.list(fields) != nil else { return }
        fields[.contentEncoding] = nil
        fields[.contentLength] = nil
    }
}

extension Duration {
    /// The duration in milliseconds: at least 1, and at most what a 32-bit C `long` holds, 24 days.
    ///
    /// libcurl takes 0 for "no limit".
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 1 }
        guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}

// The callbacks of libcurl during a transfer, on the driver's thread.
extension CurlTransfer {
    /// Receives one line of the head with its line end, and returns false to stop the transfer.
    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        arrived += line.count
        // Every block begins with a status line; an interim response (RFC 9110 §15.2) is discarded with its fields.
        if line.starts(with: ResponseHead.protocolName) {
            guard responseBuffer == nil || isReadingHead || isInterim else {
                return refuse(.malformedMessage("\(authority) sent two responses."))
            }
            head.removeAll(keepingCapacity: true)
            (isReadingHead, namesCoding, namesTransferCoding) = (true, false, false)
            // RFC 9113 §8.1: a frame ends the response. libcurl 7.88 would end it after its length, before the
            // trailers.
            if wantsTrailers, line.starts(with: ResponseHead.secondProtocolName) { ignoreLength() }
        }
        // Lines after the empty line are trailers (RFC 9110 §6.5).
        guard isReadingHead else {
            if line.count > 2 { trailers.append(contentsOf: line) }
            // The response is complete, so the rest of the request is not needed.
            if !trailers.isEmpty { upload?.abandon() }
            return trailers.count <= ResponseHead.maximumBytes || refuse(.fieldsTooLarge(of: authority))
        }
        if line.count <= 2, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            isReadingHead = false
            // RFC 9110 §15.2.2: a server switches only at the client's request, and this client never sends one.
            guard !hasSwitched else { return refuse(.malformedMessage("\(authority) switched to another protocol.")) }
            // RFC 9110 §10.1.1: a client repeats the request without the expectation.
            if status.elementsEqual("417".utf8), expectsContinue, upload?.isUntouched == true {
                isExpectationRefused = true
                return false
            }
            if idleTimeout != 0, !isInterim { begin() }
            return true
        }
        head.append(contentsOf: line)
        if decodes, !namesCoding { namesCoding = Self.names("content-encoding", in: line) }
        if !namesTransferCoding { namesTransferCoding = Self.names("transfer-encoding", in: line) }
        if upload != nil, hasOnlyTrailers { upload?.abandon() }
        return head.count <= ResponseHead.maximumBytes || refuse(.fieldsTooLarge(of: authority))
    }

    /// Whether a line of the head begins with a name and a colon; the length is compared first, since most lines are
    /// shorter.
    private static func names(_ name: StaticString, in line: UnsafeRawBufferPointer) -> Bool {
        guard line.count > name.utf8CodeUnitCount, line[name.utf8CodeUnitCount] == 0x3A else { return false }
        return (0..<name.utf8CodeUnitCount).allSatisfy { asciiLowercased(line[$0]) == name.utf8Start[$0] }
    }

    /// Returns the decoder of the content; nil if it has no coding, or an unknown one.
    private func findDecoder() -> ContentDecoder? {
        guard decoder == nil else { return decoder }
        namesCoding = false
        // A head that cannot be parsed is an error at the end of the transfer.
        let codings = (try? ResponseHead.parse(head)).flatMap { ContentCoding.list($0.fields) }
        decoder = codings.flatMap(ContentDecoder.init)
        return decoder
    }

    /// Whether the head is an interim response: its status begins with a 1 (RFC 9110 §15.2).
    var isInterim: Bool { status.first == 0x31 }

    /// Whether the head has the status 101.
    private var hasSwitched: Bool { status.elementsEqual("101".utf8) }

    /// The digits of the status, as ASCII; empty in a head without a status.
    private var status: ArraySlice<UInt8> {
        guard let space = head.firstIndex(of: 0x20) else { return [] }
        return head[(space + 1)...].prefix(3)
    }

    /// Processes the complete final head of a streamed transfer.
    private func begin() {
        lastMove = monotonicNow()
        if let first = status.first, first >= 0x33 { upload?.abandon() }
        responseBuffer?.begin(head)
    }

    /// Receives a chunk of the content, and returns the number of bytes taken, as libcurl requires.
    private func receiveContent(_ bytes: UnsafeRawBufferPointer) -> Int {
        arrived += bytes.count
        if namesTransferCoding, let coding = ResponseHead.unknownTransferCoding(of: head) {
            return refuse(.transferCoding(coding, of: authority)) ? 1 : 0
        }
        namesTransferCoding = false
        if namesCoding || decoder != nil, let decoder = findDecoder() {
            if idleTimeout != 0 { lastMove = monotonicNow() }
            return decode(bytes, by: decoder)
        }
        return take(bytes)
    }

    /// Takes a piece of decoded content, and returns the number of bytes taken, as libcurl requires.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let responseBuffer { return pass(bytes, to: responseBuffer) }
        guard content.count + bytes.count <= maximumResponseBytes else {
            return refuse(.tooLarge) ? 1 : 0
        }
        if content.isEmpty {
            let announced = announcedLength
            guard announced <= maximumResponseBytes else { return refuse(.tooLarge) ? 1 : 0 }
            // The announced length costs the peer nothing, so only a limited amount of memory is reserved for it.
            content.reserveCapacity(max(min(Int(announced), 1 << 20), bytes.count))
        }
        content.append(contentsOf: bytes)
        if idleTimeout != 0 { lastMove = monotonicNow() }
        return bytes.count
    }

    private func pass(_ bytes: UnsafeRawBufferPointer, to buffer: ResponseBuffer<[UInt8]>) -> Int {
        guard streamedBytes + bytes.count <= configuration.maximumStreamedBytes else {
            return refuse(.tooLarge) ? 1 : 0
        }
        guard buffer.receive(bytes) else { return Int(CURL_WRITEFUNC_PAUSE) }
        streamedBytes += bytes.count
        lastMove = monotonicNow()
        return bytes.count
    }

    /// Stops the transfer with an error; returns false.
    private func refuse(_ reason: HTTPError) -> Bool {
        refusal = reason
        return false
    }

    /// Copies the next bytes of the request content for libcurl, or returns a code of its read callback.
    private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let upload else { return Int(CURL_READFUNC_ABORT) }
        let result = upload.take(into: buffer)
        lastMove = monotonicNow()
        return result
    }

    /// Called by libcurl for each line of the head; to stop the transfer, it returns fewer bytes than it received.
    static let onHead: curl_write_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let line = UnsafeRawBufferPointer(start: data, count: size * count)
        return CurlTransfer.of(context).receiveHead(line) ? size * count : 0
    }

    static let onContent: curl_write_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        return CurlTransfer.of(context).receiveContent(UnsafeRawBufferPointer(start: data, count: size * count))
    }

    static let onUpload: curl_read_callback = { buffer, size, count, context in
        guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
        return CurlTransfer.of(context).send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }

    /// Called by libcurl to send the content again, because a reused connection turned out to be closed.
    static let onRewind: curl_seek_callback = { context, offset, origin in
        guard let context, offset == 0, origin == SEEK_SET, let upload = CurlTransfer.of(context).upload else {
            return CURL_SEEKFUNC_CANTSEEK
        }
        return upload.rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK
    }
}
#endif
