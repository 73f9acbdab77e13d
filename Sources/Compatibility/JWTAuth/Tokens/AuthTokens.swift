// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchCore
public import LatchJOSE

/// A decoded token of the core.
public typealias JWT = LatchJOSE.JWT

/// An access token and the refresh token that replaces it.
///
/// The access token is decoded once, when the value is created. It is not verified, because that is the server's task.
/// Descriptions, mirrors and dumps show neither token.
public struct AuthTokens: Codable, Sendable {
    /// The access token.
    public let access: String
    /// The refresh token.
    public let refresh: String
    /// The decoded access token.
    private let content: TokenContent

    /// Creates tokens from an issuer's response.
    public init(access: String, refresh: String) {
        self.access = access
        self.refresh = refresh
        content = TokenContent(of: access)
    }

    private enum CodingKeys: CodingKey { case access, refresh }

    /// Decodes both tokens.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            access: try container.decode(String.self, forKey: .access),
            refresh: try container.decode(String.self, forKey: .refresh))
    }

    /// Encodes both tokens.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(access, forKey: .access)
        try container.encode(refresh, forKey: .refresh)
    }
}

extension AuthTokens: Hashable {
    /// Compares both tokens.
    public static func == (one: AuthTokens, other: AuthTokens) -> Bool {
        one.access == other.access && one.refresh == other.refresh
    }

    /// Hashes both tokens.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(access)
        hasher.combine(refresh)
    }
}

extension AuthTokens {
    /// Returns the access token, decoded and not verified.
    ///
    /// - Throws: `AuthTokens.Error.invalidToken` if it is not a JWT.
    public func toJWT() throws -> JWT {
        guard let jwt = content.jwt else { throw Error.invalidToken }
        return jwt
    }

    /// Returns the claims of the access token, verified by its issuer's keys, audience, type and times.
    ///
    /// - Throws: `JOSEError`.
    public func claims(verifiedBy verifier: JWTVerifier) throws -> Claims { try verifier.verify(access) }

    /// Whether the access token has expired, by the issuer's clock if the session of the current dependencies knows it.
    ///
    /// A token that is not a JWT, or whose `exp` is not a number, counts as expired. A token without `exp` never
    /// expires. Tokens that a refresh closure has just obtained have not expired, because this device's clock may be
    /// wrong.
    public var isExpired: Bool {
        let isNew = content.isReadable && TokenRefresh.hasObtained(self)
        return !isNew && isExpired(at: AuthDependencies.current.issuerDate)
    }

    /// Whether the access token has expired at a date, or expires within a leeway after it.
    public func isExpired(at date: Date, leeway: Duration = .zero) -> Bool {
        guard content.isReadable else { return true }
        guard let expiry = content.expiry else { return false }
        return expiry <= date.addingTimeInterval(leeway.inSeconds)
    }

    /// Returns the state of a session with these tokens, by the issuer's clock; see ``isExpired``.
    public func toSession() -> AuthSession { isExpired ? .expired(self) : .valid(self) }

    /// Returns the access token, decoded and not verified, unless it has expired; see ``isExpired``.
    ///
    /// - Throws: `AuthTokens.Error.invalidToken` and `.expiredToken`.
    @discardableResult
    public func validateAccessToken() throws -> JWT {
        let jwt = try toJWT()
        guard !isExpired else { throw Error.expiredToken }
        return jwt
    }
}

extension AuthTokens {
    /// A claim that is a string; nil if it is missing or has another type.
    public subscript(string name: String) -> String? { content.claims?.string(name) }
    /// A claim that is a boolean.
    public subscript(boolean name: String) -> Bool? { content.claims?.bool(name) }
    /// A claim that is a whole number.
    public subscript(int name: String) -> Int? { content.claims?.int(name) }
    /// A claim that is a number.
    public subscript(double name: String) -> Double? { content.claims?.double(name) }
    /// A claim that is a date: seconds since 1970 (RFC 7519 §2).
    public subscript(date name: String) -> Date? { content.claims?.date(name) }
    /// A claim that is a list of strings, such as roles.
    public subscript(strings name: String) -> [String]? { content.claims?.strings(name) }
}

extension AuthTokens: Redacting {
    /// The expiry date; the tokens are redacted.
    public var description: String {
        guard content.isReadable else { return "AuthTokens(redacted, not readable)" }
        return "AuthTokens(redacted, expiry: \(content.expiry.map { $0.formatted(.iso8601) } ?? "none"))"
    }
}

extension AuthTokens {
    /// The expiration of the access token; the distant past if it cannot be decoded, so that it is refreshed.
    ///
    /// `iat` is not used as the date of issue, because some issuers repeat the `iat` of the sign-in.
    public var expiry: Date? { content.isReadable ? content.expiry : .distantPast }

    /// Creates tokens from those of a core session; the refresh token is empty if the session has none.
    public init(_ tokens: Tokens) { self.init(access: tokens.access, refresh: tokens.refresh ?? "") }

    /// The corresponding tokens of the core.
    var core: Tokens { Tokens(access: access, refresh: refresh, expiry: expiry) }
}

/// A decoded access token, shared by the copies of its tokens.
private final class TokenContent: Sendable {
    /// Nil if the token cannot be decoded.
    let jwt: JWT?
    let expiry: Date?
    /// Whether the expiry could be read; a token without `exp` counts as read.
    let isReadable: Bool

    init(of access: String) {
        // The decoding error is ignored, because the token is refreshed, or rejected when it is used.
        jwt = try? JWT(unverified: access)
        expiry = jwt?.claims.date("exp")
        isReadable = jwt != nil && (expiry != nil || jwt?.claims["exp"] == nil)
    }

    var claims: Claims? { jwt?.claims }
}

extension AuthTokens {
    /// An error that prevents the use of tokens.
    public enum Error: LocalizedError, Hashable, Sendable, CaseIterable {
        /// The session has no signed-in user.
        case missingToken
        /// The access token is not a JWT, or the issuer does not refresh it: the user must sign in again.
        case invalidToken
        /// The access token has expired.
        case expiredToken

        /// A description for users.
        public var errorDescription: String? {
            switch self {
            case .missingToken: "The token seems to be missing."
            case .invalidToken: "The token is invalid."
            case .expiredToken: "The token is expired."
            }
        }

        /// A title for the description.
        public var title: String { "Session Error" }
    }
}
