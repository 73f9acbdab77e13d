// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchIdentityStorage

/// The administration of accounts, in a store or through a server.
struct AccountAdministration: Sendable {
    let server: AdministeredServer

    /// Returns accounts that match a query's search, filters and limit, newest first, with their total number.
    ///
    /// The total may be a minimum.
    func list(_ query: AccountQuery) async throws -> (accounts: [AdministeredAccount], total: Int, isMinimum: Bool) {
        var filters: [(String, String)] = []
        if !query.search.isEmpty { filters.append(("search", query.search)) }
        if let role = query.role { filters.append(("role", role.name)) }
        if let status = query.status { filters.append(("status", status.rawValue)) }
        if let isVerified = query.isVerified { filters.append(("verified", isVerified ? "true" : "false")) }
        let (users, page) = try await server.list("users", at: "api/admin/users", query: filters, limit: query.limit)
        return (
            try users.map { user throws(CommandError) in try AdministeredAccount(user) },
            page["total"]?.intValue.map { Int($0) } ?? users.count, page["total_is_minimum"] == true
        )
    }

    /// Returns the account with an address, a user name or an ID, with its credentials and devices.
    ///
    /// - Throws: `CommandError.noAccount`, or the server's error.
    func account(_ who: String) async throws -> AdministeredAccount {
        guard let found = try await find(who) else { throw CommandError.noAccount(who) }
        return found
    }

    /// Returns the account with an address, a user name or an ID; nil if there is none.
    func find(_ who: String) async throws -> AdministeredAccount? {
        let isAddress = who.utf8.contains(UInt8(ascii: "@"))
        if !isAddress, let found = try await details(who) { return found }
        let (users, _) = try await server.list(
            "users", at: "api/admin/users", query: [(isAddress ? "email" : "username", who)], limit: 1)
        guard let id = users.first?.string("id") else { return nil }
        return try await details(id)
    }

    private func details(_ id: String) async throws -> AdministeredAccount? {
        guard !id.isEmpty else { return nil }
        let user = try await server.call(.get, "api/admin/users/\(id)", orNilFor: "noSuchAccount")
        return try user.map { user throws(CommandError) in try AdministeredAccount(user) }
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - password: Nil to email a link that sets one.
    ///   - isVerified: Whether the address is known to be the owner's; only with a password.
    func create(
        _ email: String, password: String?, name: String?, roles: [String], isVerified: Bool
    ) async throws -> AdministeredAccount {
        var content: JSONObject = ["email": .string(email), "roles": .array(roles.map { .string($0) })]
        content["name"] = name.map { .string($0) }
        content["password"] = password.map { .string($0) }
        if isVerified { content["email_verified"] = true }
        return try AdministeredAccount(try await server.call(.post, "api/admin/users", content))
    }

    /// Emails the owner of an account a link that sets a new password.
    func mailReset(of id: String) async throws {
        _ = try await server.call(.post, "api/admin/users/\(id)/reset-password")
    }

    /// Ends the wait after wrong passwords and wrong codes.
    func unlock(_ id: String) async throws { try await server.perform(.post, "api/admin/users/\(id)/unlock") }

    /// Changes the role, the roles, or the names of an account.
    func update(_ id: String, _ change: JSONObject) async throws -> AdministeredAccount {
        let user = try await server.call(.patch, "api/admin/users/\(id)", change, orNilFor: "noSuchAccount")
        guard let user else { throw CommandError.noAccount(id) }
        return try AdministeredAccount(user)
    }

    /// Replaces the address of an account.
    ///
    /// - Parameter isVerified: Whether the address is known to be the owner's.
    func setEmail(
        of id: String, to email: String, isVerified: Bool, because reason: String
    ) async throws -> AdministeredAccount {
        let content: JSONObject = [
            "email": .string(email), "email_verified": .bool(isVerified), "reason": .string(reason),
        ]
        return try AdministeredAccount(try await server.call(.put, "api/admin/users/\(id)/email", content))
    }

    /// Ends all sessions and returns their number.
    func endSessions(of id: String) async throws -> Int {
        let ended = try await server.call(.delete, "api/admin/users/\(id)/devices")
        return ended["devices"]?.intValue.map { Int($0) } ?? 0
    }

    /// Ends the session of a device; returns false if the account is not signed in on it.
    func endSession(ofDevice device: String, of id: String) async throws -> Bool {
        try await server.perform(.delete, "api/admin/users/\(id)/devices/\(device)", unless: "noSuchDevice")
    }

    /// Removes the second factor and returns whether there was one.
    func removeFactor(of id: String) async throws -> Bool {
        try await server.perform(.delete, "api/admin/users/\(id)/second-factor", unless: "noSecondFactor")
    }

    /// Removes the link to a provider and returns whether there was one.
    func removeLink(to provider: String, of id: String, because reason: String) async throws -> Bool {
        try await server.perform(
            .delete, "api/admin/users/\(id)/links/\(provider)", ["reason": .string(reason)], unless: "notLinked")
    }

    /// Removes a passkey, or all, and returns whether there was one.
    func removePasskeys(_ passkey: String?, of id: String, because reason: String) async throws -> Bool {
        let path: RoutePath =
            if let passkey { "api/admin/users/\(id)/passkeys/\(passkey)" } else { "api/admin/users/\(id)/passkeys" }
        return try await server.perform(.delete, path, ["reason": .string(reason)], unless: "noSuchPasskey")
    }

    func delete(_ id: String, isFinal: Bool, because reason: String) async throws {
        let content: JSONObject = ["reason": .string(reason)]
        if isFinal {
            try await server.perform(.delete, "api/admin/users/\(id)", content)
        } else {
            try await server.perform(.post, "api/admin/users/\(id)/close", content)
        }
    }
}

extension CommandError {
    /// Returns the error for an account that does not exist or that the caller may not see.
    static func noAccount(_ who: String) -> CommandError {
        .failed("There is no account '\(who)'.", hint: "'latch admin user list --search TEXT' finds accounts.")
    }
}
