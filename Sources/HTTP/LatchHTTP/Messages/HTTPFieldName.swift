// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The name of a header field (RFC 9110 §5.1), which compares without case and is sent as it was spelled.
public struct HTTPFieldName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it was spelled; the only text here, since a message copies its names often.
    package let rawName: String

    /// A number that is the same for equal names and rarely for others, so that most comparisons need no text.
    let digest: UInt32

    /// Whether the name is a token (RFC 9110 §5.6.2), as it must be to be sent.
    let isToken: Bool

    /// Whether the name was spelled in lower case.
    private let isLowercase: Bool

    /// Creates a field name from any spelling; ASCII letters compare without case.
    public init(_ name: String) {
        rawName = name
        var (digest, isToken, isLowercase): (UInt32, Bool, Bool) = (2_166_136_261, !name.isEmpty, true)
        for byte in name.utf8 {
            let lower = asciiLowercased(byte)
            // FNV-1a: collisions that an attacker makes are harmless, since the texts are compared after equal digests.
            digest = (digest ^ UInt32(lower)) &* 16_777_619
            isToken = isToken && isTokenByte(byte)
            isLowercase = isLowercase && lower == byte
        }
        (self.digest, self.isToken, self.isLowercase) = (digest, isToken, isLowercase)
    }

    /// The name in lower case.
    package var canonicalName: String { isLowercase ? rawName : rawName.lowercasedASCII() }

    /// Creates a field name from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// The name as it was spelled.
    public var description: String { rawName }

    /// Compares without case.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.digest == right.digest else { return false }
        // For names that are not tokens, `==` would compare characters, but their hashes use bytes. Tokens are ASCII.
        return left.isToken && right.isToken && left.rawName == right.rawName
            || left.rawName.equalsIgnoringCase(right.rawName)
    }

    /// Hashes without case.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonicalName) }

    /// RFC 9110 §12.5.1.
    public static let accept: HTTPFieldName = "Accept"
    /// RFC 9110 §12.5.3.
    package static let acceptEncoding: HTTPFieldName = "Accept-Encoding"
    /// RFC 9110 §11.6.2.
    public static let authorization: HTTPFieldName = "Authorization"
    /// RFC 9111 §5.2.
    package static let cacheControl: HTTPFieldName = "Cache-Control"
    /// RFC 9110 §7.6.1.
    package static let connection: HTTPFieldName = "Connection"
    /// RFC 9110 §8.4.
    package static let contentEncoding: HTTPFieldName = "Content-Encoding"
    /// RFC 9110 §8.6.
    package static let contentLength: HTTPFieldName = "Content-Length"
    /// RFC 9110 §8.3.
    public static let contentType: HTTPFieldName = "Content-Type"
    /// RFC 6265 §5.4.
    package static let cookie: HTTPFieldName = "Cookie"
    /// RFC 9110 §6.6.1.
    package static let date: HTTPFieldName = "Date"
    /// RFC 9110 §7.2.
    package static let host: HTTPFieldName = "Host"
    /// The Idempotency-Key header field (draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey: HTTPFieldName = "Idempotency-Key"
    /// RFC 9110 §10.2.2.
    public static let location: HTTPFieldName = "Location"
    /// RFC 9110 §14.2.
    package static let range: HTTPFieldName = "Range"
    /// draft-ietf-httpapi-ratelimit-headers-10 §4.
    package static let rateLimit: HTTPFieldName = "RateLimit"
    /// RFC 9110 §10.2.3.
    package static let retryAfter: HTTPFieldName = "Retry-After"
    /// RFC 6265 §4.1.
    package static let setCookie: HTTPFieldName = "Set-Cookie"
    /// RFC 9110 §10.1.5.
    public static let userAgent: HTTPFieldName = "User-Agent"
    /// RFC 9110 §11.6.1.
    public static let wwwAuthenticate: HTTPFieldName = "WWW-Authenticate"
    /// The X-Request-Id header field, the identifier of one request, which the server echoes or creates.
    package static let requestID: HTTPFieldName = "X-Request-Id"
}
