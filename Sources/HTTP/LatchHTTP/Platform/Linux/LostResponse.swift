// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLatchCurl
import CLatchCurlShim

// Workarounds for HTTP/2 responses that are complete before the request is (RFC 9113 §8.1): libcurl 7.88 loses parts of
// them.
//
// A server that needs no more of a request ends its response and resets the stream, without an error. If libcurl reads
// both together, it drops the received head and content, and delivers only the trailers. A transfer with an incomplete
// request would then wait for its source, however long the source is silent.
extension CurlTransfer {
    /// Whether lines arrived without a head before them: trailers of a head that libcurl has lost.
    var hasOnlyTrailers: Bool {
        isReadingHead && !head.isEmpty && !head.starts(with: ResponseHead.protocolName)
    }

    /// Whether there was a head that libcurl will never deliver.
    var hasLostHead: Bool {
        upload != nil && isReadingHead && head.isEmpty && latch_curl_early_status(easy) >= 200
    }

    /// Whether libcurl waits for the source of the request content after the head of an HTTP/2 response.
    ///
    /// The reader of that response must take all that arrives.
    var waitsAfterHead: Bool {
        upload?.isStarved == true && responseBuffer?.isHeld != true && latch_curl_early_status(easy) >= 200
    }

    /// Whether the server has closed the stream after a head, so that libcurl may have lost the end of the content.
    var hasLostEnd: Bool {
        CurlLoop.losesBufferedData && upload != nil && outcome == CURLE_HTTP2_STREAM && !isReadingHead
            && errorBuffer.pointee == 0
    }

    /// Restores the status line before trailers that arrived without a head; libcurl has kept its code.
    func restoreHead() {
        guard outcome != CURLE_OK, hasOnlyTrailers else { return }
        let status = latch_curl_early_status(easy)
        guard status >= 200 else { return }
        head = Array("HTTP/2 \(status) \r\n".utf8) + head
        isReadingHead = false
        isHeadRestored = true
        responseBuffer?.begin(head)
    }

    /// Whether the server has responded completely, without a stream error, and libcurl has lost the response.
    var hasLostResponse: Bool {
        outcome == CURLE_HTTP2_STREAM && isReadingHead && errorBuffer.pointee == 0
            && latch_curl_early_status(easy) >= 200
    }
}

/// An error for a complete response that arrived before the request was sent, and that libcurl has lost.
struct LostResponseError: Error {
    let authority: String
    /// The status, the only part of the response that is left.
    let status: Int

    /// Whether the request may be sent again although the response is unknown.
    ///
    /// A server that responds before the end of a request has rarely begun to process it. For a request that must not
    /// happen twice, this is not sufficient (RFC 9110 §9.2.2): its status must be a rejection.
    func allowsRepetition(of request: HTTPRequest) -> Bool {
        guard request.body.stream == nil, request.body.bytes.count <= 64 << 10 else { return false }
        return request.method.isIdempotent || request.isSafeToRetry || (400..<500).contains(status)
    }

    /// The error for a response whose end may be lost.
    static func end(of authority: String) -> HTTPError {
        .malformedMessage(
            "\(authority) responded before it had received the whole request, and libcurl may have lost the end.")
    }

    /// The error to throw if the request cannot be sent again.
    var httpError: HTTPError {
        .malformedMessage(
            "\(authority) responded before it had received the whole request, and libcurl lost the response.")
    }
}
#endif
