// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// A service that tells an authenticated client whether a token is active (RFC 7662).
///
/// A resource server may ask about the access tokens of all clients. Any other client only learns of tokens that were
/// issued to itself. Other tokens look like invalid ones to it, and are not looked up (attack H6).
///
/// A question changes nothing: it rotates no refresh token, and an old one does not count as reused.
package struct IntrospectionService: Sendable {
    private let tokens: TokenService

    package init(tokens: TokenService) { self.tokens = tokens }

    /// Returns the members of the response about an active token (RFC 7662 §2.2); nil for any other text.
    ///
    /// A session counts as live for up to a second after another process has ended it, as in requests that only read.
    ///
    /// - Parameter client: The client that asks; it has authenticated.
    /// - Throws: A store's error.
    package func members(of text: String, for client: OAuthClient) async throws(IdentityError) -> JSONObject? {
        guard let issuer = tokens.accessTokens.issuer else { throw .notReady }
        var members: JSONObject?
        if let token = RefreshToken(text) {
            members = try await membersOfRefreshToken(token, for: client)
        } else if let token = tokens.accessTokens.verify(text), isVisible(token.claims, to: client) {
            members = try await membersOfAccessToken(token, for: client)
        }
        members?["iss"] = .string(issuer)
        return members
    }

    /// Returns the response as a JWT (RFC 9701 §5), which the resource server can keep as evidence, with its algorithm
    /// or that of access tokens.
    package func signed(
        _ members: JSONObject?, to client: OAuthClient, type: String
    ) throws(IdentityError) -> String {
        try tokens.accessTokens.signContent(
            ["token_introspection": .object(members ?? ["active": false])], to: client,
            with: client.introspectionAlgorithm ?? tokens.accessTokens.algorithm, type: type)
    }

    private func isVisible(_ claims: AccessTokenIssuer.VerifiedClaims, to client: OAuthClient) -> Bool {
        if claims.clientID == client.id { return true }
        // A token is visible to the resource server that it is for, and to no other (RFC 7662 §4).
        guard client.isResourceServer else { return false }
        if tokens.resources.isServed(claims.registered.audience, by: client) { return true }
        return claims.recipient == .api && (client.serves.isEmpty || client.introspectsAllTokens)
    }

    // MARK: Access tokens

    private func membersOfAccessToken(
        _ token: VerifiedToken, for client: OAuthClient
    ) async throws(IdentityError) -> JSONObject? {
        let claims = token.claims
        guard claims.deviceID != nil else {
            return try await tokens.actingClient(of: claims).map { owner in
                accessTokenMembers(
                    claims, scopes: tokens.scopePolicy.allowed(claims.scopes, to: nil, by: owner),
                    clientID: owner.id)
            }
        }
        let session: AuthenticatedSession
        do throws(IdentityError) {
            session = try await tokens.session(of: token, isReading: true)
        } catch IdentityError.invalidToken {
            return nil
        }
        var members = accessTokenMembers(claims, scopes: session.scopes, clientID: session.clientID)
        if let expiry = claims.registered.expiresAt {
            // The token ends with its session, and its answer is cached until then.
            members["exp"] = Self.seconds(min(expiry, session.device.expiresAt.timeIntervalSince1970))
        }
        members["username"] = username(of: session.account, session.scopes, for: client)
        return members
    }

    private func accessTokenMembers(
        _ claims: AccessTokenIssuer.VerifiedClaims, scopes: Scopes, clientID: String
    ) -> JSONObject {
        let registered = claims.registered
        var members: JSONObject = [
            "active": true, "sub": .string(claims.subject), "client_id": .string(clientID),
            "token_type": .string(TokenResponse.type(boundTo: claims.binding)),
        ]
        members["act"] = AccessTokenIssuer.actor(claims.actors[...])
        members["authorization_details"] = claims.authorization.json
        if !claims.binding.isEmpty { members["cnf"] = .object(claims.binding.members) }
        if !scopes.isEmpty { members["scope"] = .string(scopes.text) }
        members["aud"] = registered.audience.map { .string($0) }
        members["exp"] = registered.expiresAt.map(Self.seconds)
        members["iat"] = registered.issuedAt.map(Self.seconds)
        members["nbf"] = registered.startsAt.map(Self.seconds)
        members["jti"] = registered.tokenID.map { .string($0) }
        return members
    }

    // MARK: Refresh tokens

    /// Returns the members of the newest refresh token of a live device, for the client that it was issued to.
    ///
    /// It has no `token_type`, which is a property of access tokens (RFC 6749 §5.1), and no audience. So no resource
    /// server takes it for an access token. `token_use` is the name that Ory Hydra and Amazon Cognito have for the kind.
    private func membersOfRefreshToken(
        _ token: RefreshToken, for client: OAuthClient
    ) async throws(IdentityError) -> JSONObject? {
        guard let (family, found) = try await tokens.authenticated(token, needsRow: true), let device = found,
            family.clientID ?? OAuthClient.firstPartyID == client.id, client.grants.contains(.refreshToken),
            token.counter == device.counter, device.revokedAt == nil, tokens.clock.now < device.expiresAt,
            let account = try await tokens.store.account(id: device.accountID), account.status == .active
        else { return nil }
        let scopes = try tokens.scopePolicy.refreshed(nil, of: device, to: account, by: client)
        var members: JSONObject = [
            "active": true, "sub": .string(account.id), "client_id": .string(client.id),
            "token_use": "refresh_token",
            "exp": Self.seconds(device.expiresAt.timeIntervalSince1970),
            "iat": Self.seconds((device.rotatedAt ?? device.createdAt).timeIntervalSince1970),
        ]
        if !scopes.isEmpty { members["scope"] = .string(scopes.text) }
        members["authorization_details"] = device.details.authorization.json
        members["username"] = username(of: account, scopes, for: client)
        return members
    }

    // MARK: Values

    /// Returns the name that relying parties get as `preferred_username`; nil if the client may not know it.
    ///
    /// The operator's own clients get it for tokens without the scope `profile`, too.
    private func username(of account: Account, _ scopes: Scopes, for client: OAuthClient) -> JSONValue? {
        guard client.belongsToOperator || scopes.contains("profile") else { return nil }
        return .string(account.preferredUsername)
    }

    /// Returns a time in whole seconds, never later than it is.
    private static func seconds(_ time: Double) -> JSONValue { .integer(Int64(exactly: time.rounded(.down)) ?? 0) }
}
