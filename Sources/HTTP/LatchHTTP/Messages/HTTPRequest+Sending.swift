// SPDX-License-Identifier: Apache-2.0

/// How long a request may take, where it is not what the transport usually allows.
private enum RequestTimeout: HTTPContextKey {
    static var defaultValue: Duration? { nil }
}

/// Whether plain http is to be HTTP/2 from its first byte.
private enum AssumedHTTP2: HTTPContextKey {
    static var defaultValue: Bool { false }
}

/// Whether the caller reads the answer's content piece by piece.
enum StreamedResponse: HTTPContextKey {
    static var defaultValue: Bool { false }
}

extension HTTPRequest {
    /// How long the transfer may take in all; nil leaves it to the transport.
    ///
    /// It counts for each transfer: a request that is redirected or repeated may take it more than once.
    public var timeout: Duration? {
        get { context[RequestTimeout.self] }
        set { context[RequestTimeout.self] = newValue }
    }

    /// Whether the content of the answer is to come as a stream, as soon as the head is there.
    ///
    /// A handler that has the content in memory anyway may give it so; `HTTPBody.chunks` reads both.
    public var wantsStream: Bool {
        get { context[StreamedResponse.self] }
        set { context[StreamedResponse.self] = newValue }
    }

    /// Whether plain http is to be HTTP/2 from its first byte, since the server is known to speak it (RFC 9113 §3.3).
    ///
    /// Over https both sides agree on a version, and this changes nothing.
    public var assumesHTTP2: Bool {
        get { context[AssumedHTTP2.self] }
        set { context[AssumedHTTP2.self] = newValue }
    }

    /// Refuses what would be read as another message than the one that was meant.
    ///
    /// - Throws: `HTTPError.invalidURL`, `HTTPError.invalidField` or `HTTPError.malformedMessage`.
    package func validateForSending() throws(HTTPError) {
        guard scheme == "https" || scheme == "http" else { throw .invalidURL("its scheme is neither https nor http") }
        guard !authority.isEmpty, authority.utf8.allSatisfy(isAuthorityByte) else {
            throw .invalidURL("its host or port is unclear")
        }
        // RFC 9112 §3.2.1: origin-form; anything outside printable ASCII would end the request line or be guessed at.
        guard path.utf8.first == 0x2F, path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
            throw .invalidURL("its path holds a character that must be percent-encoded")
        }
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(isTokenByte) else {
            throw .malformedMessage("The method is not a token.")
        }
        try fields.validate()
        try validateFraming()
    }

    /// RFC 9112 §6: how long the message is, and for whom, is said by the transport alone.
    private func validateFraming() throws(HTTPError) {
        for line in fields where line.name.isSetByTransport {
            switch line.name {
            case .contentLength where line.value == body.length.map { String($0) }, .host where line.value == authority,
                .expect:
                continue
            default: throw .invalidField(line.name.rawName)
            }
        }
    }
}

extension HTTPFieldName {
    /// RFC 9110 §10.1.1.
    package static let expect: HTTPFieldName = "Expect"
    /// RFC 9112 §6.1.
    package static let transferEncoding: HTTPFieldName = "Transfer-Encoding"

    /// Whether the transport writes this field itself.
    package var isSetByTransport: Bool {
        switch canonicalName.utf8.count {
        case 4: self == .host
        case 6: self == .expect
        case 14: self == .contentLength
        case 17: self == .transferEncoding
        default: false
        }
    }
}

/// RFC 3986 §3.2.2 and §3.2.3 without user information and percent-encoding, which only hide what a host is.
func isAuthorityByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F: true
    default: false
    }
}
