// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

// Answers of HTTP/2 that are whole before the request is (RFC 9113 §8.1), of which libcurl 7.88 loses parts.
//
// A server that wants no more of a request ends its answer and resets the stream, without an error. Where both are in
// what libcurl reads at a time, it forgets what it has of the head and the content, and hands out the trailers alone.
// A transfer whose request goes on would wait for its source then, for as long as that is silent.
extension CurlTransfer {
    /// Whether lines came without a head before them: trailers, whose head libcurl has lost.
    var hasTrailersAlone: Bool {
        isReadingHead && !head.isEmpty && !head.starts(with: ResponseHead.protocolName)
    }

    /// Whether there was a head, of which libcurl hands out nothing any more.
    var hasLostHead: Bool {
        upload != nil && isReadingHead && head.isEmpty && latch_curl_early_status(easy) >= 200
    }

    /// Puts the status, which libcurl remembers, before trailers that came alone, so that they are an answer.
    func mendHead() {
        guard outcome != CURLE_OK, hasTrailersAlone else { return }
        let status = latch_curl_early_status(easy)
        guard status >= 200 else { return }
        head = Array("HTTP/2 \(status) \r\n".utf8) + head
        isReadingHead = false
        isMended = true
        answer?.begin(head)
    }

    /// Whether the server has answered in full, without an error of its stream, and libcurl has lost the answer.
    var hasLostAnswer: Bool {
        outcome == CURLE_HTTP2_STREAM && isReadingHead && complaint.pointee == 0 && latch_curl_early_status(easy) >= 200
    }
}

/// A whole answer came before the request was sent, and libcurl has lost it.
struct LostAnswer: Error {
    let authority: String
    /// All that is left of the answer.
    let status: Int

    /// Whether the request may be sent again, though nobody knows what the answer said.
    ///
    /// A server that answers before the end of a request has rarely begun to work on it, which is not enough for one
    /// that must not happen twice (RFC 9110 §9.2.2): its status has to say that it was refused.
    func allowsRepetition(of request: HTTPRequest) -> Bool {
        guard request.body.stream == nil, request.body.bytes.count <= 64 << 10 else { return false }
        return request.method.isIdempotent || request.isHarmlessToRepeat || (400..<500).contains(status)
    }

    /// What a caller is told where the request cannot be sent again.
    var told: HTTPError {
        .malformedMessage("\(authority) ended its answer before it had the request, and this libcurl lost the answer.")
    }
}
#endif
