// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchHTTP

/// What an issuer handed out: an access token, and what renews it.
///
/// As a credential it is a bearer token (RFC 6750 §2.1), or one that is bound to a key and proves it in each message
/// (RFC 9449 §7.1). Its description and reflection are redacted; the token texts are reached only by name.
public struct Tokens: SessionCredential, Hashable {
    /// The access token.
    public var access: String
    /// The refresh token; nil where the issuer gave none.
    public var refresh: String?
    /// The refresh token where the issuer keeps it in a cookie, as `name=value`; nil where it does not.
    public var cookie: String?
    /// When the access token stops being accepted, by the issuer's clock.
    public var expiry: Date?
    /// When the tokens were handed out, by the issuer's clock.
    public var issued: Date?
    /// The granted scope, separated by spaces (RFC 6749 §3.3); nil where the issuer did not say.
    public var scope: String?
    /// The ID token (OpenID Connect Core §2); nil where there is none.
    public var idToken: String?
    /// Who they belong to, where the issuer wrote it beside them; it is for display.
    public var userID: String?
    /// How the access token is sent; an issuer that does not say means `bearer`.
    public var tokenType: TokenType
    /// The key that the tokens are bound to; nil where they are bound to none.
    ///
    /// It stays the same through all renewals, and is kept in the same record as the tokens.
    public var key: DPoPKey?

    /// Tokens from their parts.
    public init(
        access: String, refresh: String? = nil, cookie: String? = nil, expiry: Date? = nil, issued: Date? = nil,
        scope: String? = nil, idToken: String? = nil, userID: String? = nil, tokenType: TokenType = .bearer,
        key: DPoPKey? = nil
    ) {
        self.access = access
        self.refresh = refresh
        self.cookie = cookie
        self.expiry = expiry
        self.issued = issued
        self.scope = scope
        self.idToken = idToken
        self.userID = userID
        self.tokenType = tokenType
        self.key = key
    }

    /// Sets the `Authorization` field and, where the tokens are bound to a key, `DPoP` to a proof for this message.
    ///
    /// - Throws: `AuthError.missingProofKey` where the key is missing, `AuthError.unknownTokenType` where it is not known
    ///   how such tokens are sent.
    public func authorize(_ request: inout HTTPRequest) throws {
        switch tokenType {
        case .bearer: request.fields[.authorization] = "Bearer \(access)"
        case .dpop:
            guard let key else { throw AuthError.missingProofKey }
            request.fields[.authorization] = "DPoP \(access)"
            try key.prove(&request, accessToken: access)
        default: throw AuthError.unknownTokenType
        }
    }

    /// Remembers the nonce that a server asks for in proofs.
    public func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        key?.learn(from: response, to: request) ?? false
    }

    /// These tokens with what those that they renew brought and they do not: the key, the person, the ID token.
    ///
    /// OpenID Connect Core §12.2: a renewal need not bring an ID token, and the first one stays true.
    public func succeeding(_ predecessor: Tokens) -> Tokens {
        var tokens = self
        tokens.key = key ?? predecessor.key
        tokens.userID = userID ?? predecessor.userID
        tokens.idToken = idToken ?? predecessor.idToken
        return tokens
    }

    /// Whether there is a refresh token, in either place.
    public var isRenewable: Bool { refresh != nil || cookie != nil }

    /// Whether both carry the same access token.
    public func authorizesLike(_ other: Tokens) -> Bool { access == other.access }

    /// Whether both would be renewed by the same refresh token.
    public func renewsLike(_ other: Tokens) -> Bool {
        if refresh == nil, cookie == nil { return access == other.access }
        return refresh == other.refresh && cookie == other.cookie
    }
}

extension Tokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is there, without the texts.
    public var description: String {
        "Tokens(access: redacted, refresh: \(refresh == nil ? "none" : "redacted"), expiry: \(expiryText))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the texts, so that `dump` and reflection show none.
    public var customMirror: Mirror { Mirror(self, children: ["expiry": expiryText], displayStyle: .struct) }

    /// The expiry for people; the dates are the only part that may be shown.
    private var expiryText: String { expiry.map { $0.formatted(.iso8601) } ?? "unknown" }
}
