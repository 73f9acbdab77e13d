// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// An interceptor that sends the idempotency key of a refresh with the POST of its strategy.
///
/// It comes last, where the retry policy does not see the key. So only the next refresh repeats the request: a server
/// without support for the key could mistake an immediate repetition for a stolen token.
struct RefreshKeyInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard let key = RequestContext.current?.idempotencyKey, request.fields[.idempotencyKey] == nil else {
            return try await next.respond(to: request)
        }
        var request = request
        request.fields[.idempotencyKey] = key
        return try await next.respond(to: request)
    }
}
