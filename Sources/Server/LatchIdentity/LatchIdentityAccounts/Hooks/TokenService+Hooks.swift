// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchIdentityStorage

extension TokenService {
    /// Returns a resource server with the claims that the hook adds to a token for it.
    ///
    /// - Throws: `IdentityError.hookUnavailable`.
    func adding(
        to target: ResourcePolicy.Target, for account: Account?, by client: OAuthClient, grant: OAuthClient.GrantType
    ) async throws(IdentityError) -> ResourcePolicy.Target {
        guard hooks.changesTokens else { return target }
        var target = target
        target.added = try await hooks.claims(
            for: IdentityHooks.TokenRequest(
                user: account.map { IdentityHooks.User($0) }, clientID: client.id,
                scopes: target.scopes.elements.map(\.rawValue), audience: target.audience, grant: grant.rawValue))
        return target
    }

    /// Returns the claims that the hook adds to the next token of a device.
    ///
    /// The hook is asked before the rotation: a client that got no answer must still have a token to repeat.
    func claims(
        addedOn device: Device?, if expected: Rotation?, by client: OAuthClient, requesting requested: Scopes?,
        on conditions: TokenConditions
    ) async throws(IdentityError) -> JSONObject {
        // A copied token, and one of a session that has ended, gets no answer of the hook.
        guard hooks.changesTokens, let device, device.revokedAt == nil, clock.now < device.expiresAt,
            expected != .reused
        else { return [:] }
        let (account, target) = try activeAccountAndTarget(
            try await store.account(id: device.accountID), on: device, by: client, requesting: requested,
            on: conditions)
        return try await adding(to: target, for: account, by: client, grant: .refreshToken).added
    }
}
