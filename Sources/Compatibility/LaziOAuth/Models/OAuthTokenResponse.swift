// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchFoundation
import LatchOAuth

/// A token response, in its wire spelling.
///
/// Its description is redacted; the tokens are only accessible by name.
public struct OAuthTokenResponse: Codable, Equatable, Sendable {
    /// The token that authorizes requests; a secret.
    public let access_token: String
    /// The refresh token; nil if the server issued none.
    public let refresh_token: String?
    /// `Bearer`, regardless of the server's spelling.
    public let token_type: String
    /// The lifetime of the access token in seconds, counted from the response; nil if the server did not state it.
    public let expires_in: Int?
    /// The granted scopes, or the requested scopes if the server did not state them.
    public let scope: String
    /// The server's identifier of the user.
    public let user_id: String?
    /// The expiration date of the access token, computed when the response arrived.
    public private(set) var expiryDate: Date?

    /// Creates the wire form of a token response.
    init(_ response: TokenResponse) {
        access_token = response.tokens.access
        refresh_token = response.tokens.refresh
        token_type = response.tokens.tokenType.rawValue
        expires_in = response.lifetime.map { Int($0.components.seconds) }
        scope = response.tokens.scope ?? ""
        user_id = response.userID
        expiryDate = response.tokens.expiry
    }

    private enum CodingKeys: String, CodingKey {
        case access_token, refresh_token, token_type, expires_in, scope, user_id
        /// A coding key of this package; it keeps the date constant when a response is stored and read again.
        case expiryDate = "expiry_date"
    }

    /// Decodes a response from the server, or one that `encode(to:)` encoded.
    public init(from decoder: any Decoder) throws {
        let members = try JSONValue(from: decoder).objectValue ?? [:]
        self.init(try TokenResponseDecoder(clock: .system).decode(members))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        expiryDate = try container.decodeIfPresent(Date.self, forKey: .expiryDate) ?? expiryDate
    }
}

extension OAuthTokenResponse: Redacting {
    /// A description without the tokens.
    public var description: String { "OAuthTokenResponse(scope: \(scope), user_id: \(user_id ?? "none"), redacted)" }
}

extension Tokens {
    /// Creates tokens that expire when the response says.
    public init(_ response: OAuthTokenResponse) {
        self.init(
            access: response.access_token, refresh: response.refresh_token, expiry: response.expiryDate,
            scope: response.scope)
        userID = response.user_id
    }
}

/// The scopes that the server granted, as texts in its order, including those unknown to the app.
///
/// `contains` follows the hierarchy of scopes: `widgets:admin` contains `widgets:write`.
public struct GrantedScopes: Sendable, Hashable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private let scopes: Scopes

    init(_ scopes: Scopes) { self.scopes = scopes }

    /// Creates granted scopes from their texts.
    public init(arrayLiteral elements: String...) {
        scopes = Scopes(elements.compactMap { Scope(rawValue: $0) })
    }

    /// Whether a scope was granted, or is implied by a granted scope: `admin ⊃ delete ⊃ write ⊃ read`.
    public func contains(_ scope: String) -> Bool { Scope(rawValue: scope).map { scopes.allow($0) } ?? false }

    /// Whether a known scope was granted, or is implied by a granted scope.
    public func contains(_ scope: OAuthScope) -> Bool { contains(scope.rawValue) }

    /// Whether this exact scope was granted, without regard to implied scopes.
    public func containsExactly(_ scope: String) -> Bool { Scope(rawValue: scope).map(scopes.contains) ?? false }

    /// The index of the first scope.
    public var startIndex: Int { 0 }

    /// One after the last.
    public var endIndex: Int { scopes.count }

    /// Returns the scope at an index, as the server wrote it.
    public subscript(position: Int) -> String { scopes.elements[position].rawValue }
}
