// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// An adapter for a `RequestInterceptor`; it adapts each attempt, and repeats it if the interceptor requests that.
struct InterceptorBridge: Interceptor {
    /// The maximum number of repeats of one attempt.
    static let maximumReplays = 3

    let interceptor: any RequestInterceptor

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var replays = 0
        while true {
            let original = try URLRequest(request)
            let adapted = try await interceptor.adapt(original)
            var message = request
            try message.apply(adapted, changedFrom: original)
            message.modifiers += RequestContext.current?.takeSteps() ?? []
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(try await next.respond(to: message))
            } catch {
                result = .failure(error)
            }
            guard replays < Self.maximumReplays, request.body.isReplayable,
                try await shouldRepeat(adapted, after: result)
            else { return try result.get() }
            replays += 1
        }
    }

    private func shouldRepeat(
        _ request: URLRequest, after result: Result<HTTPResponse, any Error>
    ) async throws -> Bool {
        var httpResponse: HTTPURLResponse?
        let error: NetworkError
        switch result {
        case .success(let response):
            guard let failure = NetworkError(response, url: request.url) else { return false }
            httpResponse = HTTPURLResponse(response, url: request.url)
            error = failure
        case .failure(let failure): error = NetworkError(failure)
        }
        // A canceled request must not be sent again.
        guard error != .cancelled, !Task.isCancelled else { return false }
        return try await interceptor.retry(request, response: httpResponse, error: error)
    }
}
