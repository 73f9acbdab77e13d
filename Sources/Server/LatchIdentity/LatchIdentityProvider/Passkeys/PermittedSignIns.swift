// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchWebAuthn

/// The ways to sign in that the configuration permits at the current public URL.
package final class PermittedSignIns: Sendable {
    private let configuration: IdentityConfiguration
    /// The names of the configured identity providers.
    private let providers: [String]
    private let accessTokens: AccessTokenIssuer

    package init(_ configuration: IdentityConfiguration, upstreams: UpstreamClients, accessTokens: AccessTokenIssuer) {
        self.configuration = configuration
        providers = upstreams.all.map(\.provider.name)
        self.accessTokens = accessTokens
    }

    /// The domain of the passkeys, also if they are turned off; nil if the public URL does not permit them.
    package var passkeyDomain: String? { RelyingParty(issuer: accessTokens.issuer, configuration)?.id }

    /// The domain of the passkeys; nil if the public URL does not permit them, or the operator does not.
    package var relyingPartyID: String? { permits(.passkey) ? passkeyDomain : nil }

    /// The domain of the passkeys that a client takes.
    func relyingPartyID(for client: OAuthClient) -> String? { client.accepts(.passkey) ? relyingPartyID : nil }

    package var ways: SignInWays {
        SignInWays(
            providers: providers, relyingPartyID: relyingPartyID, hasPasswords: permits(.password),
            hasCodes: permits(.code))
    }

    /// Returns whether the operator permits a way to sign in.
    package func permits(_ way: SignInWay) -> Bool { configuration.permits(way) }

    /// The ways in which users can sign in now.
    package var usable: Set<SignInWay> {
        configuration.permittedWays.filter { way in
            switch way {
            case .password, .code: true
            case .passkey: passkeyDomain != nil
            case .provider: !providers.isEmpty
            }
        }
    }

    /// Returns the relying party of the public URL.
    ///
    /// - Throws: `IdentityError.signInWayOff`, `.passkeysUnavailable`, or `.notReady` until the URL is known.
    package func relyingParty() throws(IdentityError) -> RelyingParty {
        try SignInWayRule(configuration).require(.passkey)
        guard let issuer = accessTokens.issuer else { throw .notReady }
        guard let party = RelyingParty(issuer: issuer, configuration) else { throw .passkeysUnavailable }
        return party
    }
}
