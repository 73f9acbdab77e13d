// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// A JSON Web Token (RFC 7519), decoded once.
///
/// It comes from ``JWTVerifier``, or from ``init(unverified:)`` if a client reads its own token without the issuer's
/// keys.
public struct JWT: Sendable {
    /// The protected header, which the signature covers.
    public let header: JOSEHeader
    /// The content of the token.
    public let claims: Claims
    /// The encoded token, which grants access and must not be logged.
    public let text: String

    /// The limits of a payload.
    ///
    /// The depth limits the parser's stack; the size is the maximum length of a text.
    static let payloadLimits = JSONLimits(depth: 32, bytes: 64 << 10)

    /// Decodes a token without verifying its signature.
    ///
    /// A client uses it to see when its token expires; never base an authorization decision on it.
    ///
    /// - Throws: `JOSEError.malformedToken`.
    public init(unverified text: String) throws(JOSEError) {
        let parts = try CompactSerialization(text, limit: JWS.defaultLimit)
        _ = try Base64URL.decode(utf8: parts.signature)
        try self.init(text, parts: parts, header: try JOSEHeader(base64URL: parts.header))
    }

    /// Decodes the claims of a token with a decoded header.
    init(_ text: String, parts: CompactSerialization, header: JOSEHeader) throws(JOSEError) {
        let payload: JSONValue
        do {
            payload = try JSONValue(parsing: try Base64URL.decode(utf8: parts.payload), limits: Self.payloadLimits)
        } catch {
            throw .malformedToken("its claims are not JSON in base64url")
        }
        guard let members = payload.objectValue else { throw .malformedToken("its claims are not an object") }
        self.header = header
        self.claims = Claims(members)
        self.text = text
    }

    /// Signs claims.
    ///
    /// - Parameters:
    ///   - claims: The claims to sign.
    ///   - key: The private key or shared secret.
    ///   - type: The type of the token, which verifiers can require; nil for none. An access token has `at+jwt` (RFC
    ///     9068).
    /// - Returns: The token in compact form.
    /// - Throws: `JOSEError.unsuitableKey` if the key only verifies.
    public static func sign(_ claims: Claims, with key: Key, type: String? = "JWT") throws(JOSEError) -> String {
        try JWTSigner(key, type: type).sign(claims)
    }
}

extension JWT: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; the token is redacted.
    public var description: String { "JWT(\(claims))" }

    /// A mirror without children, so that `dump` shows nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
