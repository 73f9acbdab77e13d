// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// Which accounts a list shows, in which order, from where on.
package struct AccountQuery: Sendable, Hashable {
    /// What a list can be sorted by; a fixed set, since each is a piece of SQL.
    package enum Sort: String, Sendable, CaseIterable {
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case lastLoginAt = "last_login_at"
        case email, username
        case firstName = "first_name"
        case lastName = "last_name"
        case displayName = "display_name"
    }

    /// A place in the list: behind the row with this value and this number.
    ///
    /// The place is named by what stands there and not by a number, so that rows that come or go meanwhile neither
    /// repeat nor hide another.
    package struct Place: Sendable, Hashable {
        /// The value of the sorted field.
        package var value: Value
        /// The number that the list gave the account; it never changes.
        package var serial: Int64

        package enum Value: Sendable, Hashable {
            case text(String)
            case number(Int64)
        }
    }

    /// Looked for anywhere in address, username and names, in any case; one or two letters where any of these, or a word of
    /// a name, begins.
    package var search = ""
    package var role: Role?
    package var standing: Standing?
    package var isVerified: Bool?
    package var createdAfter: Date?
    package var createdBefore: Date?
    package var sort = Sort.createdAt
    package var isAscending = false
    package var behind: Place?
    /// The most that come; the caller bounds it.
    package var limit = 50

    package init() {}
}

/// How an account stands, as people see it: its status, and whether its address waits for its verification.
package enum Standing: String, Sendable, CaseIterable {
    case active, inactive, suspended, banned
    case pendingVerification = "pending_verification"
}

/// An account with everything that is told of it.
package struct FullAccount: Sendable, Hashable {
    package var account: Account
    package var details: AccountDetails
    /// The last change to the details, the role or the status; the sign-up where there was none.
    package var updatedAt: Date
    /// Nil where it never signed in since this was kept.
    package var lastLoginAt: Date?

    /// How the account stands.
    package var standing: Standing {
        switch account.status {
        case .active: account.emailVerifiedAt == nil ? .pendingVerification : .active
        case .disabled, .deleted: .inactive
        case .suspended: .suspended
        case .banned: .banned
        }
    }
}

/// A part of the list of accounts.
package struct AccountPage: Sendable, Hashable {
    package var accounts: [FullAccount]
    /// Where the next part begins; nil on the last.
    package var next: AccountQuery.Place?
    /// How many the whole list has now; with a search or a time at most ``countBound``.
    package var total: Int
    /// Whether there are more than `total`.
    package var isTotalMinimum = false

    /// How far matches of a search or a time are counted: whoever sees a page wants to know whether there are few.
    package static let countBound = 1000
}

/// Figures about all accounts but those that were deleted.
package struct AccountFigures: Sendable, Hashable {
    package var total = 0
    package var active = 0
    package var verified = 0
    /// Since midnight in UTC.
    package var newToday = 0
    /// Within the last seven days, today included.
    package var newThisWeek = 0
    /// Within the last thirty days, today included.
    package var newThisMonth = 0

    package init() {}

    /// The share of verified accounts; 0 where there are none at all.
    package var verificationRate: Double { total == 0 ? 0 : Double(verified) / Double(total) }
}
