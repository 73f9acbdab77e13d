// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

/// The calls of `userservice.v1.UserService` (seed 000), over the same accounts and tokens as every other route.
struct UserCalls: UserServiceServer {
    let parts: IdentityParts

    var accounts: Accounts { Accounts(parts: parts) }
    var signIns: SignIns { SignIns(parts: parts) }

    /// Does what a call asks for, within the limit of its network, and answers what goes wrong in the words of calls.
    func answering<Answer>(
        _ context: CallContext, _ request: some CheckedRequest,
        _ body: (SignIns.Origin) async throws(IdentityError) -> Answer
    ) async throws -> Answer {
        let origin = context.http[SignInOriginKey.self]
        let attempt = parts.limits.token(address: origin.address)
        do throws(IdentityError) {
            if let refusal = parts.limiter.take([attempt], at: parts.clock.now) { throw .tooManyAttempts(refusal) }
            try request.check()
            return try await body(origin)
        } catch {
            throw context.failure(error)
        }
    }

    /// The same for calls that act for somebody; what the token says is asked of the store each time.
    ///
    /// Only tokens of the server's own app will do: who has let an app into some of their things has not let it into
    /// their account.
    func answering<Answer>(
        bearer context: CallContext, _ request: some CheckedRequest,
        _ body: (Bearer, SignIns.Origin) async throws(IdentityError) -> Answer
    ) async throws -> Answer {
        try await answering(context, request) { origin throws(IdentityError) in
            guard let token = context.metadata.bearerToken else { throw .invalidToken }
            let bearer = try await signIns.bearer(ofAccessToken: token)
            guard bearer.appID == parts.apps.firstParty.id else { throw .forbidden }
            return try await body(bearer, origin)
        }
    }

    /// The account with everything that its owner may see of it.
    func full(_ id: String) async throws(IdentityError) -> FullAccount {
        guard let full = try await parts.store.fullAccount(id: id) else { throw .invalidToken }
        return full
    }

    /// The answer to a sign-in or a renewal.
    func answer(_ grant: SignIns.Grant) async throws(IdentityError) -> AuthResponse {
        var answer = AuthResponse()
        answer.user = User(try await full(grant.accountID))
        answer.session = UserSession(grant, at: parts.clock.now)
        return answer
    }
}

/// The key under which the route leaves where a call comes from.
enum SignInOriginKey: HTTPContextKey {
    static var defaultValue: SignIns.Origin { SignIns.Origin(address: "in process", userAgent: nil) }
}

/// Leaves where a request comes from to those who get to see its fields alone, and has no cache keep the answer, which
/// may hold tokens and always speaks of a person (RFC 6749 §5.1).
struct SignInOriginInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        request.context[SignInOriginKey.self] = request.signInOrigin
        var response = try await next.respond(to: request)
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
