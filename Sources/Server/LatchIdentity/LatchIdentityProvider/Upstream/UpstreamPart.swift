// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchOAuth

/// A part of a sign-in through an identity provider, as the log names it.
package enum UpstreamPart: String, Sendable {
    /// The provider's metadata.
    case discovery
    /// The provider's public keys.
    case keys
    /// The request for the provider's page, or the response that the browser has returned.
    case authorization
    /// The exchange of the code.
    case token
    /// The verification of the ID token.
    case idToken = "id_token"
    /// The provider's interface for the user's name and address.
    case userInfo = "userinfo"

    /// Returns the part that an error names, or else this one.
    ///
    /// One call fetches keys, redeems the code and verifies the token.
    package func named(by error: any Error) -> UpstreamPart {
        switch error {
        case AuthError.keysUnavailable: .keys
        case OAuthError.discoveryFailed: .discovery
        case OAuthError.invalidIDToken, OAuthError.insufficientAuthentication: .idToken
        case OAuthError.issuerMismatch where self == .token: .idToken
        case let error as OAuthError where self == .token && error.status == nil && error.issuerCode != nil:
            .authorization
        default: self
        }
    }
}
