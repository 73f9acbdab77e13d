// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityStorage

/// The verification of the access tokens of requests.
extension TokenService {
    /// Returns the session of an access token.
    ///
    /// The rows of device and account are read each time. So a logout or a removed role takes effect immediately, and
    /// not when the token expires. A request that only reads may use rows that were read in the last second, unless
    /// this process has written since. Changes by other processes take effect within that time.
    ///
    /// - Parameter isReading: Whether the request changes nothing for the session.
    /// - Throws: `IdentityError.invalidToken`, the same for every cause. Causes are a missing token, one without a session,
    ///   one for another resource server, and one that is bound. Each is 401 (RFC 6750 §3.1).
    package func authenticate(
        accessToken text: String?, isReading: Bool = false
    ) async throws(IdentityError) -> AuthenticatedSession {
        guard let text, let token = accessTokens.verify(text), token.claims.binding.isEmpty,
            token.claims.recipient != .resourceServer
        else { throw .invalidToken }
        return try await session(of: token, isReading: isReading)
    }

    /// Returns the session of a request's access token.
    ///
    /// - Throws: `IdentityError.invalidProof`, `.staleProofNonce`, and the errors of ``authenticate(accessToken:isReading:)``.
    package func authenticate(_ request: HTTPRequest) async throws(IdentityError) -> AuthenticatedSession {
        let token = try await token(of: request)
        guard token.claims.recipient != .resourceServer else { throw .invalidToken }
        return try await session(of: token, isReading: request.method.isSafe)
    }

    /// Returns the session of the access token of a request to a protected application, as a proxy forwards it.
    ///
    /// A token for another audience counts only if it was issued to the application's client: otherwise each other
    /// application could use the tokens that it receives here.
    ///
    /// - Parameters:
    ///   - request: The request with its original method.
    ///   - url: The original URL, which a proof of a key names.
    ///   - audience: The origin of the application.
    /// - Throws: `IdentityError.invalidProof`, and the errors of ``authenticate(accessToken:isReading:)``.
    package func session(
        ofForwarded request: HTTPRequest, to url: String, audience: String, by client: OAuthClient
    ) async throws(IdentityError) -> AuthenticatedSession {
        let token = try await token(of: request, to: url)
        let isForIt = token.claims.registered.audience.flatMap(ResourceServer.key) == ResourceServer.key(audience)
        guard isForIt || token.claims.clientID == client.id else { throw .invalidToken }
        return try await session(of: token, isReading: true)
    }

    /// Returns the session of a device that a client has signed in; nil if it has ended.
    package func session(
        ofDevice id: [UInt8], by client: OAuthClient
    ) async throws(IdentityError) -> AuthenticatedSession? {
        guard let device = try await store.device(id: id), device.clientID == client.id,
            device.revokedAt == nil, clock.now < device.expiresAt,
            let account = try await store.account(id: device.accountID),
            account.status == .active
        else { return nil }
        let scopes = scopePolicy.allowed(Scopes(parsing: device.scope ?? ""), to: account, by: client)
        return AuthenticatedSession(account: account, device: device, client: client, scopes: scopes)
    }

    /// Returns the valid access token of a request, which proves what a bound one requires.
    ///
    /// A proof for a protected application needs no nonce: its proxy passes on no field of an accepted request.
    private func token(of request: HTTPRequest, to url: String? = nil) async throws(IdentityError) -> VerifiedToken {
        guard let presented = request.fields.accessToken else { throw .invalidToken }
        guard let token = accessTokens.verify(presented.text) else { throw presented.refusal }
        let proof = try proofs.require(token.claims.binding, of: presented, in: request, to: url)
        if let proof, url == nil, let id = token.claims.clientID, let client = try await clients.client(id) {
            try proofs.requireNonce(in: proof, of: client)
        }
        return token
    }

    /// Returns the session of an optional access token; nil without one, or if it belongs to another client than the
    /// server's own.
    ///
    /// - Throws: A store's error.
    package func optionalSession(accessToken text: String?) async throws(IdentityError) -> AuthenticatedSession? {
        do throws(IdentityError) {
            let session = try await authenticate(accessToken: text)
            return session.isFirstParty ? session : nil
        } catch IdentityError.invalidToken {
            return nil
        }
    }

    /// Returns the principal of a request's access token, with or without a session.
    ///
    /// - Throws: The errors of ``authenticate(accessToken:isReading:)``.
    package func principal(of request: HTTPRequest) async throws(IdentityError) -> AuthenticatedPrincipal {
        let token = try await token(of: request)
        let claims = token.claims
        guard claims.deviceID == nil else {
            let session = try await session(of: token, isReading: request.method.isSafe)
            return AuthenticatedPrincipal(
                scopes: session.scopes, clientID: session.clientID, accountID: session.accountID,
                recipient: claims.recipient,
                // What the client has asked for by name is not for the resource server that it calls.
                claims: claims.recipient == .resourceServer || !claims.actors.isEmpty
                    ? [] : session.device.details.claims.userInfo)
        }
        guard let client = try await actingClient(of: claims) else { throw .invalidToken }
        return AuthenticatedPrincipal(
            scopes: scopePolicy.allowed(claims.scopes, to: nil, by: client), clientID: client.id,
            accountID: nil, recipient: claims.recipient, claims: [])
    }

    /// Returns the client that a valid token without a session was issued to, if it may still act for itself.
    func actingClient(
        of claims: AccessTokenIssuer.VerifiedClaims
    ) async throws(IdentityError) -> OAuthClient? {
        guard claims.deviceID == nil, claims.subject == claims.clientID,
            let client = try await clients.client(claims.subject), client.actsForItself, client.owns(tokenOf: claims)
        else { return nil }
        return client
    }

    /// Returns the client that got a token by an exchange, if it may still exchange tokens.
    ///
    /// Its token is not one of the client that the user has signed in to, which may be the server's own.
    private func exchangingClient(
        of claims: AccessTokenIssuer.VerifiedClaims
    ) async throws(IdentityError) -> OAuthClient? {
        guard let id = claims.actors.first, let client = try await clients.client(id),
            client.grants.contains(.tokenExchange), client.owns(tokenOf: claims)
        else { return nil }
        return client
    }

    /// Returns the session of a verified token, with the errors of ``authenticate(accessToken:isReading:)``.
    func session(
        of token: VerifiedToken, isReading: Bool
    ) async throws(IdentityError) -> AuthenticatedSession {
        // Read before the rows, since a write that commits meanwhile may change them.
        let state = SessionState(version: store.version, uptime: clock.uptime)
        if isReading, let session = token.session(at: state) {
            guard clock.now < session.device.expiresAt else { throw .invalidToken }
            return session
        }
        let claims = token.claims
        guard let id = claims.deviceID, let device = try await store.device(id: id),
            device.revokedAt == nil, device.accountID == claims.subject, clock.now < device.expiresAt,
            let owner = try await clients.client(device.clientID), owner.owns(sessionOf: device.createdAt),
            let client = claims.actors.isEmpty ? owner : try await exchangingClient(of: claims),
            let account = try await store.account(id: claims.subject), account.status == .active
        else { throw .invalidToken }
        let session = AuthenticatedSession(
            account: account, device: device, client: client,
            scopes: scopePolicy.allowed(claims.scopes, to: account, by: client))
        accessTokens.keep(session, with: token, at: state)
        return session
    }
}
