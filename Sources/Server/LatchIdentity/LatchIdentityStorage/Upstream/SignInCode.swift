// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation

/// A link of an account to an identity at a provider.
package struct UpstreamLink: Sendable, Hashable {
    package let identity: UpstreamIdentity
    package let linkedAt: Date

    package init(identity: UpstreamIdentity, linkedAt: Date) {
        self.identity = identity
        self.linkedAt = linkedAt
    }
}

/// A code that an app exchanges for the result of a sign-in through a provider, stored by the digest of its text.
package struct SignInCode: Sendable, Hashable {
    /// The purpose that the sign-in was begun for.
    package enum Purpose: String, Sendable {
        /// Tokens of the account.
        case signIn
        /// A link to the account of the app's session.
        case link
        /// A recent authentication of the app's session.
        case reauthentication
    }

    /// The time within which the app must exchange the code.
    ///
    /// RFC 6749 §4.1.2 recommends ten minutes at most.
    package static let lifetime: TimeInterval = 60

    package let digest: [UInt8]
    package let purpose: Purpose
    package let identity: UpstreamIdentity
    /// The account that is signed in; nil for a link and for an existing session.
    package var accountID: String?
    /// The version of the account's credentials that the sign-in was verified with.
    package var credentialVersion = 0
    /// The app's challenge (RFC 7636 §4.2).
    package let codeChallenge: String
    /// The time at which the second factor was proved; nil if the account has none.
    package var factorAt: Date?
    /// The time at which the user authenticated.
    package let authenticatedAt: Date
    package let expiresAt: Date
    /// Whether the provider has verified the address of the identity, and knows its owner.
    package let isEmailVerified: Bool

    package init(
        digest: [UInt8], purpose: Purpose, identity: UpstreamIdentity, accountID: String? = nil,
        credentialVersion: Int = 0, codeChallenge: String, factorAt: Date? = nil, authenticatedAt: Date,
        expiresAt: Date,
        isEmailVerified: Bool = false
    ) {
        self.digest = digest
        self.purpose = purpose
        self.identity = identity
        self.accountID = accountID
        self.credentialVersion = credentialVersion
        self.codeChallenge = codeChallenge
        self.factorAt = factorAt
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
        self.isEmailVerified = isEmailVerified
    }
}

extension SignInCode: Redacting {}
