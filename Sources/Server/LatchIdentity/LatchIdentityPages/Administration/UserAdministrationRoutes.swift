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
        router.group(prefix: "/api/admin/users", interceptors: access.limiting(.token)) { users in
            users.get("", .listUsers, list)
            users.post("", .createUser, create)
            users.get("/{id}", .getUser, show)
            users.patch("/{id}", .updateUser, change)
            users.delete("/{id}", .deleteUser, delete)
            users.post("/{id}/close", .closeUser, close)
            users.put("/{id}/email", .updateUserEmail, changeEmail)
        }
        router.group(interceptors: access.limiting(.token)) {
            $0.get("/api/admin/statistics", .getStatistics, statistics)
        }
    }

    // MARK: Reading

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .readUsers)
        let fields = request.queryItems
        let range = try ListRange(fields)
        if let name = try Self.wholeName(fields) { return try await find(name, range, for: caller) }
        var query = AccountQuery()
        query.search = String((fields["search"] ?? "").trimmingSpace())
        query.status = try fields["status"].map { text throws(IdentityError) in
            guard let status = AccountStatus(rawValue: text) else { throw .invalid("status", "is unknown") }
            return status
        }
        query.role = try fields["role"].map { text throws(IdentityError) in try Self.role(text) }
        query.isVerified = try Self.flag("verified", in: fields)
        query.limit = range.limit
        let codec = CursorCodec(pepper: pepper)
        if let after = range.after { query.after = try codec.decode(after, for: query) }
        let page = try await administration.list(query, for: caller.account)
        return .json([
            "users": .array(page.accounts.map { .object($0.administrationJSON) }),
            "total": .integer(Int64(page.total)), "total_is_minimum": .bool(page.isTotalMinimum),
            "next": page.next.map { .string(codec.encode($0, for: query)) } ?? .null,
        ])
    }

    /// Returns the address or the user name of the one account that a request asks for; nil for one that asks for a list.
    private static func wholeName(_ fields: FormFields) throws(IdentityError) -> String? {
        guard let name = ["email", "username"].first(where: { fields[$0] != nil }), let text = fields[name] else {
            return nil
        }
        for other in ["email", "username", "search", "role", "status", "verified"] where other != name {
            guard fields[other] == nil else { throw .invalid(other, "cannot be combined with '\(name)'") }
        }
        // An address in a search for user names would find its account, and the other way round.
        guard (name == "email") == text.utf8.contains(UInt8(ascii: "@")) else {
            throw name == "email" ? .invalidEmail : .invalid("username", "has an @")
        }
        return String(text.trimmingSpace())
    }

    private func find(
        _ name: String, _ range: ListRange, for caller: Administrator
    ) async throws(IdentityError) -> HTTPResponse {
        let found = try await administration.account(named: name, for: caller.account).map { [$0] } ?? []
        return range.response(
            "users", found, adding: ["total": .integer(Int64(found.count)), "total_is_minimum": false],
            after: { _ in "" }, json: { .object($0.administrationJSON) })
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
        let unknown = full.account.attributes.keys.filter { accounts.attributes[$0] == nil }.sorted()
        if !unknown.isEmpty { json["unknown_attributes"] = .array(unknown.map { .string($0) }) }
        json["devices"] = .array(try await administration.devices(of: id).map(\.administrationJSON))
        return json
    }

    @Sendable private func statistics(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .readUsers)
        let found = try await administration.statistics(for: caller.account)
        return .json([
            "total": .integer(Int64(found.total)), "guests": .integer(Int64(found.guests)),
            "active": .integer(Int64(found.active)),
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
        if !isVerified, caller.account != nil {
            try limits.take(limits.attempts(of: .mail, from: origin.address))
        }
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
        return access.created(try await json(account.id, for: caller), at: "/api/admin/users/\(account.id)")
    }

    /// A change of an account, one of which a request asks for: of two changes, one could fail.
    private enum Change {
        case role(Role)
        case roles([String])
        case status(Account.Status)
        case names(AccountDetailsChange)
        case attributes([String: JSONValue])

        /// - Throws: `IdentityError.invalidInput` unless the content has one change.
        init(_ body: JSONObject) throws(IdentityError) {
            var found: [Change] = []
            if let text = try body.optionalText("role") { found.append(.role(try UserAdministrationRoutes.role(text))) }
            let words = try body.words("roles")
            if let value = body["roles"], !value.isNull { found.append(.roles(words)) }
            if let text = try body.optionalText("status") {
                found.append(.status(try UserAdministrationRoutes.status(text)))
            }
            let (name, username) = (try body.optionalText("name"), try body.optionalText("username"))
            if name != nil || username != nil { found.append(.names(.init(username: username, name: name))) }
            if let changes = try body.attributes() { found.append(.attributes(changes)) }
            guard found.count == 1, let change = found.first else {
                throw .invalidInput(
                    "send one of 'role', 'roles', 'status' and 'attributes', or names",
                    hint: "Send a request for each change: one of two could fail.")
            }
            self = change
        }
    }

    /// Sets the role, all role words, the status, attributes, or the names of an account, for a `reason`.
    @Sendable private func change(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let body = try request.jsonObject()
        let reason = try body.optionalText("reason") ?? ""
        let change = try Change(body)
        let (id, actor) = (request.userID, caller.actor)
        let isFound: Bool
        switch change {
        case .role(let role):
            isFound = try await administration.setRole(of: id, to: role, by: actor, because: reason)
        case .roles(let words):
            isFound = try await administration.setRoles(
                of: id, to: words, given: accounts.configuration.invitationRoles, by: actor, because: reason)
        case .status(let status):
            isFound = try await administration.setStatus(of: id, to: status, by: actor, because: reason)
        case .names(var change):
            let details = try await administration.account(id, for: caller.account).details
            // The name of the user service is shown in place of the account's.
            if !details.shownName.isEmpty { change.displayName = change.name }
            isFound = try await administration.change(change, of: id, by: actor).account.id == id
        case .attributes(let changes):
            isFound = try await accounts.changeAttributes(of: id, to: changes, by: actor, because: reason)
        }
        guard isFound else { throw IdentityError.noSuchAccount }
        return .json(try await json(id, for: caller))
    }

    /// Replaces the address of an account.
    @Sendable private func changeEmail(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let body = try request.jsonObject()
        let (email, reason) = (try body.text("email"), try body.optionalText("reason") ?? "")
        let isVerified = try body.flag("email_verified") ?? false
        if !isVerified, caller.account != nil {
            try limits.take(limits.attempts(of: .mail, from: request.requestOrigin.address))
        }
        let isFound = try await administration.setEmail(
            of: request.userID, to: email, isVerified: isVerified, by: caller.actor, because: reason)
        guard isFound else { throw IdentityError.noSuchAccount }
        return .json(try await json(request.userID, for: caller))
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
        let reason = try request.reason()
        let id = request.userID
        guard id != caller.account?.id else {
            throw IdentityError.forbidden.with(
                message: "Administrators delete their own account at /account.", hint: "Export its data there first.")
        }
        guard try await administration.delete(id, isFinal: isFinal, by: caller.actor, because: reason) else {
            throw IdentityError.noSuchAccount
        }
        return .removed
    }

    // MARK: Words

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
