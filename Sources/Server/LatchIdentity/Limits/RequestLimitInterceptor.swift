// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import PortableFoundation

/// An interceptor that limits a network's requests by their heads, and reports the remaining ones.
///
/// It is the outermost of a group, so that rejections and errors carry its fields as well.
struct RequestLimitInterceptor: Interceptor {
    let dependencies: Dependencies
    /// The kind of the group's requests.
    let request: RateLimits.Request
    /// The format of the group's errors.
    var format = ErrorFormat.message
    /// Whether responses have the fields that Lazi documents.
    var hasLegacyFields = false

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let attempts = dependencies.limits.attempts(of: self.request, from: request.requestOrigin.address)
        var response: HTTPResponse
        if let rejection = dependencies.limiter.take(attempts, at: dependencies.now) {
            response = .failure(.tooManyAttempts(rejection), as: format)
        } else {
            response = try await next.respond(to: request)
        }
        let now = dependencies.now
        let (count, wait) = dependencies.limiter.remaining(for: attempts[0], at: now)
        let limit = attempts[0].limit
        // A response that reports a tighter limit, such as that of wrong passwords, keeps it.
        if response.fields["RateLimit"] == nil {
            response.fields["RateLimit-Policy"] = limit.policyField
            response.fields["RateLimit"] = "\"\(limit.name)\";r=\(count);t=\(Int(wait.rounded(.up)))"
        }
        guard hasLegacyFields else { return response }
        // The names that Lazi documents; the end of the window is in seconds since 1970.
        response.fields["X-RateLimit-Limit"] = String(limit.capacity)
        response.fields["X-RateLimit-Remaining"] = String(count)
        response.fields["X-RateLimit-Reset"] = String(
            Int64(exactly: (now.timeIntervalSince1970 + wait).rounded(.up)) ?? 0)
        return response
    }
}
