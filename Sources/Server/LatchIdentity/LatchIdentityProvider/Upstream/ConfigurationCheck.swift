// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchWebAuthn

extension IdentityConfiguration {
    /// Checks what settings say together, for a server that starts or reloads, and before.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package func check() throws(IdentityError) {
        try checkSignInWays()
        try RelyingParty.check(self)
        try AttributeRules.check(self)
        _ = try OAuthClients(self)
        _ = try certificateAuthorities()
        _ = try UpstreamClients(self, transport: Transport.live, clock: .system, random: .system)
        let policy = ScopePolicy(self)
        if let unknown = defaultScopes.elements.first(where: { !policy.knows([$0]) }) {
            throw .unusableSetting(
                "default_scopes", "no user can have '\(unknown.rawValue)', which the setting 'scopes' lacks")
        }
    }
}
