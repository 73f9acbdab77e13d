// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// A second factor that will be removed after a waiting time, at the request of an owner who has lost it.
///
/// It ends when the owner proves a factor, cancels it, or changes the credentials.
package struct FactorRecovery: Sendable, Hashable {
    /// The time in seconds from the second notice to the removal.
    package static let reminder: TimeInterval = 86_400

    package let accountID: String
    /// The version of the account's credentials at the request.
    package let credentialVersion: Int
    package let requestedAt: Date
    /// The time of the second notice; nil after it.
    package let remindAt: Date?
    /// The time from which housekeeping removes the factor.
    package let dueAt: Date

    package init(accountID: String, credentialVersion: Int, requestedAt: Date, remindAt: Date?, dueAt: Date) {
        self.accountID = accountID
        self.credentialVersion = credentialVersion
        self.requestedAt = requestedAt
        self.remindAt = remindAt
        self.dueAt = dueAt
    }

    /// Whether the account has still the credentials of the request, and no role.
    package func isFor(_ account: Account) -> Bool {
        account.credentialVersion == credentialVersion && account.role == .user
    }
}
