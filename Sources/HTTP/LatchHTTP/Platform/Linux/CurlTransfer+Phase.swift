// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CCurl
import CCurlShim

extension CurlTransfer {
    /// Whether the transfer has failed because there were no descriptors left.
    var isOutOfDescriptors: Bool {
        guard CurlFailure.mayBeOutOfDescriptors(outcome) else { return false }
        return hasNoDescriptor || DescriptorLimit.isReached
    }

    /// Returns the part of the request during which it failed.
    ///
    /// - Parameter report: libcurl's error message.
    func phase(of code: CURLcode, _ report: String) -> RequestPhase {
        // An interim response is none: after it, the request still waits (RFC 9110 §15.2).
        guard isReadingHead ? head.isEmpty : isInterim else { return .receiving }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .resolving
        case CURLE_COULDNT_RESOLVE_PROXY: return .resolvingProxy
        // After a lost connection, another one may not be made.
        case CURLE_COULDNT_CONNECT: return usesProxy ? .connectingToProxy : .connecting
        case _ where bytesBeforeRequest != nil: return hasSent && isSent ? .awaitingResponse : .sending
        default: return phaseOfConnection(report)
        }
    }

    /// Whether libcurl has ended the transfer since a line of the response was too long for it, or all of them together.
    ///
    /// The first code, which 7.88 has for a line of more than 100 KB (CURL_MAX_HTTP_HEADER), has no other reason once the request was
    /// sent: the system gives memory that it does not have.
    var hasTooLargeFields: Bool {
        guard let outcome, hasSent else { return false }
        // Of a trailer of more than 4 KiB the code tells nothing.
        let isTrailer =
            outcome == CURLE_RECV_ERROR
            && String(cString: errorBuffer).utf8.starts(with: "Out of memory in chunk".utf8)
        return outcome == CURLE_OUT_OF_MEMORY || outcome.rawValue == Self.tooLargeCode || isTrailer
    }

    /// `CURLE_TOO_LARGE`, which libcurl has since 8.6.
    private static let tooLargeCode: UInt32 = 100

    private func phaseOfConnection(_ report: String) -> RequestPhase {
        if report.utf8.starts(with: "Resolving timed out".utf8) { return .resolving }
        guard peerPort != nil else { return .waiting }
        guard isConnected else { return usesProxy ? .connectingToProxy : .connecting }
        guard isEncrypted else { return .sending }
        return usesProxy && latch_curl_connect_status(easy) / 100 != 2 ? .tunneling : .securing
    }

    /// Whether the connection is to another port than the request's, which is the proxy's.
    private var usesProxy: Bool { peerPort.map { $0 != port } ?? false }

    /// Whether the whole content was sent.
    private var isSent: Bool { upload?.isTaken ?? (latch_curl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, 0) >= size) }
}
#endif
