// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension Client {
    /// Performs a route of an API that describes its failures, whatever the status.
    ///
    /// ```swift
    /// switch try await client.outcome(of: .get("users/7", as: User.self), failure: ProblemDetails.self) {
    /// case .success(let user, _): show(user)
    /// case .failure(let problem, let response): show(problem.title, response.status)
    /// }
    /// ```
    ///
    /// - Parameter failure: What the content of an answer is that is no success.
    /// - Throws: `HTTPError.unacceptableStatus`, which carries the response, where the content is no such failure, and
    ///   what `perform` throws.
    public func outcome<Answer, Failure: Decodable & Sendable>(
        of route: Route<Answer>, failure: Failure.Type
    ) async throws -> Outcome<Answer, Failure> {
        let response = try await pipeline.respond(to: request(for: route))
        do {
            return .success(try await route.answer(response, decoder), response)
        } catch let error as HTTPError where error == .unacceptableStatus {
            guard let response = error.response else { throw error }
            do {
                return .failure(try decoder.decode(Failure.self, from: Data(response.body.bytes)), response)
            } catch {
                throw HTTPError.unacceptableStatus(response)
            }
        }
    }

    /// Performs a route and throws what the API describes where it fails.
    ///
    /// ```swift
    /// do { try await client.perform(.delete("users/7"), throwing: ProblemDetails.self) }
    /// catch let problem as ProblemDetails { show(problem.detail) }
    /// ```
    ///
    /// - Throws: A `Failure`, and what ``outcome(of:failure:)`` throws.
    public func perform<Answer, Failure: Error & Decodable>(
        _ route: Route<Answer>, throwing failure: Failure.Type
    ) async throws -> Answer {
        try await outcome(of: route, failure: failure).get()
    }
}
