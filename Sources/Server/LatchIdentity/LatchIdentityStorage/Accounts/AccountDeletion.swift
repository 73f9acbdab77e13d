// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// A deletion of an account that its owner has requested, and can cancel until it is due.
package struct AccountDeletion: Sendable, Hashable {
    package let accountID: String
    package let requestedAt: Date
    /// The time from which housekeeping removes the account.
    package let dueAt: Date

    package init(accountID: String, requestedAt: Date, dueAt: Date) {
        (self.accountID, self.requestedAt, self.dueAt) = (accountID, requestedAt, dueAt)
    }
}
