// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchIdentityStorage
import LatchWebAuthn

extension IdentityConfiguration {
    /// The ways to sign in that the server permits.
    package var permittedWays: Set<SignInWay> {
        signInWays ?? (signInCodes ? Set(SignInWay.allCases) : [.password, .passkey, .provider])
    }

    /// Returns whether the server permits a way to sign in.
    package func permits(_ way: SignInWay) -> Bool { permittedWays.contains(way) }

    /// The configuration of a running server: without providers if users cannot sign in through them.
    package var inForce: IdentityConfiguration {
        guard !permits(.provider) else { return self }
        var configuration = self
        (configuration.upstreams, configuration.upstreamSecrets) = ([], [:])
        return configuration
    }

    /// Checks that users can sign in, and that the two settings of codes agree.
    ///
    /// - Throws: `IdentityError.unusableSetting`.
    package func checkSignInWays() throws(IdentityError) {
        guard !signInCodes || permits(.code) else {
            throw .unusableSetting(
                "sign_in_ways", "it leaves out 'code', and 'sign_in_codes' is true: add 'code', or remove sign_in_codes"
            )
        }
        // Without an issuer, the address on which the server listens decides about passkeys.
        let hasPasskeys = permits(.passkey) && (issuer == nil || RelyingParty(issuer: issuer, self) != nil)
        let hasProviders = permits(.provider) && !upstreams.isEmpty
        guard permits(.password) || permits(.code) || hasPasskeys || hasProviders else {
            throw .unusableSetting(
                "sign_in_ways",
                "no user could sign in: add 'password' or 'code', or what the others need (upstreams for 'provider', an issuer with https and a domain for 'passkey')"
            )
        }
    }
}

/// The decision about ways to sign in, for every entrance of the server.
package struct SignInWayRule: Sendable {
    package let permitted: Set<SignInWay>

    package init(permitted: Set<SignInWay>) { self.permitted = permitted }

    package init(_ configuration: IdentityConfiguration) { self.init(permitted: configuration.permittedWays) }

    /// Returns whether users can sign in this way.
    package func permits(_ way: SignInWay) -> Bool { permitted.contains(way) }

    /// Requires that users can sign in this way.
    ///
    /// - Throws: `IdentityError.signInWayOff`.
    package func require(_ way: SignInWay) throws(IdentityError) {
        guard permits(way) else { throw .signInWayOff }
    }
}
