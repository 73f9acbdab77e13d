// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchServer

/// The routes with which administrators and their programs manage accounts, as `latch admin user` does.
package struct UserAdministrationRoutes: Sendable {
    package let limits: RateLimits
    package let pepper: SymmetricKey
    package let store: IdentityStore
    package let accounts: AccountService
    package let administration: AdministrationService
    package let access: AdministrationAccess

    package init(
        limits: RateLimits, pepper: SymmetricKey, store: IdentityStore, accounts: AccountService,
        administration: AdministrationService, access: AdministrationAccess
    ) {
        self.limits = limits
        self.pepper = pepper
        self.store = store
        self.accounts = accounts
        self.administration = administration
        self.access = access
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin/users", interceptors: limits.limiting(.token)) { users in
            users.get("", .listUsers, list)
            users.post("", .createUser, create)
            users.get("/{id}", .getUser, show)
            users.patch("/{id}", .updateUser, change)
            users.delete("/{id}", .deleteUser, delete)
            users.post("/{id}/close", .closeUser, close)
            users.post("/{id}/unlock", .unlockUser, unlock)
            users.delete("/{id}/devices", .signOutUser, signOut)
            users.delete("/{id}/devices/{device}", .signOutUserDevice, signOutDevice)
            users.delete("/{id}/second-factor", .deleteUserSecondFactor, removeFactor)
            users.delete("/{id}/passkeys", .deleteUserPasskeys, removePasskeys)
            users.delete("/{id}/links/{provider}", .deleteUserLink, removeLink)
        }
        // These emails have the limits of those that users request.
        router.group(prefix: "/api/admin/users", interceptors: limits.limiting(.mail)) { mails in
            mails.post("/{id}/reset-password", .mailPasswordReset, mailReset)
        }
        router.group(interceptors: limits.limiting(.token)) {
            $0.get("/api/admin/statistics", .getStatistics, statistics)
        }
    }

    // MARK: Reading

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .readUsers)
        let fields = request.queryItems
        var query = AccountQuery()
        query.search = String((fields["search"] ?? "").trimmingSpace())
        query.status = try fields["status"].map { text throws(IdentityError) in
            guard let status = AccountStatus(rawValue: text) else { throw .invalid("status", "is unknown") }
            return status
        }
        query.role = try fields["role"].map { text throws(IdentityError) in try Self.role(text) }
        query.isVerified = try Self.flag("verified", in: fields)
        query.limit =
            try fields["limit"].map { text throws(IdentityError) in
                guard let limit = Int(text), (1...500).contains(limit) else {
                    throw .invalid("limit", "is not a number from 1 to 500")
                }
                return limit
            } ?? 50
        let codec = CursorCodec(pepper: pepper)
        if let after = fields["after"] { query.after = try codec.decode(after, for: query) }
        let page = try await administration.list(query, for: caller.account)
        return .json([
            "users": .array(page.accounts.map { .object($0.administrationJSON) }),
            "total": .integer(Int64(page.total)), "total_is_minimum": .bool(page.isTotalMinimum),
            "next": page.next.map { .string(codec.encode($0, for: query)) } ?? .null,
        ])
    }

    /// Returns an account with the ways in which its owner signs in, and its devices.
    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .readUsers)
        return .json(try await json(request.userID, for: caller))
    }

    private func json(_ id: String, for caller: Administrator) async throws(IdentityError) -> JSONObject {
        let full = try await administration.account(id, for: caller.account)
        var json = full.administrationJSON
        json["has_password"] = .bool(full.account.passwordHash != nil)
        json["second_factor"] = .bool(try await store.secondFactor(of: id, isConfirmed: true) != nil)
        json["passkeys"] = .array(try await administration.passkeys(of: id).map(\.administrationJSON))
        json["links"] = .array(try await administration.links(of: id).map(\.administrationJSON))
        json["devices"] = .array(try await administration.devices(of: id).map(\.administrationJSON))
        return json
    }

    @Sendable private func statistics(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .readUsers)
        let found = try await administration.statistics(for: caller.account)
        return .json([
            "total": .integer(Int64(found.total)), "active": .integer(Int64(found.active)),
            "verified": .integer(Int64(found.verified)), "new_today": .integer(Int64(found.newToday)),
            "new_this_week": .integer(Int64(found.newThisWeek)), "new_this_month": .integer(Int64(found.newThisMonth)),
            "new_by_day": .array(found.newByDay.map { .integer(Int64($0)) }),
        ])
    }

    // MARK: Changes

    /// Creates an account with a password, or invites its owner to choose one.
    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let body = try request.jsonObject()
        let (email, name, roles) = (try body.text("email"), try body.optionalText("name"), try body.words("roles"))
        let isVerified = try body.flag("email_verified") ?? false
        let origin = request.requestOrigin
        if !isVerified { try limits.take(limits.attempts(of: .mail, from: origin.address)) }
        let account: Account
        if let password = try body.optionalText("password") {
            account = try await accounts.create(
                email: email, password: password, name: name, roles: roles, isVerified: isVerified, by: caller,
                from: origin)
        } else {
            // An invitation proves the address by its link.
            guard !isVerified else { throw IdentityError.invalid("email_verified", "needs a 'password'") }
            account = try await accounts.invite(email: email, name: name, roles: roles, by: caller, from: origin)
        }
        return .json(try await json(account.id, for: caller), status: .created)
    }

    /// Sets the role or the status of an account, for a `reason`.
    @Sendable private func change(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let body = try request.jsonObject()
        let role = try body.optionalText("role").map { text throws(IdentityError) in try Self.role(text) }
        let status = try body.optionalText("status").map { text throws(IdentityError) in try Self.status(text) }
        let reason = try body.optionalText("reason") ?? ""
        let id = request.userID
        let isFound: Bool
        switch (role, status) {
        case (let role?, nil):
            isFound = try await administration.setRole(of: id, to: role, by: caller.actor, because: reason)
        case (nil, let status?):
            isFound = try await administration.setStatus(of: id, to: status, by: caller.actor, because: reason)
        default:
            // Of two changes, one could fail.
            throw IdentityError.invalidInput("send either 'role' or 'status'")
        }
        guard isFound else { throw IdentityError.noSuchAccount }
        return .json(try await json(id, for: caller))
    }

    /// Closes an account; its address stays taken, and the operator can open it again.
    @Sendable private func close(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await delete(request, isFinal: false)
    }

    /// Deletes an account for good.
    @Sendable private func delete(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await delete(request, isFinal: true)
    }

    private func delete(_ request: HTTPRequest, isFinal: Bool) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let reason = try request.jsonObject(isOptional: true).optionalText("reason") ?? ""
        let id = request.userID
        guard id != caller.account.id else {
            throw IdentityError.forbidden.with(
                message: "Administrators delete their own account at /account.", hint: "Export its data there first.")
        }
        guard try await administration.delete(id, isFinal: isFinal, by: caller.actor, because: reason) else {
            throw IdentityError.noSuchAccount
        }
        return .removed
    }

    @Sendable private func unlock(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        guard try await administration.unlock(request.userID, by: caller.actor) else {
            throw IdentityError.noSuchAccount
        }
        return .removed
    }

    /// Emails the owner of another account a link that sets a new password.
    @Sendable private func mailReset(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        guard try await administration.mailReset(of: request.userID, by: caller.actor) else {
            throw IdentityError.noSuchAccount
        }
        return .message("An email with a link is on its way.")
    }

    // MARK: Devices and credentials

    @Sendable private func signOut(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        guard let count = try await administration.endSessions(of: request.userID, by: caller.actor) else {
            throw IdentityError.noSuchAccount
        }
        return .json(["devices": .integer(Int64(count))])
    }

    @Sendable private func signOutDevice(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let device = request.pathParameter("device") ?? ""
        guard try await administration.endSession(ofDevice: device, of: request.userID, by: caller.actor) else {
            throw IdentityError.noSuchDevice
        }
        return .removed
    }

    @Sendable private func removeFactor(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        return try Self.removed(
            try await administration.removeFactor(of: request.userID, by: caller.actor), orThrow: .noSecondFactor)
    }

    @Sendable private func removePasskeys(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        return try Self.removed(
            try await administration.removePasskeys(of: request.userID, by: caller.actor), orThrow: .noSuchPasskey)
    }

    @Sendable private func removeLink(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let provider = request.pathParameter("provider") ?? ""
        return try Self.removed(
            try await administration.removeLink(to: provider, of: request.userID, by: caller.actor),
            orThrow: .notLinked)
    }

    /// - Parameter wasThere: Nil if the account does not exist.
    private static func removed(
        _ wasThere: Bool?, orThrow error: IdentityError
    ) throws(IdentityError) -> HTTPResponse {
        guard let wasThere else { throw .noSuchAccount }
        guard wasThere else { throw error }
        return .removed
    }

    /// Returns a parameter that is true or false; nil if it is missing.
    private static func flag(_ name: String, in query: FormFields) throws(IdentityError) -> Bool? {
        switch query[name] {
        case nil: return nil
        case "true"?: return true
        case "false"?: return false
        default: throw .invalid(name, "is neither true nor false")
        }
    }

    /// Returns the status with the name that responses have.
    private static func status(_ name: String) throws(IdentityError) -> Account.Status {
        let status = Account.Status.settable.first { AccountStatus($0, isVerified: true).rawValue == name }
        guard let status else {
            let known = Account.Status.settable.map { AccountStatus($0, isVerified: true).rawValue }
            throw .invalid("status", "must be one of \(known.joined(separator: ", "))")
        }
        return status
    }

    private static func role(_ name: String) throws(IdentityError) -> Role {
        guard let role = Role(named: name) else {
            throw .invalid("role", "must be one of \(Role.allCases.map(\.name).joined(separator: ", "))")
        }
        return role
    }
}

extension HTTPRequest {
    fileprivate var userID: String { pathParameter("id") ?? "" }
}
