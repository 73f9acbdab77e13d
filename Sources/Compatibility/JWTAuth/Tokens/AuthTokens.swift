// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchCore
public import LatchHTTP
public import LatchJOSE

/// A decoded token of the core.
public typealias JWT = LatchJOSE.JWT

/// An access token and what renews it.
///
/// The access token is decoded once, when the value is made; copies share what was read. It is not verified: that is
/// for
/// who decides about access by it. Description, reflection and dump show none of the two texts.
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

    /// Tokens as they were written.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            access: try container.decode(String.self, forKey: .access),
            refresh: try container.decode(String.self, forKey: .refresh))
    }

    /// Writes both texts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(access, forKey: .access)
        try container.encode(refresh, forKey: .refresh)
    }
}

extension AuthTokens: Hashable {
    /// Whether both texts are the same.
    public static func == (one: AuthTokens, other: AuthTokens) -> Bool {
        one.access == other.access && one.refresh == other.refresh
    }

    /// Hashes both texts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(access)
        hasher.combine(refresh)
    }
}

extension AuthTokens {
    /// The access token, decoded and not verified.
    ///
    /// - Throws: `AuthTokens.Error.invalidToken` where it is no JWT.
    public func toJWT() throws -> JWT {
        guard let jwt = content.jwt else { throw Error.invalidToken }
        return jwt
    }

    /// The claims of the access token, verified by its issuer's keys, audience, type and times.
    ///
    /// - Throws: `JOSEError`.
    public func claims(verifiedBy verifier: JWTVerifier) throws -> Claims { try verifier.verify(access) }

    /// Whether the time of the access token is over, by the clock of the present dependencies.
    ///
    /// So it is where the token is no JWT or its `exp` is no number. A token without `exp` never is: its server says
    /// when
    /// it has had enough. The session knows better when this device's clock is wrong: see `AuthSession`.
    public var isExpired: Bool { isExpired(at: DependencyValues.current.wallClock.now) }

    /// Whether the time of the access token is over at a moment, or will be within a leeway.
    public func isExpired(at date: Date, leeway: Duration = .zero) -> Bool {
        guard content.isReadable else { return true }
        guard let expiry = content.expiry else { return false }
        return expiry <= date.addingTimeInterval(leeway.inSeconds)
    }

    /// The state of a session that holds these tokens, by the clock of the present dependencies.
    public func toSession() -> AuthSession { isExpired ? .expired(self) : .valid(self) }

    /// The access token, decoded and not verified, where its time is not over.
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
    /// A claim that is a string; nil where it is missing or something else.
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
    /// That there are tokens, and until when.
    public var description: String {
        guard content.isReadable else { return "AuthTokens(redacted, not readable)" }
        return "AuthTokens(redacted, expiry: \(content.expiry.map { $0.formatted(.iso8601) } ?? "none"))"
    }
}

extension AuthTokens: SessionCredential {
    /// The expiration of the access token; the distant past where it cannot be decoded, so that it is refreshed.
    ///
    /// `iat` is not taken for the date of issue: some issuers repeat the one of the sign-in.
    public var expiry: Date? { content.isReadable ? content.expiry : .distantPast }

    /// The same in the core's words, with the end that the access token names.
    var asTokens: Tokens { Tokens(access: access, refresh: refresh, expiry: content.expiry) }

    /// Whether both carry the same access token.
    public func hasSameAccessToken(as other: AuthTokens) -> Bool { access == other.access }

    /// Sets the `Authorization` field (RFC 6750 §2.1).
    ///
    /// - Throws: `AuthTokens.Error.invalidToken` where the access token is no JWT.
    public func authorize(_ request: inout HTTPRequest) throws {
        guard content.isReadable else { throw Error.invalidToken }
        request.fields[.authorization] = "Bearer \(access)"
    }
}

/// A decoded access token, shared by the copies of its tokens.
private final class TokenContent: Sendable {
    /// Nil where the token cannot be decoded.
    let jwt: JWT?
    let expiry: Date?
    /// Whether the expiry could be read; a token without `exp` counts as read.
    let isReadable: Bool

    init(of access: String) {
        // The decoding error is ignored: the token is refreshed, or rejected when it is used.
        jwt = try? JWT(unverified: access)
        expiry = jwt?.claims.date("exp")
        isReadable = jwt != nil && (expiry != nil || jwt?.claims["exp"] == nil)
    }

    var claims: Claims? { jwt?.claims }
}

extension AuthTokens {
    /// An error that keeps tokens from being used.
    public enum Error: LocalizedError, Hashable, Sendable, CaseIterable {
        /// No user is signed in.
        case missingToken
        /// The access token is no JWT, or the issuer does not refresh it: the user has to sign in again.
        case invalidToken
        /// The time of the access token is over.
        case expiredToken

        /// A description for users.
        public var errorDescription: String? {
            switch self {
            case .missingToken: "The token seems to be missing."
            case .invalidToken: "The token is invalid."
            case .expiredToken: "The token is expired."
            }
        }

        /// A title to show above the description.
        public var title: String { "Session Error" }
    }
}
