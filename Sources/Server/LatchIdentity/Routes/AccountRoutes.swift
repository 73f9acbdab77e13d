// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// Sign-up, verification, password reset, the profile, and the administrators' list.
struct AccountRoutes: Sendable {
    private let parts: IdentityParts
    private let accounts: Accounts

    init(_ parts: IdentityParts) {
        self.parts = parts
        accounts = Accounts(parts: parts)
    }

    /// Two paths register: seed 002's client and its backend name different ones, and both are in use.
    func add(to router: inout Router) {
        router.post("/api/clients/register", register)
        router.post("/api/auth/clients/register", register)
        router.post("/api/auth/verify-email", verify)
        router.post("/api/auth/resend-verification", resendVerification)
        router.post("/api/auth/forgot-password", forgotPassword)
        router.post("/api/auth/reset-password", resetPassword)
        router.get("/user/profile", profile)
        router.get("/api/users", list)
    }

    /// 201 with the account.
    ///
    /// An address that is taken is 409, as seed 002's clients expect; only a login must not tell.
    @Sendable private func register(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        // `roles`, `permissions`, `tenantId` and `emailVerified` in the content are nobody's to choose, and not read.
        let account = try await accounts.signUp(
            email: try body.text("email"), password: try body.text("password"), name: try body.optionalText("name"))
        return .json(account.shown, status: .created)
    }

    /// 200, or 400 where the link is not valid; why it is not is nobody's business.
    @Sendable private func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await accounts.verifyEmail(try request.jsonObject().text("token"))
        return .message("The e-mail address is verified.")
    }

    /// 200 whether there is such an account or not, and after the same work (attack E2).
    @Sendable private func resendVerification(_ request: HTTPRequest) async throws -> HTTPResponse {
        accounts.mailVerification(to: try EmailAddress(try request.jsonObject().text("email")))
        return .message("If the address waits for its verification, a mail is on its way.")
    }

    /// 200 whether there is such an account or not, and after the same work (attack E2).
    @Sendable private func forgotPassword(_ request: HTTPRequest) async throws -> HTTPResponse {
        accounts.mailReset(to: try EmailAddress(try request.jsonObject().text("email")))
        return .message("If the address has an account, a mail is on its way.")
    }

    /// Takes `password` or, as older clients of seed 002 send it, `newPassword`; both must agree where both are sent.
    ///
    /// Signs out every device, since whoever resets may do so because somebody else is signed in.
    @Sendable private func resetPassword(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let (password, newPassword) = (try body.optionalText("password"), try body.optionalText("newPassword"))
        guard let chosen = password ?? newPassword, newPassword ?? chosen == chosen else {
            throw IdentityError.invalidInput("'password' is missing, or differs from 'newPassword'")
        }
        try await accounts.resetPassword(try body.text("token"), password: chosen)
        return .message("The password is set. Log in with it.")
    }

    /// What the store says now, not what the token said when it was issued.
    ///
    /// 401 with a challenge where the token is not valid, or its device or account has ended since.
    @Sendable private func profile(_ request: HTTPRequest) async throws -> HTTPResponse {
        .json(try await bearer(request).account.shown)
    }

    /// The role is read from the store, so that an administrator who was dismissed sees nothing more.
    ///
    /// `next` is the last id of the page, to be sent as `after`; it is missing on the last page.
    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        // An administrator's token in the hands of another app than the server's own is for that app's scopes alone.
        let bearer = try await bearer(request)
        guard bearer.account.roles.contains("admin"), bearer.appID == RegisteredApp.firstPartyID else {
            throw IdentityError.forbidden
        }
        let query = request.queryItems
        let limit = try Self.limit(query["limit"])
        // One more than asked for tells whether there is a next page.
        let found = try await parts.store.accounts(after: query["after"], limit: limit + 1)
        let page = found.prefix(limit)
        var body: JSONObject = ["users": .array(page.map { .object($0.shownToAdministrators) })]
        if found.count > limit, let last = page.last { body["next"] = .string(last.id) }
        return .json(body)
    }

    /// Who the request's access token speaks for.
    ///
    /// - Throws: `IdentityError.invalidToken`, also where there is no token at all: both are 401 (RFC 6750 §3.1).
    private func bearer(_ request: HTTPRequest) async throws(IdentityError) -> Bearer {
        guard let token = request.bearerToken else { throw .invalidToken }
        return try await SignIns(parts: parts).bearer(ofAccessToken: token)
    }

    /// The size of a page; a bound keeps one request from reading the whole store.
    private static func limit(_ text: String?) throws(IdentityError) -> Int {
        guard let text else { return 50 }
        guard let limit = Int(text), (1...500).contains(limit) else {
            throw .invalidInput("'limit' must be a whole number from 1 to 500")
        }
        return limit
    }
}

extension Account {
    /// What the account's owner sees of it.
    var shown: JSONObject {
        var object: JSONObject = ["id": .string(id), "email": .string(email.text)]
        if let username { object["username"] = .string(username.text) }
        if let name { object["name"] = .string(name) }
        object["emailVerified"] = .bool(emailVerifiedAt != nil)
        object["roles"] = .array(roles.map { .string($0) })
        object["permissions"] = .array(permissions.map { .string($0) })
        return object
    }

    /// With the status; hashes, secrets and dates of passwords are shown to nobody.
    fileprivate var shownToAdministrators: JSONObject {
        var object = shown
        object["status"] = .string(status.rawValue)
        return object
    }
}
