// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// A token with claims (RFC 7519), decoded once.
///
/// It comes from ``JWTVerifier`` or, for reading one's own token without its issuer's keys, from ``init(unverified:)``.
public struct JWT: Sendable {
    /// The header.
    public let header: TokenHeader
    /// The claims.
    public let claims: Claims
    /// The token as text, which lets its holder in and stays out of logs.
    public let text: String

    /// What is parsed at most.
    ///
    /// The depth keeps the parser's stack small; the bytes are those of the longest text.
    static let payloadLimits = JSONLimits(depth: 32, bytes: 64 << 10)

    /// Decodes a token without looking at its signature.
    ///
    /// A client does so with the token that it was given, to see when it expires; nobody may decide about access by it.
    ///
    /// - Throws: `JOSEError.malformedToken`.
    public init(unverified text: String) throws(JOSEError) {
        let parts = try CompactParts(text, limit: JWS.defaultLimit)
        _ = try Base64URL.decode(utf8: parts.signature)
        try self.init(text, parts: parts, header: try TokenHeader(base64URL: parts.header))
    }

    /// Decodes the claims of a token whose header was read before.
    init(_ text: String, parts: CompactParts, header: TokenHeader) throws(JOSEError) {
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
    /// - Parameter type: What kind of token it is, which its reader can demand: `at+jwt` for an access token (RFC 9068).
    /// - Returns: The token in compact form.
    /// - Throws: `JOSEError.unsuitableKey` where the key only verifies.
    public static func sign(_ claims: Claims, with key: Key, type: String? = "JWT") throws(JOSEError) -> String {
        let header: JSONObject = type.map { ["typ": .string($0)] } ?? [:]
        return try JWS.sign(JSONValue.object(claims.members).serialized(), with: key, header: header)
    }
}

extension JWT: CustomStringConvertible, CustomReflectable {
    /// The names of the claims, and nothing of the token's text.
    public var description: String { "JWT(\(claims))" }

    /// A mirror without children, so that `dump` shows nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
