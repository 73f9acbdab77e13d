// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import LatchHTTP

/// What an issuer handed out: an access token, and what renews it.
///
/// As a credential it is a bearer token (RFC 6750 §2.1). Its description and reflection are redacted; the token texts
/// are reached only by name.
public struct Tokens: SessionCredential, Codable, Hashable {
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

    /// Tokens from their parts.
    public init(
        access: String, refresh: String? = nil, cookie: String? = nil, expiry: Date? = nil, issued: Date? = nil,
        scope: String? = nil, idToken: String? = nil
    ) {
        self.access = access
        self.refresh = refresh
        self.cookie = cookie
        self.expiry = expiry
        self.issued = issued
        self.scope = scope
        self.idToken = idToken
    }

    /// Sets the `Authorization` field.
    public func authorize(_ request: inout HTTPRequest) {
        request.fields[.authorization] = "Bearer \(access)"
    }

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
