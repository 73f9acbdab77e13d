// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchRPC
import Synchronization
import UserService

/// The challenge of a login that waits for its second factor, kept in memory until it is used.
nonisolated final class ChallengeHolder: Sendable {
    private let text = Mutex<String?>(nil)

    func keep(_ challenge: String?) { text.withLock { $0 = challenge } }
    func forget() { keep(nil) }
    var current: String? { text.withLock { $0 } }
}

/// An interceptor that authenticates calls, except those that sign in.
nonisolated struct SignedInInterceptor: Interceptor {
    /// The calls without authentication.
    private static let open = Set(
        [
            UserServiceMethods.register.path, UserServiceMethods.login.path, UserServiceMethods.refreshToken.path,
            UserServiceMethods.logout.path, UserServiceMethods.requestPasswordReset.path,
            UserServiceMethods.resetPassword.path, UserServiceMethods.verifyEmail.path,
            UserServiceMethods.resendVerification.path,
        ])

    private let session: Session<Tokens>
    private let authorization: SessionInterceptor<Tokens>
    private let challenge: ChallengeHolder

    init(session: Session<Tokens>, challenge: ChallengeHolder, origin: HTTPOrigin) {
        self.session = session
        authorization = SessionInterceptor(session, for: .origin(origin))
        self.challenge = challenge
    }

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        // A signed-in device that verifies the address stays signed in, unlike all others.
        let verifies = request.path.hasSuffix(UserServiceMethods.verifyEmail.path) && session.currentState.isSignedIn
        if !verifies, Self.open.contains(where: { request.path.hasSuffix($0) }) {
            return try await next.respond(to: request)
        }
        if let text = challenge.current, request.path.hasSuffix(UserServiceMethods.verifyTwoFactor.path) {
            var request = request
            request.fields[.authorization] = "Bearer \(text)"
            return try await next.respond(to: request)
        }
        return try await authorization.intercept(request, next: next)
    }
}

nonisolated extension Tokens {
    /// The tokens of a session as the service gives it.
    init(_ session: UserSession) {
        self.init(
            access: session.accessToken, refresh: session.refreshToken.isEmpty ? nil : session.refreshToken,
            expiry: session.hasExpiresAt ? session.expiresAt : nil, userID: session.userId)
    }
}

nonisolated extension UserSession {
    /// The session of tokens; its identifier is in the access token, if that is a JWT of this package's server.
    init(_ tokens: Tokens) {
        let claims = try? JWT(unverified: tokens.access).claims
        self.init(
            id: claims?.string("sid") ?? "", userId: tokens.userID ?? claims?.subject ?? "", accessToken: tokens.access,
            refreshToken: tokens.refresh ?? "", isActive: true)
        if let expiry = tokens.expiry { expiresAt = expiry }
    }
}
