// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// Turns what an endpoint throws into a response, so that the interceptors outside of it see one.
///
/// A `ServerError` with a client's status says what the client did wrong; anything else is 500 and says nothing about
/// the inside. The server does the same for what reaches it.
public struct ProblemInterceptor: Interceptor {
    /// For the operator: the only place where the error itself is still seen.
    private let report: @Sendable (any Error, HTTPRequest) -> Void

    /// An interceptor that hands each unexpected error to `report` before it is hidden from the client.
    public init(reporting report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in }) {
        self.report = report
    }

    /// Answers by a problem where `next` throws.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        do {
            return try await next.respond(to: request)
        } catch let error as ServerError where error.status.isClientError {
            return .problem(error)
        } catch {
            report(error, request)
            return .problem(status: .internalServerError)
        }
    }
}
