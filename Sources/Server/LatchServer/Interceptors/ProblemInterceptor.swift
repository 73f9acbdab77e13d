// SPDX-License-Identifier: Apache-2.0

/// An interceptor that converts errors of an endpoint to responses, so that the outer interceptors see one.
///
/// A `ServerError` with a client error status is described to the client. Any other error becomes a 500 without
/// details. The server does the same for errors that reach it.
public struct ProblemInterceptor: Interceptor {
    /// Reports an error that the client does not see.
    private let report: @Sendable (any Error, HTTPRequest) -> Void

    /// Creates an interceptor that calls `report` with each unexpected error.
    public init(reporting report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in }) {
        self.report = report
    }

    /// Returns the response of `next`, or a problem if that throws.
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
