// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchRPC

/// The implementation of `userservice.v1.UserService`, with the same accounts and tokens as every other route.
package struct UserServiceHandler: UserServiceServer {
    package let configuration: IdentityConfiguration
    package let store: IdentityStore
    package let clock: WallClock
    package let pepper: SymmetricKey
    package let recentAuthentication: RecentAuthenticationRule
    package let accounts: AccountService
    package let administration: AdministrationService
    package let signIns: SignInService
    package let secondFactors: SecondFactorService
    package let tokens: TokenService

    package init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, pepper: SymmetricKey,
        recentAuthentication: RecentAuthenticationRule, accounts: AccountService, administration: AdministrationService,
        signIns: SignInService, secondFactors: SecondFactorService, tokens: TokenService
    ) {
        self.configuration = configuration
        self.store = store
        self.clock = clock
        self.pepper = pepper
        self.recentAuthentication = recentAuthentication
        self.accounts = accounts
        self.administration = administration
        self.signIns = signIns
        self.secondFactors = secondFactors
        self.tokens = tokens
    }

    /// Validates a request, runs `body`, and converts errors.
    ///
    /// ``UserServiceAdmission`` has counted the call.
    private func handling<Result>(
        _ context: CallContext, _ rules: [ValidationRule],
        _ body: (RequestOrigin) async throws(IdentityError) -> Result
    ) async throws -> Result {
        let origin = context.http[RequestOriginKey.self]
        do throws(IdentityError) {
            try rules.validate()
            return try await body(origin)
        } catch {
            throw context.failure(error)
        }
    }

    /// Handles a request with an access token of the server's own client, which ``UserServiceAdmission`` has verified.
    private func authenticated<Result>(
        _ context: CallContext, _ rules: [ValidationRule],
        _ body: (AuthenticatedSession, RequestOrigin) async throws(IdentityError) -> Result
    ) async throws -> Result {
        try await handling(context, rules) { origin throws(IdentityError) in
            guard let session = context.http[UserServiceAdmission.Session.self] else { throw .invalidToken }
            do throws(IdentityError) {
                return try await body(session, origin)
            } catch {
                throw error.withinSession
            }
        }
    }

    /// Returns the account with its details.
    private func full(_ id: String) async throws(IdentityError) -> FullAccount {
        guard let full = try await store.fullAccount(id: id) else { throw .invalidToken }
        return full
    }

    /// Returns the response of a login or a refresh.
    private func response(_ issued: IssuedTokens) async throws(IdentityError) -> AuthResponse {
        AuthResponse(
            user: User(try await full(issued.accountID)), session: UserSession(issued, at: clock.now))
    }

    // MARK: Login

    /// Creates an account and logs it in, unless the server requires a verified address first.
    ///
    /// The request has no role, status or permissions (attack E1).
    package func register(_ request: RegisterRequest, context: CallContext) async throws -> AuthResponse {
        try await handling(context, [.address(request.email), .password(request.password, "password")]) {
            origin throws(IdentityError) in
            var details = AccountDetails()
            details.firstName = String(request.firstName.trimmingSpace())
            details.lastName = String(request.lastName.trimmingSpace())
            details.wantsNews = request.subscribeNewsletter
            details.termsAcceptedAt = request.acceptTerms ? clock.now : nil
            var registration = Registration()
            // The message names no version. A client of the server's own contract shows the current terms.
            registration.acceptedTerms = request.acceptTerms ? configuration.termsVersion : nil
            let account = try await accounts.signUp(
                email: request.email, password: request.password, username: request.username, details: details,
                registration: registration, from: origin)
            guard let issued = try await signIns.signIn(registered: account, from: origin) else {
                return AuthResponse(
                    user: User(try await full(account.id)), requiresVerification: true,
                    requiredActions: ["verify_email"])
            }
            return try await response(issued)
        }
    }

    /// Logs in by password.
    ///
    /// If a second factor is required, the session's access token is valid only for VerifyTwoFactor. The response then
    /// contains no data of the account (attack F4).
    package func login(_ request: LoginRequest, context: CallContext) async throws -> AuthResponse {
        try await handling(context, [.filled(request.email, "email"), .filled(request.password, "password")]) {
            origin throws(IdentityError) in
            var origin = origin
            origin.deviceName = request.deviceInfo
            let result = try await signIns.beginSignIn(
                name: request.email, password: request.password, isRemembered: request.rememberMe, from: origin)
            switch result {
            case .success(let issued): return try await response(issued)
            case .challenged(let text, let challenge):
                return AuthResponse(
                    session: UserSession(
                        accessToken: text, expiresAt: challenge.expiresAt, createdAt: challenge.createdAt),
                    requires2fa: true, requiredActions: ["verify_two_factor"])
            }
        }
    }

    /// Logs out.
    ///
    /// It also succeeds for a signed-out session, but logging out all devices requires a valid token.
    package func logout(_ request: LogoutRequest, context: CallContext) async throws {
        try await handling(context, [.filled(request.sessionToken, "session_token")]) { _ throws(IdentityError) in
            if request.logoutAllDevices {
                _ = try await tokens.signOutEverywhere(accessToken: request.sessionToken)
            } else {
                try await tokens.signOut(token: request.sessionToken)
            }
        }
    }

    /// Refreshes the tokens.
    ///
    /// After `unauthenticated` the user must log in again. After `unavailable` the token still works.
    package func refreshToken(_ request: RefreshTokenRequest, context: CallContext) async throws -> AuthResponse {
        try await handling(context, [.filled(request.refreshToken, "refresh_token")]) { _ throws(IdentityError) in
            try await response(
                try await tokens.refresh(request.refreshToken, idempotencyKey: context.metadata[.idempotencyKey]))
        }
    }

    /// Verifies a code.
    ///
    /// With a challenge as the bearer token, it completes a login.
    ///
    /// With an access token, it confirms the factor that SetupTwoFactor began, and keeps the session.
    package func verifyTwoFactor(_ request: VerifyTwoFactorRequest, context: CallContext) async throws -> AuthResponse {
        let rules = [ValidationRule.filled(request.code, "code")]
        if let token = context.metadata.bearerToken, SignInChallenges.isChallenge(token, on: .app) {
            return try await handling(context, rules) { origin throws(IdentityError) in
                try await response(
                    try await signIns.finishSignIn(challenge: token, code: request.code, from: origin))
            }
        }
        return try await authenticated(context, rules) { session, origin throws(IdentityError) in
            try await secondFactors.confirm(request.code, session, from: origin)
            return AuthResponse(user: User(try await full(session.accountID)))
        }
    }

    package func setupTwoFactor(_ request: SetupTwoFactorRequest, context: CallContext) async throws
        -> SetupTwoFactorResponse
    {
        try await authenticated(context, []) { session, _ throws(IdentityError) in
            let setup = try await secondFactors.enroll(session)
            return SetupTwoFactorResponse(
                secret: setup.secret, otpauthUri: setup.uri, recoveryCodes: setup.recoveryCodes)
        }
    }

    // MARK: Passwords

    package func changePassword(_ request: ChangePasswordRequest, context: CallContext) async throws {
        let rules: [ValidationRule] = [
            .filled(request.currentPassword, "current_password"), .password(request.newPassword, "new_password"),
            ValidationRule(
                holds: request.newPassword != request.currentPassword,
                message: "new_password must differ from current_password", field: "new_password"),
        ]
        return try await authenticated(context, rules) { session, origin throws(IdentityError) in
            do throws(IdentityError) {
                try await accounts.changePassword(
                    of: session, from: request.currentPassword, to: request.newPassword,
                    signingOutOthers: request.logoutOtherSessions, from: origin)
            } catch {
                throw error.at(newPassword: "new_password", oldPassword: "current_password")
            }
        }
    }

    /// Emails a reset link.
    ///
    /// Response and work are the same for unknown addresses (attack E2).
    package func requestPasswordReset(_ request: PasswordResetRequest, context: CallContext) async throws {
        try await handling(context, [.address(request.email)]) { origin throws(IdentityError) in
            try await accounts.mail(.resetPassword, to: try EmailAddress(request.email), from: origin)
        }
    }

    package func resetPassword(_ request: ResetPasswordRequest, context: CallContext) async throws {
        let rules: [ValidationRule] = [
            .filled(request.resetToken, "reset_token"), .password(request.newPassword, "new_password"),
        ]
        return try await handling(context, rules) { origin throws(IdentityError) in
            do throws(IdentityError) {
                try await accounts.resetPassword(request.resetToken, password: request.newPassword, from: origin)
            } catch {
                throw error.at(newPassword: "new_password")
            }
        }
    }

    /// Verifies an address by a mailed token.
    ///
    /// The response omits the account's details, since the link only proves access to the mailbox.
    ///
    /// The first verification signs out every device except that of an access token in the request (attack E8).
    package func verifyEmail(_ request: VerifyEmailRequest, context: CallContext) async throws -> User {
        try await handling(context, [.filled(request.verificationToken, "verification_token")]) {
            origin throws(IdentityError) in
            let session = try await tokens.optionalSession(accessToken: context.metadata.bearerToken)
            let token = request.verificationToken.digest
            return User(try await accounts.verifyEmail(token, in: session, from: origin).account)
        }
    }

    /// Emails a verification link.
    ///
    /// Response and work are the same for unknown addresses (attack E2).
    package func resendVerification(_ request: ResendVerificationRequest, context: CallContext) async throws {
        try await handling(context, [.address(request.email)]) { origin throws(IdentityError) in
            try await accounts.mail(.verifyEmail, to: try EmailAddress(request.email), from: origin)
        }
    }

    // MARK: Accounts

    /// Returns the caller's own account, or an account of a lower role.
    package func getProfile(_ request: GetProfileRequest, context: CallContext) async throws -> User {
        try await authenticated(context, [.filled(request.userId, "user_id")]) { session, _ throws(IdentityError) in
            let full = try await administration.account(request.userId, for: session.account)
            var user = User(full, withPreferences: request.includePreferences)
            // Devices are visible to their owner, and to administrators, who may end the sessions on them.
            if request.includeDevices, full.account.id == session.accountID || session.account.role >= .admin {
                user.devices = try await tokens.devices(of: full.account.id).map(UserDevice.init)
            }
            return user
        }
    }

    /// Changes the given fields.
    ///
    /// A new address takes effect once both the old and the new one are confirmed by email. The response still has the
    /// old address (attack E9). A spelling that differs only in case takes effect immediately. Only the owner can
    /// change the address. A new login name, and any change to another account, require a recent login.
    package func updateProfile(_ request: UpdateProfileRequest, context: CallContext) async throws -> User {
        let email = request.email ?? ""
        let rules = [.filled(request.userId, "user_id")] + (email.isEmpty ? [] : [ValidationRule.address(email)])
        return try await authenticated(context, rules) { session, origin throws(IdentityError) in
            var change = AccountDetailsChange(request)
            if !email.isEmpty {
                guard request.userId == session.accountID else { throw .forbidden }
                // Checked before anything is changed. Another spelling of the same address needs no recent
                // authentication.
                change.email = try EmailAddress(email)
                if change.email?.key != session.account.email?.key {
                    try accounts.requireAddressChange(of: session)
                }
            }
            // A guest gets a user name by the registration, so that guests take none in bulk.
            if session.account.isGuest, change.username != nil { throw IdentityError.addressRequired }
            if request.userId != session.accountID
                || change.username.map({ $0 != session.account.username?.text }) == true
            {
                try recentAuthentication.require(session)
            }
            let user = User(try await administration.change(change, of: request.userId, by: session.actor))
            // Last, since a rejected change must not send email.
            if !email.isEmpty { try await accounts.changeEmail(of: session, to: email, from: origin) }
            return user
        }
    }

    package func getUsers(_ request: GetUsersRequest, context: CallContext) async throws -> GetUsersResponse {
        try await authenticated(context, []) { session, _ throws(IdentityError) in
            var query = try AccountQuery(request)
            let codec = CursorCodec(pepper: pepper)
            if !request.cursor.isEmpty { query.after = try codec.decode(request.cursor, for: query) }
            let page = try await administration.list(query, for: session.account)
            return GetUsersResponse(
                users: page.accounts.map { User($0) },
                nextCursor: page.next.map { codec.encode($0, for: query) } ?? "",
                totalCount: Int32(clamping: page.total), hasMore: page.next != nil,
                statistics: UserStatistics(try await administration.statistics(for: session.account)),
                totalIsMinimum: page.isTotalMinimum)
        }
    }

    /// Deletes an account.
    ///
    /// This requires a recent login, so that an unattended session cannot be used for it.
    package func deleteUser(_ request: DeleteUserRequest, context: CallContext) async throws {
        try await authenticated(context, [.filled(request.userId, "user_id")]) { session, _ throws(IdentityError) in
            try recentAuthentication.require(session)
            let isGone = try await administration.delete(
                request.userId, isFinal: request.hardDelete, by: session.actor, because: request.reason)
            guard isGone else { throw .noSuchAccount }
        }
    }

    package func getActiveDevices(
        _ request: GetActiveDevicesRequest, context: CallContext
    ) async throws -> GetActiveDevicesResponse {
        try await authenticated(context, []) { session, _ throws(IdentityError) in
            GetActiveDevicesResponse(devices: try await tokens.devices(of: session.accountID).map(UserDevice.init))
        }
    }

    package func revokeDevice(_ request: RevokeDeviceRequest, context: CallContext) async throws {
        try await authenticated(context, [.filled(request.deviceId, "device_id")]) { session, _ throws(IdentityError) in
            guard try await tokens.signOut(device: request.deviceId, of: session.accountID) else {
                throw .noSuchDevice
            }
        }
    }

    // MARK: Administration

    // All of these require a recent login, so that an unattended session or a stolen access token cannot administer.

    package func setUserRole(_ request: SetUserRoleRequest, context: CallContext) async throws -> User {
        try await authenticated(context, [.filled(request.userId, "user_id")]) { session, _ throws(IdentityError) in
            guard let role = try Role(request.role) else { throw .missing("role") }
            try recentAuthentication.require(session)
            guard try await administration.setRole(of: request.userId, to: role, by: session.actor) else {
                throw .noSuchAccount
            }
            return try await user(request.userId, for: session)
        }
    }

    package func setUserStatus(_ request: SetUserStatusRequest, context: CallContext) async throws -> User {
        try await authenticated(context, [.filled(request.userId, "user_id")]) { session, _ throws(IdentityError) in
            let status = try Account.Status(request.status)
            try recentAuthentication.require(session)
            let isThere = try await administration.setStatus(
                of: request.userId, to: status, by: session.actor, because: request.reason)
            guard isThere else { throw .noSuchAccount }
            return try await user(request.userId, for: session)
        }
    }

    package func endUserSessions(
        _ request: EndUserSessionsRequest, context: CallContext
    ) async throws -> EndUserSessionsResponse {
        try await authenticated(context, [.filled(request.userId, "user_id")]) { session, _ throws(IdentityError) in
            try recentAuthentication.require(session)
            guard let count = try await administration.endSessions(of: request.userId, by: session.actor) else {
                throw .noSuchAccount
            }
            return EndUserSessionsResponse(endedSessions: Int32(clamping: count))
        }
    }

    /// Removes a second factor.
    ///
    /// Removing the caller's own requires a code, also from an administrator.
    package func removeTwoFactor(_ request: RemoveTwoFactorRequest, context: CallContext) async throws {
        let rule = ValidationRule(
            holds: !request.userId.isEmpty || !request.code.isEmpty, message: "code must not be empty without user_id",
            field: "code")
        return try await authenticated(context, [rule]) { session, origin throws(IdentityError) in
            if request.userId.isEmpty || request.userId == session.accountID {
                guard !request.code.isEmpty else { throw .missing("code") }
                return try await secondFactors.remove(code: request.code, session, from: origin)
            }
            try recentAuthentication.require(session)
            switch try await administration.removeFactor(of: request.userId, by: session.actor) {
            case true?: return
            case false?: throw .noSecondFactor
            case nil: throw .noSuchAccount
            }
        }
    }

    package func regenerateRecoveryCodes(
        _ request: RegenerateRecoveryCodesRequest, context: CallContext
    ) async throws -> RegenerateRecoveryCodesResponse {
        try await authenticated(context, [.filled(request.code, "code")]) { session, origin throws(IdentityError) in
            let codes = try await secondFactors.replaceRecoveryCodes(code: request.code, session, from: origin)
            return RegenerateRecoveryCodesResponse(recoveryCodes: codes)
        }
    }

    /// Returns an account after a change, for the administrator who made it.
    private func user(_ id: String, for session: AuthenticatedSession) async throws(IdentityError) -> User {
        User(try await administration.account(id, for: session.account))
    }
}
