// SPDX-License-Identifier: Apache-2.0

/// What lists of accounts are filtered by, as the one number that stands before each of their indexes.
///
/// There are few of them, so that a page of any mixture is put together from the beginnings of a few ordered lists.
struct AccountClass: Sendable, Hashable {
    /// From 0 to 31, in the order in which the schema writes it.
    let number: Int

    /// Those that a list shows.
    ///
    /// Deleted accounts have a number of their own, which is none of these.
    static func all(in query: AccountQuery) -> [AccountClass] {
        (0..<32).map(AccountClass.init).filter { found in
            (query.role ?? found.role) == found.role && (query.isVerified ?? found.isVerified) == found.isVerified
                && (query.standing ?? found.standing) == found.standing
        }
    }

    var isVerified: Bool { number & 4 != 0 }

    private var role: Role? { Role(rawValue: (number & 3) + 1) }

    /// An address that waits makes two standings of the one status.
    private var standing: Standing {
        switch number >> 3 {
        case 0: isVerified ? .active : .pendingVerification
        case 1: .inactive
        case 2: .suspended
        default: .banned
        }
    }

    /// Whether the account may be used and its address is verified.
    var isActive: Bool { standing == .active }
}
