// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim

// If the server closes a reused connection before its response, libcurl sends the request again on a new one, with any
// method. The server may have executed it.
extension CurlTransfer {
    /// Whether a server may have received some of the request.
    ///
    /// Bytes sent to a proxy before the first attempt do not count.
    var hasSent: Bool { bytesBeforeRequest.map { latch_curl_sent_bytes(easy) > $0 } ?? false }

    /// Called by libcurl before it sends the request on a connection, for the first time or again.
    static let onRequest: curl_prereq_callback = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        return CurlTransfer.of(context).beginsRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    /// Returns whether the request may be sent now.
    ///
    /// It may be sent once, or again if that does no harm (RFC 9110 §9.2.2), and only while it meets its condition.
    private func beginsRequest() -> Bool {
        let isFirst = bytesBeforeRequest == nil
        if limitsSilence { lastMove = monotonicNow() }
        let isHarmless = isFirst || isUnprocessed || isRefusedSilently
        if mayBeSent?() == false {
            refusal = hasSent && !isHarmless ? lostConnection : .withdrawn
            return false
        }
        // After a response, such as a proxy's request for credentials (§15.5.8), it was not executed.
        let isUnanswered = hasSent && isReadingHead && head.isEmpty
        guard isHarmless || isRepeatable || !isUnanswered else {
            refusal = lostConnection
            return false
        }
        guard isHarmless else { return true }
        guard stream.attempts <= Self.maximumRepetitions else {
            refusal = unprocessed
            return false
        }
        // Earlier bytes no longer count.
        (bytesBeforeRequest, stream) = (latch_curl_sent_bytes(easy), StreamReport(attempts: stream.attempts + 1))
        return true
    }

    private var lostConnection: HTTPError { .offline("\(authority) closed the connection before it responded.") }
}

// If the server reports that it did not process a request, it is sent again, with any method (RFC 9113 §8.7).
extension CurlTransfer {
    /// The maximum number of times that one transfer sends such a request again.
    private static let maximumRepetitions = 3

    /// Whether libcurl reports its actions.
    ///
    /// Decision: only these reports show that a server has not processed a request. They cost some microseconds, and a
    /// request that may happen twice does not need them.
    var wantsReports: Bool { !isRepeatable && (wantsHTTP2 || isEncrypted) }

    /// Whether the server has reported that it did not process the request, and has not responded.
    var isUnprocessed: Bool { stream.isUnprocessed && isReadingHead && head.isEmpty }

    /// Whether libcurl 7.88 sends the request again because its stream was refused, which it does not report.
    ///
    /// Otherwise it repeats an HTTP/2 request only after an error.
    private var isRefusedSilently: Bool {
        CurlLoop.losesBufferedData && stream.number != nil && errorBuffer.pointee == 0 && isReadingHead && head.isEmpty
    }

    /// The error of a request that no server has processed.
    var unprocessed: HTTPError {
        var error = HTTPError.offline("\(authority) ended the connection before it processed the request.")
        error.isUnsent = true
        return error
    }

    /// Whether another transfer can send the content of the request.
    var canRestart: Bool { upload?.canRestart ?? true }

    /// Called by libcurl with a line of its report, or with data of the transfer.
    static let onReport: curl_debug_callback = { _, kind, text, count, context in
        guard kind == CURLINFO_TEXT, let text, let context else { return 0 }
        CurlTransfer.of(context).stream.read(UnsafeRawBufferPointer(start: text, count: count))
        return 0
    }
}

/// An error for a request that this library, not libcurl, sends again: after the end of its HTTP/2 connection, or a
/// 417.
///
/// The server has not processed it, or it may happen twice.
struct UnprocessedRequestError: Error {
    /// The error to throw if the request cannot be sent again.
    let httpError: HTTPError
    /// Whether its content can be sent again.
    let isRepeatable: Bool
    /// Whether it is sent again without expecting a 100 response.
    var omitsExpectation = false
}

/// The facts in libcurl's reports about a request's HTTP/2 stream, since the request was last sent.
struct StreamReport {
    /// The number of attempts that could not execute the request twice.
    let attempts: Int
    /// The number of the stream; nil before it has one, and for HTTP/1.1.
    private(set) var number: UInt32?
    /// The number of the last stream that the server has processed or will process; nil until the server closes.
    private var lastProcessed: UInt32?
    private var isRefused = false

    init(attempts: Int = 0) { self.attempts = attempts }

    /// Whether the server has reported that it did not process the request (RFC 9113 §6.8, §7, §8.7).
    var isUnprocessed: Bool {
        guard let number else { return false }
        return isRefused || lastProcessed.map { $0 < number } ?? false
    }

    /// Reads a line of the report.
    ///
    /// A line of another version of libcurl has no effect, and the request is then not sent again. Lines with text of
    /// the server or the request begin with other words.
    mutating func read(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "Using Stream ID: ") {
            number = Self.number(in: line, after: "Using Stream ID: ")
        } else if line.starts(with: "[HTTP/2] [") {
            guard let stream = Self.number(in: line, after: "[HTTP/2] [") else { return }
            if line.contains("] OPENED stream") { number = stream }
            if stream == number, line.contains("] REFUSED_STREAM, try again") { isRefused = true }
        } else if line.starts(with: "received GOAWAY, error=") || line.starts(with: "recveived GOAWAY, error=") {
            lastProcessed = Self.number(in: line, after: ", last_stream=")
        } else if line.starts(with: "HTTP/2 stream ") {
            // RFC 9113 §7: the server requires HTTP/1.1, and libcurl sends the request again with it.
            if line.contains(" was not closed cleanly: HTTP_1_1_REQUIRED (err 13)") { isRefused = true }
        } else if line.starts(with: "REFUSED_STREAM, retrying") {
            isRefused = true
        }
    }

    private static func number(in line: UnsafeRawBufferPointer, after words: StaticString) -> UInt32? {
        guard let end = line.end(of: words) else { return nil }
        var number: UInt32?
        for digit in line[end...] {
            guard (0x30...0x39).contains(digit) else { break }
            let (product, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeNow) = product.addingReportingOverflow(UInt32(digit - 0x30))
            guard !isTooLarge, !isTooLargeNow else { return nil }
            number = sum
        }
        return number
    }
}

extension UnsafeRawBufferPointer {
    private func starts(at index: Int, with words: StaticString) -> Bool {
        index + words.utf8CodeUnitCount <= count
            && (0..<words.utf8CodeUnitCount).allSatisfy { self[index + $0] == words.utf8Start[$0] }
    }

    fileprivate func starts(with words: StaticString) -> Bool { starts(at: 0, with: words) }

    fileprivate func contains(_ words: StaticString) -> Bool { end(of: words) != nil }

    /// Returns the index after the first occurrence of some words.
    fileprivate func end(of words: StaticString) -> Int? {
        let last = count - words.utf8CodeUnitCount
        guard last >= 0 else { return nil }
        return (0...last).first { starts(at: $0, with: words) }.map { $0 + words.utf8CodeUnitCount }
    }
}
#endif
