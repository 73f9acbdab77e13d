// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchFoundation

/// An authorization code (RFC 6749 §4.1.2), stored by the digest of its text.
package struct AuthorizationCode: Sendable, Hashable {
    /// The time within which a code must be exchanged.
    package static let lifetime: TimeInterval = 60
    /// The time for which a used code is remembered, so that a second use ends the tokens of the first use.
    package static let memory: TimeInterval = 86_400

    /// The SHA-256 digest of the text.
    package let digest: [UInt8]
    package let clientID: String
    package let accountID: String
    /// The version of the account's credentials when the code was issued.
    package let credentialVersion: Int
    /// The device of the browser in which the user was signed in.
    ///
    /// Once it is signed out, the code is not valid.
    package let browserDevice: [UInt8]
    /// The redirect URI of the request.
    package let redirect: String
    /// The code challenge of the request; nil if it had none.
    package let codeChallenge: String?
    package let nonce: String?
    /// The granted scopes, space-separated.
    package let scope: String
    package let authenticatedAt: Date
    package let factorAt: Date?
    package let details: GrantDetails
    package let validUntil: Date
    /// The time of its use, or of the first refused attempt; nil if there was none.
    package var usedAt: Date?
    /// The first device of the browser's session, read from the row of the browser's device.
    package var browserSession: [UInt8]?

    package init(
        digest: [UInt8], clientID: String, accountID: String, credentialVersion: Int, browserDevice: [UInt8],
        redirect: String, codeChallenge: String?, nonce: String?, scope: String, authenticatedAt: Date, factorAt: Date?,
        details: GrantDetails = GrantDetails(), validUntil: Date, usedAt: Date? = nil
    ) {
        self.digest = digest
        self.clientID = clientID
        self.accountID = accountID
        self.credentialVersion = credentialVersion
        self.browserDevice = browserDevice
        self.redirect = redirect
        self.codeChallenge = codeChallenge
        self.nonce = nonce
        self.scope = scope
        self.authenticatedAt = authenticatedAt
        self.factorAt = factorAt
        self.details = details
        self.validUntil = validUntil
        self.usedAt = usedAt
    }

    /// What the user has agreed to, by the scopes whose texts the page has shown.
    package var consentedScopes: Scopes { details.claims.adding(to: Scopes(parsing: scope)) }

    /// The time at which the code was issued.
    package var issuedAt: Date { validUntil.addingTimeInterval(-Self.lifetime) }
}

extension AuthorizationCode: Redacting {
    package var description: String { "AuthorizationCode(\(clientID))" }
}

/// The result of an exchange in the store.
package enum CodeRedemption: Sendable, Hashable {
    case redeemed
    /// The code was used before.
    ///
    /// The device of the first use was still signed in, and is now signed out.
    case replayed
    /// The code, the account, or the session of the browser has ended.
    case ended
}

/// A device whose user signs in elsewhere (RFC 8628 §3.2), stored by the digests of its codes.
package struct DeviceAuthorizationRecord: Sendable, Hashable {
    /// The digest of the device code.
    package let digest: [UInt8]
    /// The keyed digest of the user code.
    package let userDigest: [UInt8]
    package let clientID: String
    /// The requested scopes; nil if the request names none.
    package let scope: String?
    /// The address that the request came from.
    package let address: String
    package let userAgent: String?
    package let createdAt: Date
    package let expiresAt: Date
    /// The seconds between two polls.
    package let interval: Int
    package let details: GrantDetails

    package init(
        digest: [UInt8], userDigest: [UInt8], clientID: String, scope: String?, address: String, userAgent: String?,
        createdAt: Date, expiresAt: Date, interval: Int, details: GrantDetails = GrantDetails()
    ) {
        self.digest = digest
        self.userDigest = userDigest
        self.clientID = clientID
        self.scope = scope
        self.address = address
        self.userAgent = userAgent
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.interval = interval
        self.details = details
    }
}

/// The decision of a user about a device.
package struct DeviceApproval: Sendable, Hashable {
    package let accountID: String
    package let credentialVersion: Int
    /// The device of the browser in which the user has decided.
    package let browserDevice: [UInt8]
    /// The granted scopes, space-separated.
    package let scope: String
    package let authenticatedAt: Date
    package let factorAt: Date?
    package let details: GrantDetails

    package init(
        accountID: String, credentialVersion: Int, browserDevice: [UInt8], scope: String, authenticatedAt: Date,
        factorAt: Date?, details: GrantDetails = GrantDetails()
    ) {
        self.accountID = accountID
        self.credentialVersion = credentialVersion
        self.browserDevice = browserDevice
        self.scope = scope
        self.authenticatedAt = authenticatedAt
        self.factorAt = factorAt
        self.details = details
    }
}

/// The result of a poll (RFC 8628 §3.5).
package enum DevicePoll: Sendable, Hashable {
    case pending, slowDown, denied, expired, unknown
    case approved(DeviceApproval)
}
