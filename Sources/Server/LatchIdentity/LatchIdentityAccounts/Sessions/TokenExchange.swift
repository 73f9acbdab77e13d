// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
import LatchFoundation
package import LatchIdentityStorage

extension TokenService {
    /// The greatest number of clients that act for a user one after another.
    private static let longestChain = 4

    /// Returns an access token for an access token of a user (RFC 8693): for another resource server, or with fewer
    /// scopes.
    ///
    /// A client may exchange the tokens that were issued to it, and those for a resource server that it is. The new token
    /// has no more scopes, ends no later, and ends with the same session. It names the client as the one that acts.
    ///
    /// - Parameters:
    ///   - text: The subject token.
    ///   - requested: The requested scopes; nil for those of the subject token.
    ///   - conditions: The resource server and the key of the new token.
    /// - Throws: `IdentityError.invalidInput` for a subject token that the client may not exchange (§2.2.2),
    ///   `.unauthorizedClient` for a public client, `.invalidScope`, `.invalidTarget`, or a store's error.
    package func exchange(
        _ text: String, by client: OAuthClient, requesting requested: Scopes?, on conditions: TokenConditions
    ) async throws(IdentityError) -> TokenResponse {
        guard client.isConfidential else { throw .unauthorizedClient }
        guard let token = accessTokens.verify(text) else { throw .refusedSubject }
        let claims = token.claims
        let isServed = resources.isServed(claims.registered.audience, by: client)
        guard isServed || claims.clientID == client.id, claims.recipient != .userInfo,
            let audience = claims.registered.audience,
            // A bound token gives only another bound one.
            claims.binding.isEmpty
                || (isServed ? !conditions.binding.isEmpty : claims.binding.isSatisfied(by: conditions.binding)),
            claims.actors.count < Self.longestChain
        else { throw .refusedSubject }
        let session: AuthenticatedSession
        do throws(IdentityError) {
            session = try await self.session(of: token, isReading: false)
        } catch {
            throw error == .invalidToken ? .refusedSubject : error
        }
        guard client.accepts(factorAt: session.device.factorAt) else { throw .unmetAuthentication }
        // A longer session is for the client that the user has signed in to.
        let available = session.scopes.filter { $0 != "offline_access" }
        guard available.allow(all: requested ?? []) else { throw .invalidScope }
        let scopes = scopePolicy.allowed(requested ?? available, to: session.account, by: client)
        // Without a name, the new token is for the same resource server.
        let named = TokenConditions(
            resources: conditions.resources.isEmpty ? [audience] : conditions.resources, binding: conditions.binding,
            authorization: conditions.authorization)
        guard
            resources.permitsExchange(
                to: named.resources, of: session.device.details.resources, isServed: isServed, by: client)
        else { throw .invalidTarget }
        var target = try resources.target(named, of: nil, with: scopes, for: client)
        // A token without a scope of its resource server would only prove who the user is. A resource server without
        // scopes needs none.
        guard
            !resources.hasScopes(target)
                || target.scopes.elements.contains(where: { !scopePolicy.aboutUser.contains($0) })
        else { throw .invalidScope }
        target = try await adding(to: target, for: session.account, by: client, grant: .tokenExchange)
        let end = claims.registered.expiresAt ?? clock.now.timeIntervalSince1970
        let access = try accessTokens.issue(
            to: client.id, client, target, for: session.account, on: session.device,
            actors: [client.id] + claims.actors, until: end)
        metrics.count(.tokensIssued, OAuthClient.GrantType.tokenExchange.rawValue)
        let life = min(accessTokens.lifetime(for: client).inSeconds, end - clock.now.timeIntervalSince1970)
        var response = TokenResponse(
            accessToken: access, expiresIn: max(Int64(life.rounded(.down)), 0),
            tokenType: TokenResponse.type(boundTo: target.binding),
            scope: target.scopes.isEmpty ? nil : target.scopes.text)
        response.issuedTokenType = TokenResponse.accessTokenType
        return response
    }
}
