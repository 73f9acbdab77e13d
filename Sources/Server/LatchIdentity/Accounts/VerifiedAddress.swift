// SPDX-License-Identifier: Apache-2.0

/// The address that a mailed link has verified.
struct VerifiedAddress: Sendable, Hashable {
    /// The account after the verification.
    let account: Account
    /// The address that received the link.
    let email: EmailAddress
    /// Whether the other end of a change of address is still unconfirmed.
    ///
    /// Until then, the account keeps its present address.
    var isChangePending = false
}
