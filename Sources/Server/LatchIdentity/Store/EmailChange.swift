// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// An address that an account is to get once both ends have confirmed it (attack E9).
///
/// The new end shows that the address is the person's, the old end that the person is the account's: who sits at somebody's
/// open session has neither mailbox.
package struct EmailChange: Sendable, Hashable {
    package let accountID: String
    /// The new address.
    package let email: EmailAddress
    /// The one that it replaces; a change from another one is worth nothing.
    package let oldEmailKey: String
    /// SHA-256 of the token mailed to the old address; nil once it came back, or where that address was never verified
    /// and so proves nothing.
    package let oldDigest: [UInt8]?
    /// SHA-256 of the token mailed to the new address; nil once it came back.
    package let newDigest: [UInt8]?
    package let expiresAt: Date
}
