// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
package import LatchServer

/// The routes for sign-up, verification, password reset, the profile, and the administrators' list.
package struct AccountRoutes: Sendable {
    package let store: IdentityStore
    package let limits: RateLimits
    package let upstreams: UpstreamClients
    package let permitted: PermittedSignIns
    package let accounts: AccountService
    package let signIns: SignInService
    package let secondFactors: SecondFactorService
    package let passkeySignIns: PasskeySignInService
    package let upstreamSignIns: UpstreamSignInService
    package let tokens: TokenService

    package init(
        store: IdentityStore, limits: RateLimits, upstreams: UpstreamClients, permitted: PermittedSignIns,
        accounts: AccountService, signIns: SignInService,
        secondFactors: SecondFactorService,
        passkeySignIns: PasskeySignInService, upstreamSignIns: UpstreamSignInService, tokens: TokenService
    ) {
        self.store = store
        self.limits = limits
        self.upstreams = upstreams
        self.permitted = permitted
        self.accounts = accounts
        self.signIns = signIns
        self.secondFactors = secondFactors
        self.passkeySignIns = passkeySignIns
        self.upstreamSignIns = upstreamSignIns
        self.tokens = tokens
    }

    /// Adds the routes.
    ///
    /// AuthPackage's client and its backend use different paths to register.
    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.signUp)) { signUps in
            signUps.post("/api/clients/register", .signUp, register)
            signUps.post("/api/auth/clients/register", .signUpOfAuthPackage, register)
        }
        router.group(interceptors: limits.limiting(.mail)) { mails in
            mails.post("/api/auth/resend-verification", .resendVerification, resendVerification)
            mails.post("/api/auth/forgot-password", .forgotPassword, forgotPassword)
            mails.post("/api/users/invite", .inviteUser, invite)
        }
        router.group(interceptors: limits.limiting(.link)) { links in
            links.post("/api/auth/verify-email", .verifyEmail, verify)
            links.post("/api/auth/reset-password", .resetPassword, resetPassword)
        }
        router.group(interceptors: limits.limiting(.token)) { sessions in
            sessions.post("/api/auth/reauthenticate", .reauthenticate, reauthenticate)
            sessions.get("/api/auth/links", .getSignInMethods, signInMethods)
            sessions.patch("/user/profile", .updateProfile, changeProfile)
        }
        router.group(interceptors: limits.limiting(.other)) { others in
            others.get("/user/profile", .getProfile, profile)
            others.get("/api/users", .listUsersOfAuthPackage, list)
        }
    }

    /// Creates an account: 201, or 409 if the address is taken, as AuthPackage clients expect.
    @Sendable private func register(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        // `roles`, `permissions`, `tenantId` and `emailVerified` in the content are not read, so a client cannot choose
        // them.
        let account = try await accounts.signUp(
            email: try body.text("email"), password: try body.text("password"), name: try body.optionalText("name"),
            registration: try Registration(body), from: request.requestOrigin)
        return .json(account.json(by: accounts.attributes), status: .created)
    }

    /// Verifies an address: 200 with the address, or 400 for an invalid link or code, without the reason.
    ///
    /// The content has the `token` of the link, or the `email` and the `code` beside it.
    ///
    /// The first verification signs out every device except that of an access token in the request (attack E8). The
    /// account's `password`, or such a token, also proves that the password belongs to the owner. Without them, the
    /// response is 403 if the configuration requires that proof.
    @Sendable private func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let token: [UInt8]
        if let code = try body.optionalText("code"), body["token"] == nil {
            let email = try EmailAddress(try body.text("email"))
            token = try await accounts.verificationToken(code, sentTo: email, from: request.requestOrigin)
        } else {
            token = try body.text("token").digest
        }
        let verified: VerifiedAddress
        if let password = try body.optionalText("password") {
            verified = try await accounts.verifyEmail(
                token, password: password, from: request.requestOrigin)
        } else {
            let session = try await tokens.optionalSession(accessToken: request.fields.bearerToken)
            verified = try await accounts.verifyEmail(token, in: session, from: request.requestOrigin)
        }
        return .json([
            "message": "The email address is confirmed.", "email": .string(verified.email.text),
            "changePending": .bool(verified.isChangePending),
        ])
    }

    /// Authenticates the user of a session again.
    ///
    /// The content has one of these proofs:
    ///
    /// - `password`, and `otp` for an account with a second factor;
    /// - `code` and `code_verifier` of a sign-in through a provider with `intent=reauthenticate`, and `otp` likewise;
    /// - `credential` of a passkey, which proves both factors.
    ///
    /// The response is 200, or an error of a login. For a wrong password, code or passkey it is 403.
    @Sendable private func reauthenticate(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        let body = try request.jsonObject()
        let otp = try body.optionalText("otp")
        do throws(IdentityError) {
            guard body["credential"]?.isNull ?? true else {
                try await passkeySignIns.reauthenticate(
                    session, try body.credential(), from: request.requestOrigin)
                return .message("You are authenticated.")
            }
            guard try body.optionalText("code") == nil else {
                try await upstreamSignIns.reauthenticate(
                    session, try body.text("code"), verifier: try body.text("code_verifier"), otp: otp,
                    from: request.requestOrigin)
                return .message("You are authenticated.")
            }
            try await signIns.reauthenticate(
                session, password: try body.text("password"), code: otp, from: request.requestOrigin)
        } catch {
            throw error.withinSession
        }
        return .message("You are authenticated.")
    }

    /// Returns the account's sign-in methods, and the providers that may be linked.
    ///
    /// The methods are the password, the linked providers, the passkeys and the second factor.
    @Sendable private func signInMethods(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        try session.requireFirstParty()
        let links = try await store.links(of: session.accountID).map(\.json)
        let party = permitted.relyingPartyID
        let passkeys = try await store.passkeys(of: session.accountID).filter { $0.isUsable(at: party) }
        return .json([
            "links": .array(links.map { .object($0) }),
            "hasPassword": .bool(session.account.passwordHash != nil && permitted.permits(.password)),
            "passkeys": .integer(Int64(passkeys.count)),
            "hasSecondFactor": .bool(try await secondFactors.isConfirmed(of: session.accountID)),
            "providers": .array(upstreams.all.map { .string($0.provider.name) }),
        ])
    }

    /// Emails a verification link: 200 after the same work, whether the account exists or not (attack E2).
    @Sendable private func resendVerification(_ request: HTTPRequest) async throws -> HTTPResponse {
        let email = try EmailAddress(try request.jsonObject().text("email"))
        try await accounts.mail(.verifyEmail, to: email, from: request.requestOrigin)
        return .message("If the address is not confirmed yet, an email is on its way.")
    }

    /// Emails a reset link: 200 after the same work, whether the account exists or not (attack E2).
    @Sendable private func forgotPassword(_ request: HTTPRequest) async throws -> HTTPResponse {
        let email = try EmailAddress(try request.jsonObject().text("email"))
        try await accounts.mail(.resetPassword, to: email, from: request.requestOrigin)
        return .message("If the address has an account, an email is on its way.")
    }

    /// Creates an account for another person, who receives an email with a link that sets the password.
    ///
    /// The response is 201, 403 if the user may not invite, or 409 if the address is taken.
    @Sendable private func invite(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        let body = try request.jsonObject()
        let account = try await accounts.invite(
            email: try body.text("email"), name: try body.optionalText("name"), roles: try body.words("roles"),
            by: session, from: request.requestOrigin)
        return .json(account.json(by: accounts.attributes), status: .created)
    }

    /// Sets the password of a mailed token, and signs out every device, since one may be an attacker's.
    ///
    /// It accepts `password` or, from older AuthPackage clients, `newPassword`. If both are sent, they must be equal.
    @Sendable private func resetPassword(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let (password, newPassword) = (try body.optionalText("password"), try body.optionalText("newPassword"))
        guard let chosen = password ?? newPassword, newPassword ?? chosen == chosen else {
            throw IdentityError.invalid("password", "is missing, or differs from 'newPassword'")
        }
        let token = try body.text("token")
        let account: Account
        do throws(IdentityError) {
            account = try await accounts.resetPassword(
                token, password: chosen, from: request.requestOrigin)
        } catch {
            throw error.at(newPassword: password == nil ? "newPassword" : "password")
        }
        return .json([
            "message": "The password is set. Sign in with it.", "email": .string(try account.requireAddress().text),
        ])
    }

    /// Returns the account as currently stored; 401 with a challenge if the token, its device or its account is not
    /// valid.
    ///
    /// It contains more than any scope permits. So a third-party client receives 403. It reads the claims that its user
    /// has agreed to at `/oauth/userinfo`.
    @Sendable private func profile(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        guard session.client.belongsToOperator else {
            var response = HTTPResponse.failure(.insufficientScope)
            response.fields[.wwwAuthenticate] = .insufficientScope([])
            return response
        }
        return .json(session.account.json(by: accounts.attributes))
    }

    /// Changes `attributes` of the session's account, in which null removes one, and returns the account.
    @Sendable private func changeProfile(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        guard let changes = try request.jsonObject().attributes() else { throw IdentityError.missing("attributes") }
        try await accounts.changeAttributes(of: session, to: changes)
        guard let account = try await store.account(id: session.accountID) else { throw IdentityError.invalidToken }
        return .json(account.json(by: accounts.attributes))
    }

    /// Returns a page of the accounts.
    ///
    /// The user must be an administrator by their role in the store.
    ///
    /// `next` is the last id of the page, which the client sends as `after`. It is missing on the last page.
    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        // A token of another client only has its scopes, and not the role of its account.
        let session = try await session(request)
        try session.requireFirstParty()
        guard session.account.roles.contains("admin") else { throw IdentityError.forbidden }
        let query = request.queryItems
        let limit = try Self.limit(query["limit"])
        // One account more than the limit shows whether there is a next page.
        let found = try await store.accounts(after: query["after"], limit: limit + 1)
        let page = found.prefix(limit)
        var body: JSONObject = ["users": .array(page.map { .object($0.administrationJSON) })]
        if found.count > limit, let last = page.last { body["next"] = .string(last.id) }
        return .json(body)
    }

    private func session(_ request: HTTPRequest) async throws(IdentityError) -> AuthenticatedSession {
        try await tokens.authenticate(request)
    }

    /// Parses the size of a page, which is limited so that a request cannot read the whole store.
    private static func limit(_ text: String?) throws(IdentityError) -> Int {
        guard let text else { return 50 }
        guard let limit = Int(text), (1...500).contains(limit) else {
            throw .invalidInput("'limit' must be a whole number from 1 to 500")
        }
        return limit
    }
}

extension Account {
    /// Returns the account as JSON for its owner, with the attributes that the owner reads.
    package func json(by rules: AttributeRules) -> JSONObject { json(showing: rules.readable(attributes)) }

    private func json(showing attributes: [String: JSONValue]) -> JSONObject {
        var object: JSONObject = ["id": .string(id)]
        object["email"] = email.map { .string($0.text) }
        if email == nil { object["isGuest"] = .bool(isGuest) }
        if let username { object["username"] = .string(username.text) }
        if let name { object["name"] = .string(name) }
        object["emailVerified"] = .bool(emailVerifiedAt != nil)
        object["phone"] = phone.map { .string($0.text) }
        object["phoneVerified"] = phone.map { _ in .bool(phoneVerifiedAt != nil) }
        object["roles"] = .array(roles.map { .string($0) })
        object["permissions"] = .array(permissions.map { .string($0) })
        if !attributes.isEmpty { object["attributes"] = .object(JSONObject(sorting: attributes)) }
        if let acceptedTerms {
            object["acceptedTerms"] = .string(acceptedTerms.version)
            object["termsAcceptedAt"] = .string(acceptedTerms.acceptedAt.formatted(.iso8601))
        }
        return object
    }

    /// The account as JSON for administrators, with its status.
    fileprivate var administrationJSON: JSONObject {
        var object = json(showing: attributes)
        object["status"] = .string(status.rawValue)
        return object
    }
}
