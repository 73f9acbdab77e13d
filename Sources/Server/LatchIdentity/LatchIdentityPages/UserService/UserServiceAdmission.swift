// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchRPC

/// The check of the user service's calls by their heads, so that a stranger's content is never decompressed or decoded.
package struct UserServiceAdmission: Sendable {
    package let limits: RateLimits
    package let tokens: TokenService

    package init(limits: RateLimits, tokens: TokenService) {
        self.limits = limits
        self.tokens = tokens
    }

    /// The context key of the caller's session.
    package enum Session: HTTPContextKey {
        package static var defaultValue: AuthenticatedSession? { nil }
    }

    /// The calls that need no access token, with the limit that they count against in addition to the limit of all
    /// calls.
    private static let open: [Substring: RateLimits.Request?] = [
        "Register": .signUp, "Login": nil, "Logout": nil, "RefreshToken": nil, "RequestPasswordReset": .mail,
        "ResendVerification": .mail, "ResetPassword": .link, "VerifyEmail": .link,
    ]

    /// The limits of a caller without an access token, the same as for the JSON routes.
    private static let openLimits = RPCLimits(messageBytes: openBytes)
    private static let openBytes = 64 << 10

    /// The limits of the content of the open calls, by path, which apply while the content is received.
    ///
    /// They allow a message with its prefix, in the base64 of gRPC-Web.
    package static var contentLimits: [String: Int] {
        let bytes = (openBytes + 5) * 4 / 3 + 4
        return Dictionary(uniqueKeysWithValues: open.keys.map { (callPath + $0, bytes) })
    }

    /// The path prefix of the calls.
    package static let callPath = "/userservice.v1.UserService/"

    /// Returns the limits of all calls by path.
    ///
    /// - Parameter bytes: The maximum size of a call with an access token.
    package static func contentLimits(callBytes bytes: Int) -> [String: Int] {
        contentLimits.mapValues { min($0, bytes) }.merging([callPath: bytes]) { $1 }
    }

    /// Counts the call against the limits of the client's network, and authenticates the caller if the method needs it.
    ///
    /// - Throws: The `RPCError` of `IdentityError.tooManyAttempts`, `.invalidToken` or `.forbidden`, or of a store's
    ///   error.
    package func admit(_ context: inout CallContext) async throws {
        let name = context.path.dropFirst(Self.callPath.utf8.count)
        let access = Self.open[name]
        let address = context.http[RequestOriginKey.self].address
        var attempts = limits.attempts(of: .token, from: address)
        if let request = access.flatMap(\.self) { attempts += limits.attempts(of: request, from: address) }
        do throws(IdentityError) {
            try limits.take(attempts)
            let token = context.metadata.bearerToken
            // A challenge proves only the password. It is verified together with its code.
            let isChallenge = token.map { SignInChallenges.isChallenge($0, on: .app) } ?? false
            if access != nil || (name == "VerifyTwoFactor" && isChallenge) {
                context.limits = Self.openLimits
                return
            }
            let session = try await tokens.authenticate(
                accessToken: token, isReading: context.idempotency == .noSideEffects)
            try session.requireFirstParty()
            context.http[Session.self] = session
        } catch {
            throw context.failure(error)
        }
    }
}
