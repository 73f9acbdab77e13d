// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// A token that was mailed to prove an address, by its digest: the store could not send it again.
package struct OneTimeToken: Sendable, Hashable {
    /// What it may be used for.
    package enum Purpose: String, Sendable {
        case verifyEmail, resetPassword
    }

    /// SHA-256 of the token's text.
    package let digest: [UInt8]
    package let accountID: String
    package let purpose: Purpose
    /// The address it was mailed to; it proves nothing about another one.
    package let emailKey: String
    /// For people who look into the store; only the end decides.
    package let createdAt: Date
    /// From this moment on it is worth nothing.
    package let expiresAt: Date
}
