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
        guard isReadingHead, head.isEmpty else { return .receiving }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .resolving
        case CURLE_COULDNT_RESOLVE_PROXY: return .resolvingProxy
        // After a lost connection, another one may not be made.
        case CURLE_COULDNT_CONNECT: return usesProxy ? .connectingToProxy : .connecting
        case _ where bytesBeforeRequest != nil: return hasSent && isSent ? .awaitingResponse : .sending
        default: return phaseOfConnection(report)
        }
    }

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
