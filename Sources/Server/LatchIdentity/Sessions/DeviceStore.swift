// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of devices, each with its family of refresh tokens.
package protocol DeviceStore: Sendable {
    /// Returns a device, also a signed-out one; nil if there is none, or it ended so long ago that it was removed.
    func device(id: [UInt8]) async throws(IdentityError) -> Device?

    /// Inserts the device if the account is active and its credentials have not changed since `account` was read.
    func insert(_ device: Device, for account: Account) async throws(IdentityError) -> Bool

    /// Records that the user has authenticated again on a device, under the conditions of ``insert(_:for:)``.
    ///
    /// - Parameter factorAt: The time at which the second factor was proved as well; nil if the account has none.
    /// - Returns: False if the conditions do not hold, or the device is signed out.
    func authenticate(
        device id: [UInt8], of account: Account, factorAt: Date?, at now: Date
    ) async throws(IdentityError) -> Bool

    /// Returns whether the account has a signed-in device that logged in from exactly this address.
    ///
    /// Rate limits use it to distinguish the owner's network from others; it grants no access.
    func isSignedIn(emailKey: String, from address: String, at now: Date) async throws(IdentityError) -> Bool

    /// Decides a use of a refresh token and applies it; a reuse revokes the device in the same transaction.
    ///
    /// - Returns: The decision; after a rotation also the device and its account, read in its transaction, so that no role
    ///   that was removed before is in the next access token.
    func rotate(_ attempt: RotationAttempt) async throws(IdentityError) -> RotationOutcome

    /// Returns the signed-in devices of an account, the most recently used first.
    func devices(of accountID: String, at now: Date) async throws(IdentityError) -> [Device]

    /// Signs out a device; returns false if it already was, or belongs to another account than the given one.
    func revoke(
        device id: [UInt8], ownedBy accountID: String?, because: Device.RevocationReason, at now: Date
    ) async throws(IdentityError) -> Bool

    /// Signs out every device of an account and returns their number; earlier revocations keep their reason.
    func revokeDevices(
        of accountID: String, because: Device.RevocationReason, at now: Date
    ) async throws(IdentityError) -> Int
}
