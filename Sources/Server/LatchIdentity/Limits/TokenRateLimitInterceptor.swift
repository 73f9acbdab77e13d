// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import PortableFoundation

/// An interceptor that limits a network's requests to the token routes, and reports the remaining ones.
///
/// It is the outermost of a group, so that rejections and errors carry its fields as well.
struct TokenRateLimitInterceptor: Interceptor {
    let dependencies: Dependencies
    /// The format of the group's errors.
    let format: ErrorFormat

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let attempt = dependencies.limits.token(address: request.requestOrigin.address)
        var response: HTTPResponse
        if let rejection = dependencies.limiter.take([attempt], at: dependencies.now) {
            response = .failure(.tooManyAttempts(rejection), as: format)
        } else {
            response = try await next.respond(to: request)
        }
        let now = dependencies.now
        let (count, wait) = dependencies.limiter.remaining(for: attempt, at: now)
        // A response that reports a tighter limit, such as that of wrong passwords, keeps it.
        if response.fields["RateLimit"] == nil {
            response.fields["RateLimit-Policy"] = attempt.limit.policyField
            response.fields["RateLimit"] = "\"\(attempt.limit.name)\";r=\(count);t=\(Int(wait.rounded(.up)))"
        }
        // The names that Lazi documents; the end of the window is in seconds since 1970.
        response.fields["X-RateLimit-Limit"] = String(attempt.limit.capacity)
        response.fields["X-RateLimit-Remaining"] = String(count)
        response.fields["X-RateLimit-Reset"] = String(
            Int64(exactly: (now.timeIntervalSince1970 + wait).rounded(.up)) ?? 0)
        return response
    }
}
