// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchIdentity

/// The administration of accounts, in a store or through a server.
protocol AccountAdministration: Sendable {
    /// Returns accounts that match a query's search, filters and limit, newest first, with their total number.
    ///
    /// The total may be a minimum.
    func list(_ query: AccountQuery) async throws -> (accounts: [AdministeredAccount], total: Int, isMinimum: Bool)
    /// Returns the account with an address, a user name or an ID.
    ///
    /// - Throws: `CommandError.noAccount`, or the server's error.
    func account(_ who: String) async throws -> AdministeredAccount
    /// Creates an account.
    ///
    /// - Parameters:
    ///   - password: Nil to email a link that sets one.
    ///   - isVerified: Whether the address is known to be the owner's; only with a password.
    func create(
        _ email: String, password: String?, name: String?, roles: [String], isVerified: Bool
    ) async throws -> AdministeredAccount
    /// Emails the owner of an account a link that sets a new password.
    func mailReset(of account: AdministeredAccount) async throws
    /// Ends the wait after wrong passwords and wrong codes.
    func unlock(_ id: String) async throws
    func setRole(_ role: Role, of id: String) async throws -> AdministeredAccount
    func setStatus(
        _ status: LatchIdentity.Account.Status, of id: String, because reason: String
    ) async throws -> AdministeredAccount
    /// Ends all sessions and returns their number.
    func endSessions(of id: String) async throws -> Int
    /// Removes the second factor and returns whether there was one.
    func removeFactor(of id: String) async throws -> Bool
    func delete(_ id: String, isFinal: Bool, because reason: String) async throws
}

extension CommandError {
    /// Returns the error for an account that does not exist or that the caller may not see.
    static func noAccount(_ who: String) -> CommandError {
        .failed("There is no account '\(who)'.", hint: "'latch admin user list --search TEXT' finds accounts.")
    }
}

/// The administrator's view of an account, from a store or a server.
struct AdministeredAccount: Sendable, Hashable {
    var id: String
    var email: String
    var username: String?
    var name: String?
    /// The role, such as `moderator`.
    var role: String
    /// The status, such as `pending_verification`.
    var status: String
    var isVerified: Bool
    var createdAt: Date
    var lastLoginAt: Date?
    /// Whether the account has a second factor; nil if unknown.
    var hasSecondFactor: Bool?
    /// The additional data of the registration; empty if unknown.
    var registration = Registration()
}

extension AdministeredAccount {
    /// Creates the view of an account in the store.
    init(_ full: FullAccount) {
        let account = full.account
        self.init(
            id: account.id, email: account.email.text, username: account.username?.text,
            name: full.details.shownName.isEmpty ? account.name : full.details.shownName, role: account.role.name,
            status: full.status.rawValue, isVerified: account.emailVerifiedAt != nil, createdAt: account.createdAt,
            lastLoginAt: full.lastLoginAt)
        registration.attributes = account.attributes
        registration.acceptedTerms = account.acceptedTerms?.version
    }

    /// Creates the view of an account that a server returned.
    ///
    /// - Throws: `CommandError.failed` if it lacks a member.
    init(_ user: JSONObject) throws {
        func date(_ name: String) throws -> Date? {
            try user[name]?.stringValue.map { try Date($0, strategy: .iso8601) }
        }
        guard let id = user["id"]?.stringValue, let email = user["email"]?.stringValue,
            let createdAt = try date("created_at")
        else { throw CommandError.failed("The server has sent no account.", hint: "It is of another version.") }
        self.init(
            id: id, email: email, username: user["username"]?.stringValue, name: user["name"]?.stringValue,
            role: user["role"]?.stringValue ?? "unknown", status: user["status"]?.stringValue ?? "unknown",
            isVerified: user["email_verified"] == true, createdAt: createdAt, lastLoginAt: try date("last_login_at"),
            hasSecondFactor: user["second_factor"]?.boolValue)
        registration.acceptedTerms = user["accepted_terms"]?.stringValue
        for (name, value) in user["attributes"]?.objectValue ?? [:] {
            registration.attributes[name] = value.stringValue
        }
    }
}

extension AdministeredAccount {
    /// The account as JSON members.
    var facts: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "email": .string(email), "role": .string(role), "status": .string(status),
            "email_verified": .bool(isVerified), "created_at": AccountReport.date(createdAt),
            "last_login_at": AccountReport.date(lastLoginAt),
        ]
        object["username"] = username.map { .string($0) }
        object["name"] = name.map { .string($0) }
        object["second_factor"] = hasSecondFactor.map { .bool($0) }
        object["accepted_terms"] = registration.acceptedTerms.map { .string($0) }
        if !attributes.isEmpty { object["attributes"] = .object(JSONObject(attributes.map { ($0, .string($1)) })) }
        return object
    }

    /// The account as the output of a subcommand.
    var result: AdminCall.Output {
        let isStatusEnough = isVerified || status == "pending_verification"
        let text = AccountReport.text(
            email,
            [
                ("id", id), ("username", username), ("name", name), ("role", role),
                ("status", status + (isStatusEnough ? "" : " (address not verified)")),
                ("second factor", hasSecondFactor.map { $0 ? "yes" : "no" }),
                ("signed up", AccountReport.text(createdAt)),
                ("last sign-in", lastLoginAt.map(AccountReport.text) ?? "never"),
                ("accepted terms", registration.acceptedTerms),
            ] + attributes.map { ($0, $1) })
        return (text, .object(facts))
    }

    /// The app's additional fields, sorted by name.
    private var attributes: [(String, String)] {
        registration.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
