// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity

/// The administration of the accounts of a running server.
struct RemoteAccountAdministration: AccountAdministration {
    let server: AdministeredServer

    func list(_ query: AccountQuery) async throws -> (accounts: [AdministeredAccount], total: Int, isMinimum: Bool) {
        var filters: [(String, String)] = []
        if !query.search.isEmpty { filters.append(("search", query.search)) }
        if let role = query.role { filters.append(("role", role.name)) }
        if let status = query.status { filters.append(("status", status.rawValue)) }
        if let isVerified = query.isVerified { filters.append(("verified", isVerified ? "true" : "false")) }
        var (found, cursor) = ([AdministeredAccount](), [(String, String)]())
        while true {
            let limit = ("limit", "\(min(query.limit - found.count, 500))")
            let page = try await server.call(.get, "api/admin/users", query: filters + [limit] + cursor)
            found += try Self.accounts(in: page)
            guard let next = page["next"]?.stringValue, found.count < query.limit else {
                return (found, page["total"]?.intValue.map { Int($0) } ?? found.count, page["total_is_minimum"] == true)
            }
            cursor = [("after", next)]
        }
    }

    func account(_ who: String) async throws -> AdministeredAccount {
        // An ID selects one account; an address or a user name needs a search, whose result may contain other accounts.
        if !who.utf8.contains(UInt8(ascii: "@")),
            let user = try await server.find("api/admin/users/\(who)", orNilFor: "noSuchAccount")
        {
            return try AdministeredAccount(user)
        }
        let page = try await server.call(
            .get, "api/admin/users", query: [("search", String(who.trimmingSpace())), ("limit", "500")])
        let wanted = who.lowercased()
        let user = try Self.accounts(in: page).first {
            [$0.email, $0.username].contains { $0?.lowercased() == wanted }
        }
        guard let user else { throw CommandError.noAccount(who) }
        return try AdministeredAccount(try await server.call(.get, "api/admin/users/\(user.id)"))
    }

    func create(
        _ email: String, password: String?, name: String?, roles: [String], isVerified: Bool
    ) async throws -> AdministeredAccount {
        var content: JSONObject = ["email": .string(email), "roles": .array(roles.map { .string($0) })]
        content["name"] = name.map { .string($0) }
        content["password"] = password.map { .string($0) }
        if isVerified { content["email_verified"] = true }
        return try AdministeredAccount(try await server.call(.post, "api/admin/users", content))
    }

    func mailReset(of account: AdministeredAccount) async throws {
        _ = try await server.call(.post, "api/admin/users/\(account.id)/reset-password")
    }

    func unlock(_ id: String) async throws { try await server.perform(.bytes(.post, "api/admin/users/\(id)/unlock")) }

    func setRole(_ role: Role, of id: String) async throws -> AdministeredAccount {
        try AdministeredAccount(
            try await server.call(.patch, "api/admin/users/\(id)", ["role": .string(role.name)]))
    }

    func setStatus(
        _ status: LatchIdentity.Account.Status, of id: String, because reason: String
    ) async throws -> AdministeredAccount {
        try AdministeredAccount(
            try await server.call(
                .patch, "api/admin/users/\(id)",
                [
                    "status": .string(AccountStatus(status, isVerified: true).rawValue), "reason": .string(reason),
                ]))
    }

    func endSessions(of id: String) async throws -> Int {
        let ended = try await server.call(.delete, "api/admin/users/\(id)/devices")
        return ended["devices"]?.intValue.map { Int($0) } ?? 0
    }

    func removeFactor(of id: String) async throws -> Bool {
        let route = Route<[UInt8]>.bytes(.delete, "api/admin/users/\(id)/second-factor")
        return try await server.perform(route, orNilFor: "noSecondFactor") != nil
    }

    func delete(_ id: String, isFinal: Bool, because reason: String) async throws {
        let content = RouteContent.json(JSONValue.object(["reason": .string(reason)]))
        let route =
            isFinal
            ? Route<[UInt8]>.bytes(.delete, "api/admin/users/\(id)", sending: content)
            : .bytes(.post, "api/admin/users/\(id)/close", sending: content)
        try await server.perform(route)
    }

    private static func accounts(in page: JSONObject) throws -> [AdministeredAccount] {
        try page["users"]?.arrayValue?.compactMap(\.objectValue).map { try AdministeredAccount($0) } ?? []
    }
}
