// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Gives each request that must not happen twice a key of its own, by which the server knows a repeat for one.
///
/// The key is made once for each request that comes in, so stand it outside of `RetryInterceptor`: all attempts and
/// redirects then carry the same. A key that the caller set is kept
/// (draft-ietf-httpapi-idempotency-key-header).
public struct IdempotencyInterceptor: Interceptor {
    /// How a key is written into the field.
    public enum Spelling: Sendable, Hashable {
        /// As it is; what most servers take.
        case plain
        /// In quotation marks, as the draft has it: a string of RFC 9651 §3.3.3.
        case quoted
    }

    private let methods: Set<HTTPMethod>
    private let spelling: Spelling
    private let random: RandomSource

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - methods: Of which requests get a key; by default those that change something and are not idempotent
    ///     themselves.
    ///   - spelling: How the server wants the key.
    ///   - random: Where keys come from; each has 128 bits.
    public init(
        methods: Set<HTTPMethod> = [.post, .patch], spelling: Spelling = .plain, random: RandomSource = .system
    ) {
        self.methods = methods
        self.spelling = spelling
        self.random = random
    }

    /// Asks `next`, with a key where there is none.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard methods.contains(request.method), request.fields[.idempotencyKey] == nil else {
            return try await next.respond(to: request)
        }
        var request = request
        let key = random.identifier()
        request.fields[.idempotencyKey] = spelling == .quoted ? "\"\(key)\"" : key
        return try await next.respond(to: request)
    }
}
