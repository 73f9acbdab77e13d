// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLatchCurl
import CLatchCurlShim

extension CurlTransfer {
    /// Whether the transfer has failed because no descriptors were left.
    var isOutOfDescriptors: Bool {
        guard CurlFailure.mayBeOutOfDescriptors(outcome) else { return false }
        return hasNoDescriptor || DescriptorLimit.isReached
    }

    /// Returns the part of the request during which it failed.
    ///
    /// - Parameter report: libcurl's error message.
    func phase(of code: CURLcode, _ report: String) -> RequestPhase {
        // An interim response does not count: the request still waits after it (RFC 9110 §15.2).
        guard isReadingHead ? head.isEmpty : isInterim else { return .receiving }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .resolving
        case CURLE_COULDNT_RESOLVE_PROXY: return .resolvingProxy
        // After a connection is lost, libcurl may fail to open another.
        case CURLE_COULDNT_CONNECT: return usesProxy ? .connectingToProxy : .connecting
        case _ where bytesBeforeRequest != nil: return hasSent && isSent ? .awaitingResponse : .sending
        default: return phaseOfConnection(code, report)
        }
    }

    /// Whether libcurl ended the transfer because the response's fields, or a line of them, were too long.
    ///
    /// libcurl 7.88 has the first code for a line of more than 100 KB (CURL_MAX_HTTP_HEADER). After the request was
    /// sent, the code has no other cause, since the system overcommits memory.
    var hasTooLargeFields: Bool {
        guard let outcome, hasSent else { return false }
        // For a trailer of more than 4 KiB, the code is not specific.
        let isTrailer =
            outcome == CURLE_RECV_ERROR
            && String(cString: errorBuffer).utf8.starts(with: "Out of memory in chunk".utf8)
        return outcome == CURLE_OUT_OF_MEMORY || outcome.rawValue == Self.tooLargeCode || isTrailer
    }

    /// `CURLE_TOO_LARGE`, which libcurl has since 8.6.
    private static let tooLargeCode: UInt32 = 100

    private func phaseOfConnection(_ code: CURLcode, _ report: String) -> RequestPhase {
        if report.utf8.starts(with: "Resolving timed out".utf8) { return .resolving }
        guard peerPort != nil else { return .waiting }
        // A connection that ends while libcurl still writes to it is never waited for.
        guard isConnected || Self.endsOfConnections.contains(where: { $0 == code }) else {
            return usesProxy ? .connectingToProxy : .connecting
        }
        guard isEncrypted else { return .sending }
        return usesProxy && latch_curl_connect_status(easy) / 100 != 2 ? .tunneling : .securing
    }

    /// The codes for the end of a connection that was open.
    private static let endsOfConnections = [
        CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PROXY,
    ]

    /// Whether the connection goes to another port than the request's, which is then the proxy's.
    private var usesProxy: Bool { peerPort.map { $0 != port } ?? false }

    /// Whether the whole content was sent.
    private var isSent: Bool { upload?.isTaken ?? (latch_curl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, 0) >= size) }
}
#endif
