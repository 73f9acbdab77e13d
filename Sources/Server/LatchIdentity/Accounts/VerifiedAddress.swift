// SPDX-License-Identifier: Apache-2.0

/// The address that a mailed link has verified.
struct VerifiedAddress: Sendable, Hashable {
    /// The account as it is now.
    let account: Account
    /// The address that received the link.
    let email: EmailAddress
    /// Whether the other end of a change of address is not confirmed yet, until which the account has its present address.
    var isChangePending = false
}
