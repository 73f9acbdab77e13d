// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// An authorization code (RFC 6749 §4.1.2), stored by the digest of its text.
package struct AuthorizationCode: Sendable, Hashable {
    /// The time within which a code is exchanged.
    static let lifetime: TimeInterval = 60
    /// The time for which a used code is remembered, so that a second use ends what the first one has given.
    static let memory: TimeInterval = 86_400

    /// The SHA-256 digest of the text.
    package let digest: [UInt8]
    package let clientID: String
    package let accountID: String
    /// The version of the account's credentials when the code was issued.
    package let credentialVersion: Int
    /// The device of the browser in which the user was signed in; once it is signed out, the code is not valid.
    package let browserDevice: [UInt8]
    /// The redirect URI of the request.
    package let redirect: String
    package let codeChallenge: String
    package let nonce: String?
    /// The granted scopes, space-separated.
    package let scope: String
    package let authenticatedAt: Date
    package let factorAt: Date?
    package let validUntil: Date
    /// The time of its use, or of the first attempt that was refused; nil if there was none.
    package var usedAt: Date?

    /// The time at which the code was issued.
    var issuedAt: Date { validUntil.addingTimeInterval(-Self.lifetime) }
}

extension AuthorizationCode: Redacted {
    package var description: String { "AuthorizationCode(\(clientID))" }
}

/// The result of an exchange in the store.
package enum CodeRedemption: Sendable, Hashable {
    case redeemed
    /// The code was used before; the device of the first use, which was signed in until then, is signed out.
    case replayed
    /// The code, the account, or the session of the browser has ended.
    case ended
}

/// A device that waits for its user to sign in elsewhere (RFC 8628 §3.2), stored by the digests of its codes.
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
}

/// The result of a poll (RFC 8628 §3.5).
package enum DevicePoll: Sendable, Hashable {
    case pending, slowDown, denied, expired, unknown
    case approved(DeviceApproval)
}

/// The storage of authorization codes and of devices that wait for their users.
package protocol AuthorizationStore: Sendable {
    /// Inserts a code, and if given the detail of the consent that it comes from, for the audit log.
    func insert(_ code: AuthorizationCode, consent detail: String?) async throws(IdentityError)

    /// Returns a code by its digest, used and expired ones included; nil if there is none.
    func authorizationCode(_ digest: [UInt8]) async throws(IdentityError) -> AuthorizationCode?

    /// Uses up a code and signs its device in, in one transaction; a second use signs the device of the first one out.
    func redeem(
        _ code: AuthorizationCode, on device: Device, for account: Account
    ) async throws(IdentityError) -> CodeRedemption

    /// Ends a code that is not exchanged, signs out the device that it has signed in, and records it.
    ///
    /// - Parameter isRefused: Whether it ends also if nobody has used it.
    /// - Returns: Whether such a device was signed in.
    func end(
        _ code: AuthorizationCode, isRefused: Bool, detail: String?, at now: Date
    ) async throws(IdentityError) -> Bool

    /// Inserts a device authorization.
    ///
    /// - Returns: False if the user code is taken.
    func insert(_ authorization: DeviceAuthorizationRecord) async throws(IdentityError) -> Bool

    /// Returns the undecided device authorization of a user code; nil if there is none, or it has expired.
    func deviceAuthorization(
        userDigest: [UInt8], at now: Date
    ) async throws(IdentityError) -> DeviceAuthorizationRecord?

    /// Records the user's decision, in the audit log as well; nil denies.
    ///
    /// - Returns: False if the authorization has ended, was decided before, or the account has changed.
    func decide(
        userDigest: [UInt8], _ approval: DeviceApproval?, by accountID: String, detail: String?, at now: Date
    ) async throws(IdentityError) -> Bool

    /// Decides a poll of a client, and records its time; one that comes too early makes the interval longer.
    func poll(_ digest: [UInt8], by clientID: String, at now: Date) async throws(IdentityError) -> DevicePoll

    /// Uses up an approved authorization and signs the device in, in one transaction.
    func redeem(
        deviceCode digest: [UInt8], _ approval: DeviceApproval, on device: Device, for account: Account
    ) async throws(IdentityError) -> Bool
}
