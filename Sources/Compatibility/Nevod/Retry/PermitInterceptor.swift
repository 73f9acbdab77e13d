// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Waits for a permit before each attempt.
struct PermitInterceptor: Interceptor {
    let limiter: any RateLimiting

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await limiter.acquirePermit()
        return try await next.respond(to: request)
    }
}
