// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchIdentityStorage

/// The rules for the resources that a client names (RFC 8707 §2).
package struct ResourcePolicy: Sendable {
    /// The `aud` of access tokens; nil for the issuer.
    package let audience: String?
    package let accessTokens: AccessTokenIssuer
    package let scopePolicy: ScopePolicy

    package init(audience: String?, accessTokens: AccessTokenIssuer, scopePolicy: ScopePolicy) {
        self.audience = audience
        self.accessTokens = accessTokens
        self.scopePolicy = scopePolicy
    }

    /// Requires that the named resources equal the audience, since the server's tokens are only for that audience.
    ///
    /// - Throws: `IdentityError.invalidTarget`, `.notReady`.
    package func requireTargets(_ resources: [String]) throws(IdentityError) {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let audience = audience ?? issuer
        guard resources.allSatisfy({ $0.utf8.elementsEqual(audience.utf8) }) else { throw .invalidTarget }
    }

    /// Requires that a third-party client requests a scope of the operator's API, or no scope, if it names that API.
    ///
    /// Otherwise the token would only be for claims about the user, and the API would refuse it.
    ///
    /// - Throws: `IdentityError.scopelessTarget`.
    package func requireScope(
        of resources: [String], in requested: Scopes?, for client: OAuthClient
    ) throws(IdentityError) {
        guard let audience, audience != accessTokens.issuer, !client.belongsToOperator, resources.contains(audience),
            !scopePolicy.needsResource(requested)
        else { return }
        throw .scopelessTarget
    }
}
