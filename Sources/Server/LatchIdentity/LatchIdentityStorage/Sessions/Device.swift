// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation
import LatchJOSE

/// A signed-in device: one family of refresh tokens.
///
/// Only the newest token may be used (RFC 9700 §4.14.2).
///
/// The row contains no token. `counter` is the current generation, and its token's MAC is derived from `secret`. So the
/// same successor can be issued again to a client that lost the first response.
package struct Device: Sendable, Hashable {
    /// The reason why a device was signed out.
    package enum RevocationReason: String, Sendable {
        case logout, reuse, passwordChange, accountDisabled, administrator, secondFactor, addressProof, changeRefused,
            signInRemoved, pepperReplaced, consentWithdrawn
    }

    /// The maximum number of devices of an account, including signed-out ones.
    package static let maximumCount = 100
    /// The maximum number of an account's devices that one OAuth client signed in.
    ///
    /// A client renews sessions without its user (`prompt=none`), and must not sign out the user's other devices by that.
    package static let maximumCountOfClient = 50

    /// 16 random bytes, the `sid` of the device's access tokens.
    package let id: [UInt8]
    package let accountID: String
    /// The client that signed in the device; nil for the server's own.
    ///
    /// Another client cannot use its tokens.
    package var clientID: String?
    /// The granted scopes, space-separated (RFC 6749 §3.3); nil for devices from before the introduction of scopes.
    package var scope: String?
    /// 32 random bytes.
    ///
    /// The MAC of the device's refresh tokens is derived from them and the server's pepper.
    package let secret: [UInt8]
    /// The current generation of the refresh token, which only increases.
    package var counter: UInt32 = 0
    /// The time of the last rotation.
    package var rotatedAt: Date?
    /// The digest of the Idempotency-Key of the last rotation.
    package var rotationKey: [UInt8]?
    package let createdAt: Date
    /// The time of the last refresh.
    ///
    /// Requests with an access token do not update it, or every read would be a write.
    package var lastUsedAt: Date
    /// The absolute expiry, which no use extends.
    package let expiresAt: Date
    /// The time of the sign-out, which is final; nil while the device is signed in.
    package var revokedAt: Date?
    /// The reason of the sign-out, for the operator; clients receive the same error for every reason.
    package var revocationReason: RevocationReason?
    /// The User-Agent of the login, shortened; for display only.
    package let userAgent: String?
    /// The address of the login, for the list of devices.
    ///
    /// A login from its network is exempt from the limit of the whole account.
    package let address: String?
    /// The client's name for the device, shortened; for display only.
    package var name: String?
    /// The time at which a second factor was proved on the device; nil if the account had none then.
    package var factorAt: Date?
    /// The time at which the user last authenticated on the device (RFC 9470 §4), at the login or later.
    ///
    /// It is nil for a login from before its introduction.
    package var authenticatedAt: Date?
    /// The conditions of the grant that has signed in the device.
    package let details: GrantDetails
    /// The first device of the browser's session in which the client signed in; nil for any other sign-in.
    ///
    /// A browser in which the same user signs in again has a new device, of the same session.
    package var browserDevice: [UInt8]?
    /// Whether the client is told when the device is signed out.
    package var notifies: Bool
    /// The cause of the notice that the owner gets if the device is a new one; nil for none.
    ///
    /// The store does not keep it.
    package var notice: MailCause?

    package init(
        id: [UInt8], accountID: String, clientID: String? = nil, scope: String? = nil, secret: [UInt8],
        counter: UInt32 = 0, rotatedAt: Date? = nil, rotationKey: [UInt8]? = nil, createdAt: Date, lastUsedAt: Date,
        expiresAt: Date, revokedAt: Date? = nil, revocationReason: RevocationReason? = nil, userAgent: String?,
        address: String?, name: String? = nil, factorAt: Date? = nil, authenticatedAt: Date? = nil,
        details: GrantDetails = GrantDetails(), browserDevice: [UInt8]? = nil, notifies: Bool = false
    ) {
        self.id = id
        self.accountID = accountID
        self.clientID = clientID
        self.scope = scope
        self.secret = secret
        self.counter = counter
        self.rotatedAt = rotatedAt
        self.rotationKey = rotationKey
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.revocationReason = revocationReason
        self.userAgent = userAgent
        self.address = address
        self.name = name
        self.factorAt = factorAt
        self.authenticatedAt = authenticatedAt
        self.details = details
        self.browserDevice = browserDevice
        self.notifies = notifies
    }
}

extension Device {
    /// The `client_id` of the devices of browsers.
    ///
    /// A client cannot have it, so these devices never receive a token.
    package static let pagesClientID = "latch:pages"

    /// The first device of a browser's session.
    package var browserSession: [UInt8] { browserDevice ?? id }
}

extension Device {
    /// The id that is shown to its owner: the `sid` of the device's access tokens.
    package var publicID: String { Base64URL.encode(id) }

    /// Returns the id for a public id; nil if the text is not a public id.
    package static func id(fromPublicID text: String) -> [UInt8]? {
        guard text.utf8.count == 22, let bytes = try? Base64URL.decode(text) else { return nil }
        return bytes.count == 16 ? bytes : nil
    }
}

extension Device: Redacting {
    package var description: String { "Device(\(id.count) bytes, generation \(counter))" }
}
