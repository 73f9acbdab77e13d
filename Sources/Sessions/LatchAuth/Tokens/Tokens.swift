// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
public import LatchFoundation
public import LatchHTTP
internal import LatchJOSE

/// The tokens that an issuer has issued: an access token, and usually a refresh token.
///
/// They act as a bearer token (RFC 6750 §2.1). If they are bound to a key, each message proves the key (RFC 9449 §7.1).
/// Their description and reflection are redacted. Only the properties return the tokens' text.
public struct Tokens: SessionCredential, Hashable {
    /// The part that outlives a refresh; a response replaces only the values that it contains.
    private var grant: Grant
    /// The session's own access token.
    private var own: AccessToken

    /// The access tokens of resources that need a separate one (RFC 8707), in the order of their issue.
    ///
    /// They belong to the same refresh token. At most 32 are kept.
    package private(set) var resourceTokens: [ResourceToken]?

    /// Creates tokens as a server issues them; only the access token is required.
    public init(
        access: String, refresh: String? = nil, cookie: String? = nil, expiry: Date? = nil, issued: Date? = nil,
        scope: String? = nil, idToken: String? = nil, userID: String? = nil, tokenType: TokenType = .bearer,
        key: DPoPKey? = nil
    ) {
        grant = Grant(
            refresh: refresh.nonEmpty, cookie: cookie.nonEmpty, key: key, userID: userID, idToken: idToken.nonEmpty)
        own = AccessToken(access: access, expiry: expiry, issued: issued, scope: scope, tokenType: tokenType)
    }

    /// The access token.
    public var access: String {
        get { own.access }
        set { own.access = newValue }
    }

    /// The refresh token; nil if the issuer issued none, or a closure returned an empty one.
    public var refresh: String? {
        get { grant.refresh }
        set { grant.refresh = newValue.nonEmpty }
    }

    /// The refresh token as `name=value` if the issuer keeps it in a cookie; nil if it does not.
    public var cookie: String? {
        get { grant.cookie }
        set { grant.cookie = newValue.nonEmpty }
    }

    /// The expiry of the access token, by the issuer's clock.
    public var expiry: Date? {
        get { own.expiry }
        set { own.expiry = newValue }
    }

    /// The date of issue, by the issuer's clock.
    public var issued: Date? {
        get { own.issued }
        set { own.issued = newValue }
    }

    /// The granted scope, separated by spaces (RFC 6749 §3.3); nil if the issuer did not state it.
    public var scope: String? {
        get { own.scope }
        set { own.scope = newValue }
    }

    /// The ID token (OpenID Connect Core §2); nil if there is none.
    public var idToken: String? {
        get { grant.idToken }
        set { grant.idToken = newValue.nonEmpty }
    }

    /// The identifier of the user, if the issuer wrote it next to the tokens; only for display.
    public var userID: String? {
        get { grant.userID }
        set { grant.userID = newValue }
    }

    /// The type of the access token; `bearer` if the issuer states none.
    public var tokenType: TokenType {
        get { own.tokenType }
        set { own.tokenType = newValue }
    }

    /// The key that the tokens are bound to; nil if they are not bound.
    ///
    /// It stays the same through all refreshes, and is stored in the same record as the tokens.
    public var key: DPoPKey? {
        get { grant.key }
        set { grant.key = newValue }
    }

    /// The granted scopes; nil if the issuer did not state them, which means that it granted the requested ones (RFC
    /// 6749 §5.1).
    public var grantedScopes: Scopes? { scope.map(Scopes.init(parsing:)) }

    /// Sets the `Authorization` field.
    ///
    /// If the tokens are bound to a key, it also sets `DPoP` to a proof for this message.
    ///
    /// - Throws: `AuthError.missingProofKey` if the key is missing, `AuthError.unknownTokenType` if the type is
    ///   neither Bearer nor DPoP.
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

    /// Stores the nonce that a server requires in proofs.
    public func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        key?.learn(from: response, to: request) ?? false
    }

    /// Returns these tokens with all values of a response; other values stay.
    ///
    /// RFC 6749 §6: a response without a refresh token leaves the old one valid. OpenID Connect Core §12.2: a refresh
    /// need not return an ID token, and the first one stays valid.
    public func updated(by response: Tokens, for target: TokenTarget?) -> Tokens {
        var tokens = self
        tokens.grant.renew(by: response.grant)
        if let target {
            tokens.keep(ResourceToken(target: target, token: response.own))
        } else {
            tokens.own = response.own
            for token in response.resourceTokens ?? [] { tokens.keep(token) }
        }
        return tokens
    }

    /// Returns these tokens with the refresh token of a response, but with their own access tokens.
    public func renewingGrant(from response: Tokens) -> Tokens {
        var tokens = self
        tokens.grant.renew(by: response.grant)
        return tokens
    }

    /// Replaces the access token of a resource.
    private mutating func keep(_ token: ResourceToken) {
        let others = (resourceTokens ?? []).filter { $0.target != token.target }
        resourceTokens = others.suffix(31) + [token]
    }

    /// Returns these tokens with the access token of a resource; nil if there is none yet.
    public func credential(for target: TokenTarget?) -> Tokens? {
        guard let target else { return self }
        guard let token = resourceTokens?.last(where: { $0.target == target }) else { return nil }
        var tokens = self
        tokens.own = token.token
        return tokens
    }

    /// Whether there is a refresh token, as a member or in a cookie.
    public var isRefreshable: Bool { refresh != nil || cookie != nil }

    /// Whether both carry the same access token.
    public func hasSameAccessToken(as other: Tokens) -> Bool { access == other.access }

    /// Whether both carry the same refresh token.
    public func hasSameRefreshToken(as other: Tokens) -> Bool {
        if !isRefreshable { return access == other.access }
        return refresh == other.refresh && cookie == other.cookie
    }
}

extension Optional<String> {
    /// The text; nil if it is empty, so that it does not replace anything.
    fileprivate var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}

/// The values that an issuer grants in addition to access tokens.
struct Grant: Sendable, Hashable {
    var refresh: String?
    var cookie: String?
    var key: DPoPKey?
    var userID: String?
    var idToken: String?

    /// Replaces the values that the later grant has, and removes none.
    mutating func renew(by later: Grant) {
        // One refresh token, in one of two places.
        if later.refresh != nil || later.cookie != nil { (refresh, cookie) = (later.refresh, later.cookie) }
        key = later.key ?? key
        userID = later.userID ?? userID
        idToken = later.idToken ?? idToken
    }
}

/// An access token and the values that the issuer states about it.
struct AccessToken: Sendable, Hashable {
    var access: String
    var expiry: Date?
    var issued: Date?
    var scope: String?
    var tokenType: TokenType
}

/// An access token of one resource (RFC 8707 §2.2).
package struct ResourceToken: Sendable, Hashable {
    /// The resource and the scopes that the token was requested for.
    package let target: TokenTarget
    let token: AccessToken
}

extension ResourceToken: Redacting {
    /// The resource without the token.
    package var description: String { "ResourceToken(\(target.resource), access: redacted)" }
}

// MARK: - Step-up

extension Tokens {
    /// Whether the tokens meet a requirement, as far as they can be read.
    ///
    /// The access token is read if it is a JWT (RFC 9470 §6), otherwise the ID token (OpenID Connect Core §2).
    ///
    /// Nothing is verified, because the server decides. This only saves a request.
    public func satisfies(_ requirement: StepUpRequirement, at date: Date) -> Bool? {
        var results: [Bool?] = []
        if !requirement.contextClasses.isEmpty {
            results.append(claim { $0.string("acr") }.map { requirement.contextClasses.contains($0) })
        }
        if let age = requirement.maximumAge {
            let authenticated = claim { $0.date("auth_time") }
            results.append(authenticated.map { date.timeIntervalSince($0) <= age.inSeconds })
        }
        if let scopes = requirement.scopes { results.append(grantedScopes.map { $0.allow(all: scopes) }) }
        // A token need not show these claims.
        if requirement.claims != nil { results.append(nil) }
        if results.contains(false) { return false }
        return results.isEmpty || results.contains(nil) ? nil : true
    }

    /// Whether both belong to the same user; nil if one of them does not name its user.
    public func hasSameUser(as other: Tokens) -> Bool? {
        let (mine, others) = (claim(\.subject), other.claim(\.subject))
        guard let mine, let others else { return nil }
        return mine == others && claim(\.issuer) == other.claim(\.issuer)
    }

    /// Returns a claim of the access token, or of the ID token if the access token is opaque or lacks it.
    private func claim<Value>(_ read: (Claims) -> Value?) -> Value? {
        for text in [access, idToken ?? ""] {
            do {
                if let value = read(try JWT(unverified: text).claims) { return value }
            } catch {
                // An access token is opaque to the client (RFC 6749 §1.4).
            }
        }
        return nil
    }
}

// MARK: - Storage and description

// The members form one flat object, as in the records that programs have stored.

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case access, expiry, issued, scope, tokenType
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        access = try container.decode(String.self, forKey: .access)
        expiry = try container.decodeIfPresent(Date.self, forKey: .expiry)
        issued = try container.decodeIfPresent(Date.self, forKey: .issued)
        scope = try container.decodeIfPresent(String.self, forKey: .scope)
        // Records from before token types were stored hold bearer tokens.
        tokenType = try container.decodeIfPresent(TokenType.self, forKey: .tokenType) ?? .bearer
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(access, forKey: .access)
        try container.encodeIfPresent(expiry, forKey: .expiry)
        try container.encodeIfPresent(issued, forKey: .issued)
        try container.encodeIfPresent(scope, forKey: .scope)
        // Most records stay in the form that older programs wrote and can read.
        if tokenType != .bearer { try container.encode(tokenType, forKey: .tokenType) }
    }
}

extension Grant: Codable {}

extension ResourceToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case target
    }

    /// Decodes the target and the members of the token.
    package init(from decoder: any Decoder) throws {
        target = try decoder.container(keyedBy: CodingKeys.self).decode(TokenTarget.self, forKey: .target)
        token = try AccessToken(from: decoder)
    }

    /// Encodes the target and the members of the token.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(target, forKey: .target)
        try token.encode(to: encoder)
    }
}

extension Tokens: Codable {
    private enum CodingKeys: String, CodingKey {
        case resourceTokens
    }

    /// Decodes tokens.
    public init(from decoder: any Decoder) throws {
        grant = try Grant(from: decoder)
        own = try AccessToken(from: decoder)
        resourceTokens = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(
            [ResourceToken].self, forKey: .resourceTokens)
    }

    /// Encodes the tokens.
    public func encode(to encoder: any Encoder) throws {
        try grant.encode(to: encoder)
        try own.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(resourceTokens, forKey: .resourceTokens)
    }
}

extension Tokens: Redacting {
    /// The members that are present, without their text.
    public var description: String {
        let expiry = expiry.map { $0.formatted(.iso8601) } ?? "unknown"
        return "Tokens(access: redacted, refresh: \(refresh == nil ? "none" : "redacted"), expiry: \(expiry))"
    }
}

/// The type of an access token (RFC 6749 §7.1): `Bearer`, `DPoP`, or another name, compared without case.
public struct TokenType: RawRepresentable, Sendable, Codable, CustomStringConvertible {
    /// The type as the issuer spelled it.
    public let rawValue: String

    /// Creates a type from an issuer's spelling.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A token that every holder may use (RFC 6750).
    public static let bearer = TokenType(rawValue: "Bearer")

    /// A token that is useless without the key that it is bound to (RFC 9449).
    public static let dpop = TokenType(rawValue: "DPoP")

    /// The type as the issuer spelled it.
    public var description: String { rawValue }
}

extension TokenType: Hashable {
    /// Compares the types without case (RFC 6749 §5.1).
    public static func == (one: TokenType, other: TokenType) -> Bool {
        one.rawValue == other.rawValue || one.rawValue.lowercasedASCII() == other.rawValue.lowercasedASCII()
    }

    /// Hashes the type without case.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercasedASCII()) }
}
