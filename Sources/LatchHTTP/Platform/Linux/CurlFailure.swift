// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl

/// Puts libcurl's codes into the words of `HTTPError`.
enum CurlFailure {
    /// The error for a code; it names the host, never the path or a field.
    static func error(_ code: CURLcode, authority: String) -> HTTPError {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_URL_MALFORMAT: .invalidURL("its host or port is unclear")
        case _ where isTLS(code): .tls("No trusted connection to \(authority): \(text(code)).")
        case _ where isProtocol(code):
            .malformedMessage("The answer of \(authority) breaks HTTP's rules: \(text(code)).")
        default: .offline("\(authority) could not be reached: \(text(code)).")
        }
    }

    /// Codes after which trying again does not help before somebody looks at a certificate.
    private static func isTLS(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
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
