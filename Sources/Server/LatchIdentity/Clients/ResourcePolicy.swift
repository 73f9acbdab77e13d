// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// The rules for the resources that a client names (RFC 8707 §2).
struct ResourcePolicy: Sendable {
    /// The `aud` of access tokens; nil for the issuer.
    let audience: String?
    let accessTokens: AccessTokenIssuer
    let scopePolicy: ScopePolicy

    /// Requires that the named resources equal the audience, since the server's tokens are only for that audience.
    ///
    /// - Throws: `IdentityError.invalidTarget`, `.notReady`.
    func requireTargets(_ resources: [String]) throws(IdentityError) {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let audience = audience ?? issuer
        guard resources.allSatisfy({ $0.utf8.elementsEqual(audience.utf8) }) else { throw .invalidTarget }
    }

    /// Requires that a third-party client requests a scope of the operator's API, or no scope, if it names that API.
    ///
    /// Otherwise the token would only be for claims about the user, and the API would refuse it.
    ///
    /// - Throws: `IdentityError.scopelessTarget`.
    func requireScope(
        of resources: [String], in requested: Scopes?, for client: OAuthClient
    ) throws(IdentityError) {
        guard let audience, audience != accessTokens.issuer, !client.belongsToOperator, resources.contains(audience),
            !scopePolicy.needsResource(requested)
        else { return }
        throw .scopelessTarget
    }
}
