// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchCore
import LatchIdentity
import UserService

/// An account as an administrator sees it, from either side of the wire.
struct AdministeredAccount: Sendable, Hashable {
    var id: String
    var email: String
    var username: String?
    var name: String?
    /// Such as `moderator`.
    var role: String
    /// Such as `pending_verification`.
    var status: String
    var isVerified: Bool
    var createdAt: Date
    var lastLoginAt: Date?
    /// Nil where that is not told.
    var hasSecondFactor: Bool?
}

extension AdministeredAccount {
    /// An account of the store.
    init(_ full: FullAccount) {
        let account = full.account
        self.init(
            id: account.id, email: account.email.text, username: account.username?.text,
            name: full.details.shownName.isEmpty ? account.name : full.details.shownName, role: account.role.name,
            status: full.standing.rawValue, isVerified: account.emailVerifiedAt != nil, createdAt: account.createdAt,
            lastLoginAt: full.lastLoginAt)
    }

    /// An account as a server shows it.
    init(_ user: User) {
        self.init(
            id: user.id, email: user.email, username: user.username.isEmpty ? nil : user.username,
            name: user.displayName.isEmpty ? nil : user.displayName, role: Self.word(user.role),
            status: Self.word(user.status), isVerified: user.emailVerified, createdAt: user.createdAt,
            lastLoginAt: user.hasLastLoginAt ? user.lastLoginAt : nil)
    }

    private static func word(_ role: UserRole) -> String {
        switch role {
        case .unspecified, .unrecognized: "unknown"
        case .user: "user"
        case .moderator: "moderator"
        case .admin: "admin"
        case .superAdmin: "super_admin"
        }
    }

    private static func word(_ status: UserStatus) -> String {
        switch status {
        case .unspecified, .unrecognized: "unknown"
        case .active: "active"
        case .inactive: "inactive"
        case .suspended: "suspended"
        case .banned: "banned"
        case .pendingVerification: "pending_verification"
        }
    }
}

extension AdministeredAccount {
    /// For a script.
    var facts: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "email": .string(email), "role": .string(role), "status": .string(status),
            "email_verified": .bool(isVerified), "created_at": AccountReport.date(createdAt),
            "last_login_at": AccountReport.date(lastLoginAt),
        ]
        object["username"] = username.map { .string($0) }
        object["name"] = name.map { .string($0) }
        object["second_factor"] = hasSecondFactor.map { .bool($0) }
        return object
    }

    /// For a person.
    func text(now: Date) -> String {
        email.printable + "\n"
            + AccountReport.table([
                ("id", id), ("username", username), ("name", name), ("role", role),
                (
                    "status",
                    status + (isVerified || status == "pending_verification" ? "" : " (address not verified)")
                ),
                ("second factor", hasSecondFactor.map { $0 ? "yes" : "no" }),
                ("signed up", AccountReport.text(createdAt, now: now)),
                ("last sign-in", lastLoginAt.map { AccountReport.text($0, now: now) } ?? "never"),
            ])
    }
}
