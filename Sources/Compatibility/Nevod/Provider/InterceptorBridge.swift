// SPDX-License-Identifier: Apache-2.0

import FoundationBridge
import LatchHTTP

/// Joins an interceptor of this package to the core: adapts each attempt, and sends it again where that is wanted.
struct InterceptorBridge: Interceptor {
    /// How often an interceptor may have one attempt sent again: one that never has enough must not go on for ever.
    static let maximumReplays = 3

    let interceptor: any RequestInterceptor

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var replays = 0
        while true {
            let original = try URLRequest(request)
            let adapted = try await interceptor.adapt(original)
            var message = request
            try message.takeOver(adapted, madeFrom: original)
            message.steps += Exchange.current?.takeSteps() ?? []
            let outcome: Result<HTTPResponse, any Error>
            do {
                outcome = .success(try await next.respond(to: message))
            } catch {
                outcome = .failure(error)
            }
            guard replays < Self.maximumReplays, request.body.isReplayable,
                try await isWorthRepeating(adapted, after: outcome)
            else { return try outcome.get() }
            replays += 1
        }
    }

    private func isWorthRepeating(
        _ request: URLRequest, after outcome: Result<HTTPResponse, any Error>
    ) async throws -> Bool {
        var answer: HTTPURLResponse?
        let error: NetworkError
        switch outcome {
        case .success(let response):
            guard let failure = NetworkError(response, url: request.url) else { return false }
            answer = HTTPURLResponse(response, url: request.url)
            error = failure
        case .failure(let failure): error = NetworkError(failure)
        }
        // Whoever cancelled wants nothing sent.
        guard error != .cancelled, !Task.isCancelled else { return false }
        return try await interceptor.retry(request, response: answer, error: error)
    }
}
