// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchAuth
import LatchCore
import LatchOAuth

/// What the server answers to a login, in the spelling of the wire.
///
/// Its description is redacted; the tokens are reached only by name.
public struct OAuthTokenResponse: Codable, Equatable, Sendable {
    /// The access token.
    public let access_token: String
    /// The refresh token; nil where the server gave none.
    public let refresh_token: String?
    /// `Bearer`, however the server spells it.
    public let token_type: String
    /// For how many seconds the access token was accepted when it came; nil where the server did not say.
    public let expires_in: Int?
    /// What was granted: what was asked for, where the server did not say.
    public let scope: String
    /// The server's identifier of the person.
    public let user_id: String?
    /// Until when the access token is accepted, fixed when it came.
    public let expiryDate: Date?

    /// The core's answer in the spelling of the wire.
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
        /// Not the server's: it keeps the date from drifting when a response is stored and read again.
        case expiryDate = "expiry_date"
    }

    /// Reads an answer of the server, by the reader of the core, or what `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        let members = try JSONValue(from: decoder).objectValue ?? [:]
        self.init(try TokenReader(clock: .system).read(members))
        guard let date = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Date.self, forKey: .expiryDate)
        else { return }
        self = OAuthTokenResponse(self, expiryDate: date)
    }

    private init(_ other: OAuthTokenResponse, expiryDate: Date) {
        access_token = other.access_token
        refresh_token = other.refresh_token
        token_type = other.token_type
        expires_in = other.expires_in
        scope = other.scope
        user_id = other.user_id
        self.expiryDate = expiryDate
    }
}

extension OAuthTokenResponse: Redacting {
    /// What is there, without the texts.
    public var description: String { "OAuthTokenResponse(scope: \(scope), user_id: \(user_id ?? "none"), redacted)" }
}

extension Tokens {
    /// The tokens of an answer, as a session takes them.
    public init(_ response: OAuthTokenResponse) {
        self.init(
            access: response.access_token, refresh: response.refresh_token, expiry: response.expiryDate,
            scope: response.scope)
        userID = response.user_id
    }
}
