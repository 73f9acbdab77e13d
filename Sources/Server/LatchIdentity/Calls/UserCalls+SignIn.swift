// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP
import LatchRPC

extension UserCalls {
    /// Makes an account and signs it in, where the server does not ask for a verified address first.
    ///
    /// Role, status and permissions are not in the request, and nothing like them is read from it (attack E1).
    func register(_ request: RegisterRequest, context: CallContext) async throws -> AuthResponse {
        try await answering(context, request) { origin throws(IdentityError) in
            var details = AccountDetails()
            details.firstName = String(request.firstName.trimmingSpace())
            details.lastName = String(request.lastName.trimmingSpace())
            details.wantsNews = request.subscribeNewsletter
            details.termsAcceptedAt = request.acceptTerms ? parts.clock.now : nil
            let account = try await accounts.signUp(
                email: request.email, password: request.password, username: request.username, details: details)
            guard !parts.configuration.requireVerifiedEmail else {
                var answer = AuthResponse()
                answer.user = User(try await full(account.id))
                answer.requiresVerification = true
                answer.requiredActions = ["verify_email"]
                return answer
            }
            let scopes = try parts.scopes.granted(nil, to: account, by: parts.apps.firstParty)
            return try await answer(try await signIns.open(account, from: origin, by: nil, scopes: scopes))
        }
    }

    /// Where a second factor is needed, the session's access token is good for VerifyTwoFactor alone, and the answer says
    /// nothing of the account (attack F4).
    func login(_ request: LoginRequest, context: CallContext) async throws -> AuthResponse {
        try await answering(context, request) { origin throws(IdentityError) in
            var origin = origin
            origin.deviceName = request.deviceInfo
            let step = try await signIns.begin(
                name: request.email, password: request.password, isRemembered: request.rememberMe, from: origin)
            switch step {
            case .signedIn(let grant): return try await answer(grant)
            case .challenged(let text, let challenge):
                var session = UserSession()
                session.accessToken = text
                session.createdAt = challenge.createdAt
                session.expiresAt = challenge.expiresAt
                var answer = AuthResponse()
                answer.session = session
                answer.requires2fa = true
                answer.requiredActions = ["verify_two_factor"]
                return answer
            }
        }
    }

    /// Success in any case but one: signing out everywhere needs a token that is valid.
    ///
    /// Signing out what is signed out already is what was wanted.
    func logout(_ request: LogoutRequest, context: CallContext) async throws {
        try await answering(context, request) { _ throws(IdentityError) in
            if request.logoutAllDevices {
                _ = try await signIns.signOutEverywhere(accessToken: request.sessionToken)
            } else {
                try await signIns.signOut(refreshToken: request.sessionToken)
                try await signIns.signOut(accessToken: request.sessionToken)
            }
        }
    }

    /// `unauthenticated` means: sign in again.
    ///
    /// `unavailable` means: the same token will still work later.
    func refreshToken(_ request: RefreshTokenRequest, context: CallContext) async throws -> AuthResponse {
        try await answering(context, request) { _ throws(IdentityError) in
            try await answer(
                try await signIns.renew(request.refreshToken, idempotencyKey: context.metadata[.idempotencyKey]))
        }
    }

    /// With a challenge as its token it completes a login; with an access token it confirms what SetupTwoFactor began, and
    /// the session stays the one that it is.
    func verifyTwoFactor(_ request: VerifyTwoFactorRequest, context: CallContext) async throws -> AuthResponse {
        if let token = context.metadata.bearerToken, SignIns.isChallenge(token) {
            return try await answering(context, request) { origin throws(IdentityError) in
                try await answer(try await signIns.complete(challenge: token, code: request.code, from: origin))
            }
        }
        return try await answering(bearer: context, request) { bearer, origin throws(IdentityError) in
            try await SecondFactors(parts: parts).confirm(request.code, bearer, from: origin)
            var answer = AuthResponse()
            answer.user = User(try await full(bearer.accountID))
            return answer
        }
    }

    func setupTwoFactor(
        _ request: SetupTwoFactorRequest, context: CallContext
    ) async throws -> SetupTwoFactorResponse {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            let setup = try await SecondFactors(parts: parts).begin(bearer)
            var answer = SetupTwoFactorResponse()
            answer.secret = setup.secret
            answer.otpauthUri = setup.uri
            answer.recoveryCodes = setup.recoveryCodes
            return answer
        }
    }
}
