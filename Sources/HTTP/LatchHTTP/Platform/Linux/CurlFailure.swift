// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl

/// The mapping of libcurl's error codes to `HTTPError`.
enum CurlFailure {
    /// Returns the error for a code; it names the host, never the path or a field.
    ///
    /// - Parameters:
    ///   - errorBuffer: libcurl's error message, which names TLS alerts and the reason why a certificate is rejected.
    ///   - showsCertificate: Whether the host can request a client certificate.
    ///   - hasSent: Whether an earlier connection may have sent part of the request to the host.
    ///   - phase: The part of the request that failed; nil for an email, and before a transfer.
    static func error(
        _ code: CURLcode, authority: String, errorBuffer: String = "", showsCertificate: Bool = false,
        hasSent: Bool = false, phase: RequestPhase? = nil
    ) -> HTTPError {
        switch code {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch("\(authority) showed a key that is not pinned.")
        case CURLE_SSL_CERTPROBLEM:
            .invalidTLSPolicy("the client certificate for \(authority) cannot be opened; check its key and passphrase")
        case _ where code == CURLE_SSL_CLIENTCERT || isAboutOurs(errorBuffer, showsCertificate):
            .clientCertificateRefused(
                showsCertificate
                    ? "\(authority) did not accept this client's certificate."
                    : "\(authority) demands a client certificate.")
        case CURLE_OPERATION_TIMEDOUT: phase.map { .timeout(of: authority, $0, hasSent: hasSent) } ?? .timeout
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_URL_MALFORMAT: .invalidURL("its host or port is unclear")
        case CURLE_SSL_CONNECT_ERROR where isAboutTheConnection(errorBuffer):
            offline(code, authority, hasSent: hasSent, phase)
        case CURLE_SSL_CACERT_BADFILE:
            .tls(
                "No trusted connection to \(authority): \(reason(errorBuffer) ?? text(code)).",
                hint: "Check the file of certificate authorities: PEM, with a line break between certificates.")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
            .tls("No trusted connection to \(authority): \(reason(errorBuffer) ?? text(code)).")
        // libcurl 8 refuses transfer codings by itself, and names them.
        case CURLE_BAD_CONTENT_ENCODING:
            .malformedMessage("The response of \(authority) violates HTTP: \(reason(errorBuffer) ?? text(code)).")
        // For an unknown or missing status line, as in HTTP/0.9, libcurl reports the first code.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_WRITE_ERROR:
            .malformedMessage("The response of \(authority) violates HTTP: \(text(code)).")
        // RFC 9113 §6.8 and §8.7: a server may end its connection or stream without an error. libcurl has the same
        // codes for violations.
        case CURLE_HTTP2, CURLE_HTTP2_STREAM:
            .offline("\(authority) ended the connection before it responded: \(text(code)).")
        default: offline(code, authority, hasSent: hasSent, phase)
        }
    }

    private static func offline(
        _ code: CURLcode, _ authority: String, hasSent: Bool, _ phase: RequestPhase?
    ) -> HTTPError {
        let words = phase.map { " " + $0.words } ?? ""
        var error = HTTPError.offline(
            phase?.isConnected == true
                ? "The connection to \(authority) ended\(words): \(text(code))."
                : "\(authority) could not be reached\(words): \(text(code)).")
        error.phase = phase
        let withoutConnection = [
            CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
            CURLE_PROXY,
        ]
        // libcurl may have sent the request on a reused connection, lost it, and tried to connect again.
        error.isUnsent = !hasSent && withoutConnection.contains { $0 == code }
        return error
    }

    /// Returns the error for a proxy that refused to connect to the host, so that nothing was sent to the host.
    ///
    /// - Parameter status: The status of the proxy's response to CONNECT (RFC 9110 §9.3.6).
    static func proxy(_ status: Int, authority: String) -> HTTPError {
        var error = HTTPError(
            code: HTTPError.offline.code,
            message: "The proxy refused to connect to \(authority), with status \(status).",
            hint: status == 407
                ? "Give the user and the password of the proxy, as in http://user:password@proxy.example:3128."
                : "Ask the operator of the proxy, or name the host in NO_PROXY.")
        (error.isUnsent, error.phase) = (true, .tunneling)
        return error
    }

    /// Whether the process or the system may have no descriptors left, judged by the code of a failure.
    ///
    /// libcurl has the same code for this and for hosts that do not exist, or files that it cannot open.
    static func mayBeOutOfDescriptors(_ code: CURLcode?) -> Bool {
        [
            CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_OUT_OF_MEMORY,
            CURLE_FAILED_INIT, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
        ].contains { $0 == code }
    }

    /// Whether the server rejects the client's certificate by an alert (RFC 8446 §6.2).
    ///
    /// In TLS 1.2 a missing certificate causes a generic handshake failure.
    private static func isAboutOurs(_ errorBuffer: String, _ showsCertificate: Bool) -> Bool {
        func says(_ words: String) -> Bool { errorBuffer.utf8.contains(words.utf8) }
        guard says(" alert ") else { return false }
        return says("certificate") || says("unknown ca") || says("access denied")
            || (showsCertificate && says("handshake failure"))
    }

    /// Whether a TLS handshake failed because its connection ended, by a reset or without an alert.
    ///
    /// Filters and tunnels end connections in this way, and so do machines that wake up.
    private static func isAboutTheConnection(_ errorBuffer: String) -> Bool {
        ["Connection reset by peer", "SSL_ERROR_SYSCALL", "unexpected eof", "Broken pipe"].contains {
            errorBuffer.utf8.contains($0.utf8)
        }
    }

    /// Returns OpenSSL's reason for a failed handshake or a rejected certificate; nil if there is none.
    ///
    /// The reason may name the host of the certificate.
    private static func reason(_ errorBuffer: String) -> String? {
        errorBuffer.isEmpty ? nil : LogRedaction.printable(errorBuffer, upTo: 200)
    }

    /// Returns libcurl's message for a code; the messages are constant and contain nothing of the request.
    private static func text(_ code: CURLcode) -> String {
        curl_easy_strerror(code).map { String(cString: $0) } ?? "libcurl error \(code.rawValue)"
    }
}
#endif
