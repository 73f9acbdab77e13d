// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// Refuses content over a limit of its own, below the server's, with 413.
public struct BodyLimitInterceptor: Interceptor {
    /// In bytes of content, decoded.
    private let limit: Int

    /// An interceptor that lets `limit` bytes pass.
    public init(limit: Int) { self.limit = limit }

    /// Asks `next` for requests that are small enough.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard request.body.bytes.count <= limit else { return .problem(.contentTooLarge) }
        return try await next.respond(to: request)
    }
}
