// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP
import LatchServer

/// Counts the requests of a network to the token routes, and tells with each answer how many are left.
///
/// It is the outermost of a group, so that refusals and errors carry its fields as well.
struct TokenLimitInterceptor: Interceptor {
    let parts: IdentityParts
    /// That of the group's errors.
    let shape: ErrorShape

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let attempt = parts.limits.token(address: request.signInOrigin.address)
        var response: HTTPResponse
        if let refusal = parts.limiter.take([attempt], at: parts.clock.now) {
            response = .failure(.tooManyAttempts(refusal), as: shape)
        } else {
            response = try await next.respond(to: request)
        }
        let now = parts.clock.now
        let (count, wait) = parts.limiter.left(of: attempt, at: now)
        // An answer that speaks of a tighter limit already, such as that of wrong passwords, keeps that one.
        if response.fields["RateLimit"] == nil {
            response.fields["RateLimit-Policy"] = attempt.limit.policyField
            response.fields["RateLimit"] = "\"\(attempt.limit.name)\";r=\(count);t=\(Int(wait.rounded(.up)))"
        }
        // The names under which seed 004 documents them; the end of the window is in seconds since 1970.
        response.fields["X-RateLimit-Limit"] = String(attempt.limit.capacity)
        response.fields["X-RateLimit-Remaining"] = String(count)
        response.fields["X-RateLimit-Reset"] = String(
            Int64(exactly: (now.timeIntervalSince1970 + wait).rounded(.up)) ?? 0)
        return response
    }
}
