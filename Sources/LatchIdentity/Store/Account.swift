// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A person's account as the store keeps it; it prints as its id alone.
package struct Account: Sendable, Hashable {
    /// Whether the account may be used.
    package enum Status: String, Sendable {
        case active, disabled
    }

    package let id: String
    package var email: EmailAddress
    package var name: String?
    /// The password's hash in PHC form; nil where the account has no password.
    package var passwordHash: String?
    package var passwordChangedAt: Date
    package var emailVerifiedAt: Date?
    package var roles: [String] = []
    package var permissions: [String] = []
    package var status = Status.active
    package let createdAt: Date
}

extension Account: CustomStringConvertible, CustomReflectable {
    package var description: String { "Account(\(id))" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
