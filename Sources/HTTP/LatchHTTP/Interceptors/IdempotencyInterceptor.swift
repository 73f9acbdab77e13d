// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An interceptor that adds an idempotency key to requests that must not happen twice.
///
/// The server recognizes a retry by the key. It is created once for each request, so place the interceptor outside
/// `RetryInterceptor`. Then all attempts and redirects carry the same key. A key that the caller has set is kept
/// (draft-ietf-httpapi-idempotency-key-header).
public struct IdempotencyInterceptor: Interceptor {
    private let methods: Set<HTTPMethod>
    private let isQuoted: Bool
    private let random: RandomSource

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - methods: The methods that get a key; by default those that are not idempotent.
    ///   - isQuoted: Whether the key is in quotation marks, as the draft specifies (a string of RFC 9651 §3.3.3); most
    ///     servers expect it without them.
    ///   - random: The source of keys, which have 128 bits each.
    public init(
        methods: Set<HTTPMethod> = [.post, .patch], quoted isQuoted: Bool = false, random: RandomSource = .system
    ) {
        self.methods = methods
        self.isQuoted = isQuoted
        self.random = random
    }

    /// Calls `next`, with a key if the request has none.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard methods.contains(request.method), request.fields[.idempotencyKey] == nil else {
            return try await next.respond(to: request)
        }
        var request = request
        let key = random.identifier()
        request.fields[.idempotencyKey] = isQuoted ? "\"\(key)\"" : key
        return try await next.respond(to: request)
    }
}
