// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

/// One libcurl easy handle and the buffers of the transfer that it makes; used again for the next one.
///
/// It has one owner at a time: the task that prepares it, then whoever drives the loop, then the task again. Only
/// `isCancelled` and `waiter` are reached from both sides, under the loop's lock.
final class CurlTransfer: @unchecked Sendable {
    let easy: UnsafeMutableRawPointer
    /// How many bytes of content are taken.
    private let limit: Int
    /// What libcurl reads while the transfer is under way; it lives as long as the handle.
    private var text = CurlText()
    /// The lines of the last block of fields, status line first, without the empty line.
    fileprivate var head: [UInt8] = []
    fileprivate var content: [UInt8] = []
    /// Whether the answer was larger than allowed; libcurl itself only says that writing failed.
    fileprivate var overflowed = false
    /// Whether the empty line after the fields is still to come.
    fileprivate var isReadingHead = true

    /// Whether libcurl is working on it.
    var isUnderWay = false
    /// What libcurl said at the end; nil until then.
    var outcome: CURLcode?
    /// Set once and never unset: a cancelled transfer is not used again.
    var isCancelled = false
    /// Whom the driver resumes at the end; nil while a caller drives it by itself.
    var waiter: UnsafeContinuation<Void, Never>?

    /// A transfer that owns `easy` and frees it.
    init(easy: UnsafeMutableRawPointer, limit: Int) {
        self.easy = easy
        self.limit = limit
        head.reserveCapacity(512)
    }

    deinit { curl_easy_cleanup(easy) }

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
        head.removeAll(keepingCapacity: true)
        content = []
        overflowed = false
        isReadingHead = true
        outcome = nil
        let isHead = request.method == .head
        // RFC 9110 §8.6: these methods anticipate content, so its absence is said with a length of 0.
        let hasContent = !request.body.isEmpty || [.post, .put, .patch].contains(request.method)
        guard !isHead || request.body.isEmpty else { throw .malformedMessage("A HEAD request carries no content.") }
        text.write(request, suppressingContentType: hasContent)
        let code = request.body.bytes.withUnsafeBytes { bytes in
            var settings = latch_curl_request()
            settings.url = text.url
            settings.method = text.method
            settings.fields = text.fields
            settings.content = bytes.baseAddress
            settings.content_size = Int64(bytes.count)
            settings.has_content = hasContent ? 1 : 0
            settings.is_head = isHead ? 1 : 0
            settings.is_usual_method = isHead || request.method == (hasContent ? .post : .get) ? 1 : 0
            // What is sent to this machine is not for another one, whatever the environment says.
            settings.avoids_proxy = request.origin.isLoopback ? 1 : 0
            settings.waits_for_multiplexing = request.scheme == "https" ? 1 : 0
            settings.timeout_ms = timeout.wholeMilliseconds
            return latch_curl_prepare(easy, &settings)
        }
        guard code == CURLE_OK else { throw CurlFailure.error(code, authority: request.authority) }
    }

    /// The response that has arrived, or why there is none; the content is given away and can be had once.
    ///
    /// Reasons of our own go before libcurl's, who only knows that a callback stopped it.
    func response(to request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        guard !isCancelled else { throw .cancelled }
        guard !overflowed else { throw .tooLarge }
        guard let outcome, outcome == CURLE_OK else {
            throw CurlFailure.error(outcome ?? CURLE_ABORTED_BY_CALLBACK, authority: request.authority)
        }
        // RFC 9112 §8: a head without its empty line is incomplete; libcurl takes it for a response.
        guard !isReadingHead else { throw .offline("\(request.authority) closed in the middle of its answer.") }
        var response = try ResponseHead.parse(head)
        response.body = HTTPBody(content)
        content = []
        return response
    }

    /// One line of the head, with its line end, as libcurl cuts them.
    fileprivate func receiveHead(_ line: UnsafeRawBufferPointer) {
        // Every block begins with a status line: that of an interim answer (RFC 9110 §15.2) is forgotten with its fields.
        if line.starts(with: ResponseHead.protocolName) {
            head.removeAll(keepingCapacity: true)
            isReadingHead = true
        }
        // What comes after the empty line are trailers (RFC 9110 §6.5), which nothing here asks for.
        guard isReadingHead else { return }
        if line.count <= 2, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { return isReadingHead = false }
        head.append(contentsOf: line)
        if head.count > ResponseHead.maximumBytes { overflowed = true }
    }

    /// A piece of the content, with the transfer coding taken off.
    fileprivate func receiveContent(_ bytes: UnsafeRawBufferPointer) {
        guard content.count + bytes.count <= limit else { return overflowed = true }
        if content.isEmpty {
            let announced = latch_curl_content_length(easy)
            guard announced <= limit else { return overflowed = true }
            // An announcement costs the peer nothing, so not much memory is set aside for it.
            content.reserveCapacity(max(min(Int(announced), 1 << 20), bytes.count))
        }
        content.append(contentsOf: bytes)
    }

    /// Returns fewer bytes than it got when there are too many, which makes libcurl stop.
    static let onHead: curl_write_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let transfer = CurlTransfer.of(context)
        transfer.receiveHead(UnsafeRawBufferPointer(start: data, count: size * count))
        return transfer.overflowed ? 0 : size * count
    }

    static let onContent: curl_write_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let transfer = CurlTransfer.of(context)
        transfer.receiveContent(UnsafeRawBufferPointer(start: data, count: size * count))
        return transfer.overflowed ? 0 : size * count
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
