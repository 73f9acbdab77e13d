// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The issuers, audiences and clients whose access tokens an API accepts.
///
/// ```swift
/// let verifier = JWTVerifier(
///     keys: keys, algorithms: [.rs256],
///     accepting: AccessTokenRules(issuers: ["https://id.example"], audiences: ["https://api.example", "notes"]))
/// ```
///
/// Tokens of other kinds are refused, because an ID token of the same issuer can have the same audience. Access tokens
/// have the type `at+jwt` (RFC 9068 §2.1), or claims that other kinds lack, such as scopes or a client.
public struct AccessTokenRules: Sendable, Hashable {
    /// The accepted values of `iss`, compared byte by byte.
    public var issuers: [String]
    /// The audiences, one of which `aud` must contain.
    ///
    /// If the list is empty, a token must have no `aud`, and `clients` decide.
    public var audiences: [String]
    /// The accepted clients.
    ///
    /// They are in `client_id` (RFC 9068 §2.2), or else in `azp` (Auth0, Keycloak, Microsoft Entra), `cid` (Okta) or
    /// `appid` (version 1 at Microsoft Entra).
    ///
    /// An empty list accepts any client for an accepted audience, and none without audiences.
    public var clients: [String]

    /// Creates rules.
    public init(issuers: [String], audiences: [String], clients: [String] = []) {
        (self.issuers, self.audiences, self.clients) = (issuers, audiences, clients)
    }

    /// The rules for the Microsoft Entra tokens of one API, in both token versions.
    ///
    /// A newly registered API gets tokens of version 1, which have a different issuer and audience. The keys of both
    /// versions are at `https://login.microsoftonline.com/common/discovery/v2.0/keys`. They sign for all tenants, so
    /// only `tenants` are accepted.
    ///
    /// - Parameters:
    ///   - tenants: The IDs of the accepted tenants; a domain is not an ID.
    ///   - audiences: The application ID of the API, which version 2 states, and its Application ID URI, which version
    ///     1 states.
    public static func microsoft(tenants: [String], audiences: [String]) -> AccessTokenRules {
        let issuers = tenants.flatMap {
            ["https://login.microsoftonline.com/\($0)/v2.0", "https://sts.windows.net/\($0)/"]
        }
        return AccessTokenRules(issuers: issuers, audiences: audiences)
    }

    /// The rules for the tokens of an Amazon Cognito user pool, which name their client instead of an audience.
    ///
    /// - Parameters:
    ///   - region: The region, such as `eu-central-1`.
    ///   - userPool: The identifier of the user pool.
    ///   - clients: The app clients of the API.
    public static func cognito(region: String, userPool: String, clients: [String]) -> AccessTokenRules {
        AccessTokenRules(
            issuers: ["https://cognito-idp.\(region).amazonaws.com/\(userPool)"], audiences: [], clients: clients)
    }

    /// Refuses a token that these rules do not accept.
    func check(_ token: JWT) throws(JOSEError) {
        let claims = token.claims
        guard !claims.areOfAnotherToken, token.header.isOfType("at+jwt") || claims.areOfAccessToken else {
            throw .wrongType
        }
        guard Self.contains(issuers, claims.issuer) else { throw .wrongIssuer }
        if audiences.isEmpty {
            guard claims["aud"].map(\.isNull) ?? true, !clients.isEmpty else { throw .wrongAudience }
        } else {
            guard claims.audience.contains(where: { Self.contains(audiences, $0) }) else { throw .wrongAudience }
        }
        let client = ["client_id", "azp", "cid", "appid"].lazy.compactMap(claims.string).first
        guard clients.isEmpty || Self.contains(clients, client) else { throw .wrongAudience }
    }

    private static func contains(_ texts: [String], _ text: String?) -> Bool {
        guard let text else { return false }
        return texts.contains { $0.utf8.elementsEqual(text.utf8) }
    }
}
