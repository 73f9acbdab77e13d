// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

// A request that libcurl has sent on a reused connection, which the server closed before its response, is sent again on a
// new one, whatever its method. The server may have executed it.
extension CurlTransfer {
    /// Whether a server may have received some of the request.
    ///
    /// What a proxy was sent before the first attempt does not count.
    var hasSent: Bool { bytesBeforeRequest.map { latch_curl_sent_bytes(easy) > $0 } ?? false }

    /// Called by libcurl before it sends the request on a connection, for the first time or again.
    static let onRequest: curl_prereq_callback = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        return CurlTransfer.of(context).beginsRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    /// Returns whether the request may be sent: once, or again if that does no harm (RFC 9110 §9.2.2), and only while it
    /// meets its condition.
    private func beginsRequest() -> Bool {
        if mayBeSent?() == false {
            refusal = hasSent ? lostConnection : .withdrawn
            return false
        }
        guard bytesBeforeRequest != nil else {
            bytesBeforeRequest = latch_curl_sent_bytes(easy)
            return true
        }
        // After a response, such as a proxy's demand for credentials (§15.5.8), it was not executed.
        guard hasSent, !isRepeatable, isReadingHead, head.isEmpty else { return true }
        refusal = lostConnection
        return false
    }

    private var lostConnection: HTTPError { .offline("\(authority) closed the connection before it responded.") }
}
#endif
