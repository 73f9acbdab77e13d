// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchRPC

/// The administration of a running server, with an administrator's session on this device.
struct RemoteAccountAdministration: AccountAdministration {
    private let users: UserServiceStub
    private let server: AdministeredServer

    init(_ issuer: IssuerURL, _ session: Session<Tokens>, _ accounts: ClientAccounts) throws {
        let channel = try RPCChannel(
            issuer.text, through: accounts.transport,
            interceptors: [SessionInterceptor(session, for: .origin(issuer.origin))],
            codec: .json)
        users = UserServiceStub(channel)
        server = AdministeredServer(client: accounts.client(of: issuer, session))
    }

    func list(_ query: AccountQuery) async throws -> (accounts: [AdministeredAccount], total: Int, isMinimum: Bool) {
        var request = GetUsersRequest()
        request.searchQuery = query.search
        request.roleFilter = query.role.map(UserRole.init) ?? .unspecified
        request.statusFilter = query.status.map(UserStatus.init) ?? .unspecified
        request.verificationFilter = query.isVerified.map { $0 ? .verified : .unverified } ?? .unspecified
        var found: [AdministeredAccount] = []
        while true {
            request.limit = Int32(clamping: min(query.limit - found.count, 500))
            let page = try await users.getUsers(request)
            found += page.users.map { AdministeredAccount($0) }
            guard page.hasMore, found.count < query.limit else {
                return (found, Int(page.totalCount), page.totalIsMinimum)
            }
            request.cursor = page.nextCursor
        }
    }

    func account(_ who: String) async throws -> AdministeredAccount {
        // An ID selects one account; an address or a user name needs a search, whose result may contain other accounts.
        do {
            return AdministeredAccount(try await users.getProfile(GetProfileRequest(userId: who)))
        } catch let error as RPCError where error.status == .notFound {
            let found = try await users.getUsers(GetUsersRequest(limit: 500, searchQuery: who)).users
            let wanted = who.lowercased()
            guard let user = found.first(where: { [$0.email, $0.username].map { $0.lowercased() }.contains(wanted) })
            else { throw CommandError.noAccount(who) }
            return AdministeredAccount(user)
        }
    }

    func invite(_ email: String, name: String?, roles: [String]) async throws -> AdministeredAccount {
        var content: JSONObject = ["email": .string(email), "roles": .array(roles.map { .string($0) })]
        content["name"] = name.map { .string($0) }
        return try await account(server.call(.post, "api/users/invite", content)["id"]?.stringValue ?? email)
    }

    func mailReset(of account: AdministeredAccount) async throws {
        _ = try await server.call(.post, "api/admin/users/\(account.id)/reset-password")
    }

    func setRole(_ role: Role, of id: String) async throws -> AdministeredAccount {
        AdministeredAccount(try await users.setUserRole(SetUserRoleRequest(userId: id, role: UserRole(role))))
    }

    func setStatus(
        _ status: LatchIdentity.Account.Status, of id: String, because reason: String
    ) async throws -> AdministeredAccount {
        let status = UserStatus(AccountStatus(status, isVerified: true))
        return AdministeredAccount(
            try await users.setUserStatus(SetUserStatusRequest(userId: id, status: status, reason: reason)))
    }

    func endSessions(of id: String) async throws -> Int {
        Int(try await users.endUserSessions(EndUserSessionsRequest(userId: id)).endedSessions)
    }

    func removeFactor(of id: String) async throws -> Bool {
        do {
            _ = try await users.removeTwoFactor(RemoveTwoFactorRequest(userId: id))
            return true
        } catch let error as RPCError where error.status == .failedPrecondition {
            return false
        }
    }

    func delete(_ id: String, isFinal: Bool, because reason: String) async throws {
        _ = try await users.deleteUser(DeleteUserRequest(userId: id, hardDelete: isFinal, reason: reason))
    }
}
