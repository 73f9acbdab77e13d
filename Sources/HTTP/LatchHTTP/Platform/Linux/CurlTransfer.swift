// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

/// One libcurl easy handle and the buffers of the transfer that it makes; used again for the next one.
///
/// It has one owner at a time: the task that prepares it, then whoever drives the loop, then the task again. Only
/// `isCancelled` and `waiter` are reached from both sides, under the loop's lock; `upload` and `answer` have locks of
/// their own.
final class CurlTransfer: @unchecked Sendable {
    let easy: UnsafeMutableRawPointer
    /// How much content is taken.
    let limits: CurlLimits
    /// What depends on the host; nil where nothing does.
    let tls: TLSPolicy?
    /// What libcurl says about a failure beside its code; it lives as long as the handle.
    let complaint = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// What libcurl reads while the transfer is under way; it lives as long as the handle.
    private var text = CurlText()
    /// The lines of the last block of fields, status line first, without the empty line.
    var head: [UInt8] = []
    var content: [UInt8] = []
    /// The lines of the fields after the content (RFC 9110 §6.5), of which there are seldom any.
    var trailers: [UInt8] = []
    /// Why we stopped the transfer; libcurl itself only says that a callback did.
    var refusal: HTTPError?
    /// Whether the head was made of what libcurl has left of an answer.
    var isMended = false
    /// Whether the empty line after the fields is still to come.
    var isReadingHead = true
    /// Whether libcurl takes codings off the content.
    private(set) var decodes = true
    /// Whether plain http is HTTP/2 from its first byte.
    private(set) var assumesHTTP2 = false
    /// Whether the request is one for HTTP/2, in the clear or not.
    private(set) var wantsHTTP2 = false
    /// The loop, for what libcurl calls; it counts no reference.
    var loop: UnsafeMutableRawPointer?
    /// Whether the request says that it reads trailers (RFC 9110 §10.1.4).
    private(set) var wantsTrailers = false
    private var ignoresLength = false
    /// How many bytes of the answer have come, and how many of them the driver knows of.
    var arrived = 0
    var noticed = 0
    /// Whether the host is shown a client certificate.
    var showsCertificate = false
    /// Where the request goes, for errors.
    private(set) var authority = ""

    /// What libcurl takes the request's content from; nil where that is in memory.
    var upload: UploadFeed?
    /// Where the answer goes while it arrives; nil where it is collected here.
    var answer: AnswerFeed<[UInt8]>?
    /// How many bytes of content have gone to `answer`.
    var streamedBytes = 0
    /// How long nothing may move, in nanoseconds; 0 where the transfer as a whole has a time.
    private(set) var patience: UInt64 = 0
    /// When something moved last, in nanoseconds of the monotonic clock.
    var lastMove: UInt64 = 0

    /// The socket of which libcurl wants nothing while it waits for `upload`.
    var unreadSocket: CInt?

    /// Whether libcurl is working on it.
    var isUnderWay = false
    /// What libcurl said at the end; nil until then.
    var outcome: CURLcode?
    /// Set once and never unset: a cancelled transfer is not used again.
    var isCancelled = false
    /// Whom the driver resumes at the end; nil while a caller drives it by itself, and for a streamed answer.
    var waiter: UnsafeContinuation<Void, Never>?

    /// A transfer that owns `easy` and frees it.
    init(easy: UnsafeMutableRawPointer, limits: CurlLimits, tls: TLSPolicy? = nil) {
        self.easy = easy
        self.limits = limits
        self.tls = tls
        complaint.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        head.reserveCapacity(512)
    }

    deinit {
        curl_easy_cleanup(easy)
        complaint.deallocate()
    }

    /// This transfer as libcurl hands it to callbacks; it counts no reference.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func of(_ pointer: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Sets everything about a request that changes from one to the next.
    ///
    /// libcurl copies the content and reads the fields where they lie in `text`, so the request may go.
    ///
    /// - Throws: What `validateForSending` throws, and `malformedMessage` for a HEAD with content.
    func prepare(_ request: HTTPRequest, timeout: Duration) throws(HTTPError) {
        try request.validateForSending()
        reset(for: request, timeout: timeout)
        let isHead = request.method == .head
        // RFC 9110 §8.6: these methods anticipate content, so its absence is said with a length of 0.
        let hasContent = !request.body.isEmpty || [.post, .put, .patch].contains(request.method)
        guard !isHead || request.body.isEmpty else { throw .malformedMessage("A HEAD request carries no content.") }
        let decodes = text.write(request, hasContent: hasContent)
        wantsHTTP2 = request.assumesHTTP2
        let assumesHTTP2 = request.scheme == "http" && request.assumesHTTP2
        if assumesHTTP2 != self.assumesHTTP2 { latch_curl_assume_http2(easy, assumesHTTP2 ? 1 : 0) }
        self.assumesHTTP2 = assumesHTTP2
        if decodes != self.decodes { latch_curl_set_decoding(easy, decodes ? 1 : 0) }
        self.decodes = decodes
        let code = request.body.bytes.withUnsafeBytes { bytes in
            var settings = latch_curl_request()
            settings.url = text.url
            settings.method = text.method
            settings.fields = text.fields
            settings.content = bytes.baseAddress
            settings.content_size = Int64(upload == nil ? bytes.count : upload?.length ?? -1)
            settings.has_content = hasContent ? 1 : 0
            settings.is_upload = upload == nil ? 0 : 1
            settings.is_head = isHead ? 1 : 0
            settings.is_usual_method = isHead || request.method == (hasContent ? .post : .get) ? 1 : 0
            // What is sent to this machine is not for another one, whatever the environment says.
            settings.avoids_proxy = request.origin.isLoopback ? 1 : 0
            settings.waits_for_multiplexing = request.scheme == "https" || assumesHTTP2 ? 1 : 0
            settings.timeout_ms = patience == 0 ? timeout.wholeMilliseconds : 0
            return latch_curl_prepare(easy, &settings)
        }
        guard code == CURLE_OK else { throw CurlFailure.error(code, authority: authority) }
        if let tls { try applyTLS(tls, to: request.origin.host) }
    }

    /// The answer's end is said by the connection, which also says it after trailers.
    func ignoreLength() {
        guard !ignoresLength else { return }
        latch_curl_ignore_length(easy, 1)
        ignoresLength = true
    }

    private func reset(for request: HTTPRequest, timeout: Duration) {
        head.removeAll(keepingCapacity: true)
        content = []
        if !trailers.isEmpty { trailers = [] }
        refusal = nil
        (isReadingHead, isMended) = (true, false)
        wantsTrailers = request.fields["te"] == "trailers"
        if ignoresLength { latch_curl_ignore_length(easy, 0) }
        ignoresLength = false
        outcome = nil
        authority = request.authority
        upload = request.body.isEmpty ? nil : request.body.stream.map { UploadFeed($0) }
        answer = request.wantsStream ? AnswerFeed<[UInt8]>() : nil
        (streamedBytes, arrived, noticed) = (0, 0, 0)
        unreadSocket = nil
        patience = upload == nil && answer == nil ? 0 : UInt64(timeout.wholeMilliseconds) * 1_000_000
    }

    /// The response that has arrived, or why there is none; the content is given away and can be had once.
    func response(to request: HTTPRequest) throws -> HTTPResponse {
        guard !isCancelled else { throw HTTPError.cancelled }
        try check()
        var response = try ResponseHead.parse(head)
        if decodes, request.method != .head { response.removeCoding() }
        response.body = HTTPBody(content, trailers: trailers.isEmpty ? [:] : ResponseHead.fields(trailers))
        content = []
        return response
    }

    /// Whether the server has answered in full and closed, without waiting for the content to end (RFC 9112 §9.3).
    ///
    /// What has trailers is whole, whatever becomes of the rest of the request (RFC 9113 §8.1).
    private var isAnsweredAnyway: Bool {
        guard !isMended else { return true }
        guard upload != nil, !isReadingHead else { return false }
        guard trailers.isEmpty else { return true }
        return outcome == CURLE_SEND_ERROR && latch_curl_content_length(easy) == latch_curl_downloaded(easy)
    }

    /// Whether there is an answer, and a whole one.
    ///
    /// Reasons of our own go before libcurl's, who only knows that a callback stopped it.
    func check() throws {
        if outcome != CURLE_OK, !isAnsweredAnyway, let failure = upload?.failure { throw failure }
        if let refusal { throw refusal }
        if hasLostAnswer { throw LostAnswer(authority: authority, status: Int(latch_curl_early_status(easy))) }
        guard let outcome, outcome == CURLE_OK || isAnsweredAnyway else {
            throw CurlFailure.error(
                outcome ?? CURLE_ABORTED_BY_CALLBACK, authority: authority, complaint: String(cString: complaint),
                showsCertificate: showsCertificate)
        }
        // RFC 9112 §8: a head without its empty line is incomplete; libcurl takes it for a response.
        guard !isReadingHead else { throw HTTPError.offline("\(authority) closed in the middle of its answer.") }
    }
}

/// How much content of an answer is taken, counted after its codings are taken off.
struct CurlLimits {
    /// Of an answer that is collected.
    var collected: Int
    /// Of an answer that is read while it arrives.
    var streamed = Int.max
}

extension HTTPResponse {
    /// Takes away what was said about a coding that the content no longer has (RFC 9110 §8.4), if it had one.
    mutating func removeCoding() {
        // By the length of a name first: this runs for each line of each answer.
        guard fields.contains(where: { $0.name.canonicalName.utf8.count == 16 && $0.name == .contentEncoding }) else {
            return
        }
        fields[.contentEncoding] = nil
        fields[.contentLength] = nil
    }
}

extension Duration {
    /// At least 1, since libcurl takes 0 for "for ever", and at most what a C `long` of 32 bits holds: 24 days.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 1 }
        guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
#endif
