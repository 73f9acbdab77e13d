// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchWebAuthn

/// The sign-in methods besides a password that the configuration permits at the current public URL.
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

    /// The domain of the passkeys; nil if the public URL does not permit them.
    package var relyingPartyID: String? { RelyingParty(issuer: accessTokens.issuer, configuration)?.id }

    package var ways: SignInWays { SignInWays(providers: providers, relyingPartyID: relyingPartyID) }

    /// Returns the relying party of the public URL.
    ///
    /// - Throws: `IdentityError.passkeysUnavailable`, or `.notReady` until the URL is known.
    package func relyingParty() throws(IdentityError) -> RelyingParty {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        guard let party = RelyingParty(issuer: issuer, configuration) else { throw .passkeysUnavailable }
        return party
    }
}
