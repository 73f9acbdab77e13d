// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchIdentityStorage

/// The client, the rights and the claims of a session that is about to start.
///
/// A plan can fail, for example because the hook of tokens does not answer. So it is made before a code is used up.
package struct SessionPlan: Sendable {
    let client: OAuthClient
    /// The scopes of the grant, of which the first tokens have those of their resource server.
    let scopes: Scopes
    /// The conditions of the grant, with what its refresh tokens are bound to.
    let details: GrantDetails
    /// The resource server of the first tokens, with the claims of the hook.
    let target: ResourcePolicy.Target
}

extension TokenService {
    /// Plans the session of an account.
    ///
    /// - Parameters:
    ///   - grant: The grant that signs the device in, for the hook.
    ///   - client: The requesting client; nil for the server's own.
    ///   - scopes: The scopes of the grant; nil for the default ones.
    ///   - details: The conditions of the grant.
    ///   - conditions: What the request adds to the conditions of the grant.
    /// - Throws: `IdentityError.hookUnavailable`, `.invalidScope`, and the errors of ``ResourcePolicy/target(_:of:with:for:)``.
    package func plan(
        for account: Account, grant: OAuthClient.GrantType, by client: OAuthClient? = nil,
        scopes: Scopes? = nil, details: GrantDetails = GrantDetails(),
        on conditions: TokenConditions = TokenConditions()
    ) async throws(IdentityError) -> SessionPlan {
        let client = client ?? clients.firstParty
        let scopes = if let scopes { scopes } else { try scopePolicy.granted(nil, to: account, by: client) }
        let target = try await adding(
            to: try resources.target(conditions, of: details, with: scopes, for: client), for: account, by: client,
            grant: grant)
        var details = details
        // RFC 9449 §5, RFC 8705 §4: the refresh tokens of a client that authenticates are bound to that.
        details.binding = client.isConfidential ? TokenBinding() : conditions.binding
        return SessionPlan(client: client, scopes: scopes, details: details, target: target)
    }
}
