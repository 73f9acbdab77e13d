// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// A query for one page of a list of accounts.
package struct AccountQuery: Sendable, Hashable {
    /// A sort order.
    ///
    /// The set is fixed, since each order is a piece of SQL.
    package enum Sort: String, Sendable, CaseIterable {
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case lastLoginAt = "last_login_at"
        case email, username
        case firstName = "first_name"
        case lastName = "last_name"
        case displayName = "display_name"

        /// Whether the field is text; the others are numbers.
        package var isText: Bool {
            switch self {
            case .createdAt, .updatedAt, .lastLoginAt: false
            case .email, .username, .firstName, .lastName, .displayName: true
            }
        }
    }

    /// A position in the list: after the row with this value and serial number.
    ///
    /// It names a row instead of an offset, so that added or removed rows cause no repeated or missing rows.
    package struct Cursor: Sendable, Hashable {
        /// The value of the sorted field.
        package var value: Value
        /// The serial number of the account in the list, which never changes.
        package var serial: Int64

        package init(value: Value, serial: Int64) {
            self.value = value
            self.serial = serial
        }

        package enum Value: Sendable, Hashable {
            case text(String)
            case number(Int64)
        }
    }

    /// The text to search for in address, user name and names, ignoring case.
    ///
    /// One or two letters match only at the beginning of a field or of a word in a name.
    package var search = ""
    package var role: Role?
    package var status: AccountStatus?
    package var isVerified: Bool?
    package var createdAfter: Date?
    package var createdBefore: Date?
    package var sort = Sort.createdAt
    package var isAscending = false
    /// The position after which the page begins; nil for the first page.
    package var after: Cursor?
    /// The maximum number of accounts in the page.
    ///
    /// The caller limits it.
    package var limit = 50

    package init() {}
}

/// The status of an account as the user service reports it.
package enum AccountStatus: String, Sendable, CaseIterable {
    case active, inactive, suspended, banned
    case pendingVerification = "pending_verification"

    /// Creates the reported status of a stored one.
    package init(_ status: Account.Status, isVerified: Bool) {
        switch status {
        case .active: self = isVerified ? .active : .pendingVerification
        case .disabled, .deleted: self = .inactive
        case .suspended: self = .suspended
        case .banned: self = .banned
        }
    }
}

/// An account with its details.
package struct FullAccount: Sendable, Hashable {
    package var account: Account
    package var details: AccountDetails
    /// The time of the last change to details, role or status, or else of the sign-up.
    package var updatedAt: Date
    /// The time of the last recorded login; nil if there is none.
    package var lastLoginAt: Date?

    /// The status as the user service reports it.
    package var status: AccountStatus { account.reportedStatus }
}

/// A page of a list of accounts.
package struct AccountPage: Sendable, Hashable {
    package var accounts: [FullAccount]
    /// The beginning of the next page; nil on the last one.
    package var next: AccountQuery.Cursor?
    /// The number of matching accounts; with a search or a time, at most ``countBound``.
    ///
    /// A search with a filter counts only among the first matches of any account.
    package var total: Int
    /// Whether more accounts than `total` can match.
    package var isTotalMinimum = false

    /// The greatest count of matches for a search or a time.
    package static let countBound = 1000
    /// The greatest count of accounts with the same status, verification and role in PostgreSQL, which keeps no counts.
    package static let classBound = 10_000
}

/// Statistics of all accounts except deleted ones, with guests apart.
package struct AccountStatistics: Sendable, Hashable {
    package var total = 0
    /// The number of guests, which no other number counts.
    package var guests = 0
    package var active = 0
    package var verified = 0
    /// The number of sign-ups since midnight in UTC.
    package var newToday = 0
    /// The number of sign-ups within the last seven days, including today.
    package var newThisWeek = 0
    /// The number of sign-ups within the last thirty days, including today.
    package var newThisMonth = 0
    /// The numbers of sign-ups on each of the last thirty days in UTC, the last of which is today.
    package var newByDay = Array(repeating: 0, count: 30)

    package init() {}

    /// The share of verified accounts; 0 if no accounts exist.
    package var verificationRate: Double { total == 0 ? 0 : Double(verified) / Double(total) }
}
