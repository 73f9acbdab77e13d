// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
public import LatchHTTP
import LatchOAuth

/// Requests to the backend in the name of who is signed in.
///
/// Each carries the access token. A 401 leads to one renewal, which all requests share, and to one repeat.
public struct APIClient: Sendable {
    private let service: OAuthService

    /// A client of a service; of that of the program by default.
    @MainActor
    public init(service: OAuthService? = nil) { self.service = service ?? .shared }

    /// What a path holds.
    public func get<Answer: Decodable & Sendable>(
        _ path: RoutePath, query: [(String, String)] = [], as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await perform(.raw(.get, path, query: query), as: type)
    }

    /// Sends a value, and returns what the server made of it.
    public func post<Body: Encodable & Sendable, Answer: Decodable & Sendable>(
        _ path: RoutePath, body: Body, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await perform(.raw(.post, path, sending: .json(body)), as: type)
    }

    /// Sends a value.
    public func post<Body: Encodable & Sendable>(_ path: RoutePath, body: Body) async throws {
        _ = try await respond(to: .raw(.post, path, sending: .json(body)))
    }

    /// Deletes what a path names.
    public func delete(_ path: RoutePath) async throws { _ = try await respond(to: .raw(.delete, path)) }

    /// Deletes what a path names, and returns what the server says of it.
    public func delete<Answer: Decodable & Sendable>(_ path: RoutePath, as type: Answer.Type) async throws -> Answer {
        try await perform(.raw(.delete, path), as: type)
    }

    private func perform<Answer: Decodable>(
        _ route: Route<HTTPResponse>, as type: Answer.Type
    ) async throws -> Answer {
        let response = try await respond(to: route)
        do {
            return try JSONDecoder().decode(type, from: Data(response.body.bytes))
        } catch {
            throw APIError.invalidResponse
        }
    }

    /// The answer where it is a success.
    private func respond(to route: Route<HTTPResponse>) async throws -> HTTPResponse {
        do {
            let response = try await service.http.perform(route)
            guard response.status.isSuccess else { throw APIError(response, now: service.endpoint.clock.now) }
            return response
        } catch {
            throw APIError.map(error)
        }
    }
}
