// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl

/// Puts libcurl's codes into the words of `HTTPError`.
enum CurlFailure {
    /// The error for a code; it names the host, never the path or a field.
    ///
    /// - Parameters:
    ///   - complaint: libcurl's text about the failure, in which an alert of TLS is named.
    ///   - showsCertificate: Whether the host was to be shown a client certificate.
    static func error(
        _ code: CURLcode, authority: String, complaint: String = "", showsCertificate: Bool = false
    ) -> HTTPError {
        switch code {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch("\(authority) showed a key that is not pinned.")
        case CURLE_SSL_CERTPROBLEM: .invalidTLSPolicy("the client certificate for \(authority) does not open")
        case _ where code == CURLE_SSL_CLIENTCERT || isAboutOurs(complaint, showsCertificate):
            .clientCertificateRefused(
                showsCertificate
                    ? "\(authority) did not accept this client's certificate."
                    : "\(authority) demands a client certificate.")
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_URL_MALFORMAT: .invalidURL("its host or port is unclear")
        case _ where isTLS(code): .tls("No trusted connection to \(authority): \(text(code)).")
        case _ where isProtocol(code):
            .malformedMessage("The answer of \(authority) breaks HTTP's rules: \(text(code)).")
        default: offline("\(authority) could not be reached: \(text(code)).", isUnsent: isBeforeSending(code))
        }
    }

    private static func offline(_ message: String, isUnsent: Bool) -> HTTPError {
        var error = HTTPError.offline(message)
        error.isUnsent = isUnsent
        return error
    }

    /// Codes of a connection that was never made.
    private static func isBeforeSending(_ code: CURLcode) -> Bool {
        [CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT].contains { $0 == code }
    }

    /// Whether the peer complains of a certificate (RFC 8446 §6.2): as it is the server, it can only mean ours.
    ///
    /// In TLS 1.2 the answer to none at all is a failure of the handshake like any other.
    private static func isAboutOurs(_ complaint: String, _ showsCertificate: Bool) -> Bool {
        guard complaint.contains(" alert ") else { return false }
        return complaint.contains("certificate") || complaint.contains("unknown ca")
            || complaint.contains("access denied") || (showsCertificate && complaint.contains("handshake failure"))
    }

    /// Codes after which trying again does not help before somebody looks at a certificate.
    private static func isTLS(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
            true
        default: false
        }
    }

    /// Codes that blame what the peer sent, and not the way to it.
    private static func isProtocol(_ code: CURLcode) -> Bool {
        switch code {
        // libcurl answers a status line that it does not know, such as HTTP/0.9's absence of one, with the first.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
            CURLE_BAD_CONTENT_ENCODING, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_WRITE_ERROR:
            true
        default: false
        }
    }

    /// libcurl's own words for a code; they are fixed texts and hold nothing of the request.
    private static func text(_ code: CURLcode) -> String {
        curl_easy_strerror(code).map { String(cString: $0) } ?? "libcurl error \(code.rawValue)"
    }
}
#endif
