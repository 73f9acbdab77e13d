// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage

/// The address that a mailed link has verified.
package struct VerifiedAddress: Sendable, Hashable {
    /// The account after the verification.
    package let account: Account
    /// The address that received the link.
    package let email: EmailAddress
    /// Whether the other end of a change of address is still unconfirmed.
    ///
    /// Until then, the account keeps its present address.
    package var isChangePending = false
}
