// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// A user as known to an identity provider.
///
/// Only issuer and subject identify the user (OpenID Connect Core §5.7). An address can belong to another user
/// tomorrow, and some providers let their users claim any address (attack I2).
package struct UpstreamIdentity: Sendable, Hashable {
    /// The issuer of the user's own tenant.
    package let issuer: String
    /// The identifier of the user at the issuer, which is never reassigned.
    package let subject: String
    /// The name of the provider in the configuration.
    package let provider: String
    /// The address; nil if the provider reports none.
    package var email: EmailAddress?

    /// Creates an identity.
    package init(issuer: String, subject: String, provider: String, email: EmailAddress? = nil) {
        (self.issuer, self.subject, self.provider, self.email) = (issuer, subject, provider, email)
    }
}

extension UpstreamIdentity: Redacting {
    package var description: String { "UpstreamIdentity(\(provider))" }
}
