// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
public import LatchHTTP
import LatchOAuth
public import PortableFoundation

/// Requests to the backend in the name of who is signed in.
///
/// Each carries the access token. A 401 leads to one renewal, which all requests share, and to one repeat.
public struct APIClient: Sendable {
    private let service: OAuthService

    /// A client of a service; of that of the program by default.
    @MainActor
    public init(service: OAuthService? = nil) { self.service = service ?? .shared }

    /// Sends a GET and decodes the response.
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

/// An error of a request of `APIClient`.
public enum APIError: Error {
    /// The address cannot be requested.
    case invalidURL
    /// The content of the answer has another shape.
    case invalidResponse
    /// No user is signed in, or the session has ended.
    case notAuthenticated
    /// 401, also with a renewed token.
    case unauthorized
    /// 403; with the scopes, where the server says that they are the reason.
    case forbidden(InsufficientScope?)
    /// 404.
    case notFound
    /// 429; in seconds, how long the server asks to wait.
    case rateLimited(retryAfter: TimeInterval?)
    /// Another status that is no success, with the server's words.
    case serverError(status: Int, message: String?)
    /// The server could not be reached.
    case networkError(any Error)
    /// The session is there and cannot be used now, since the keychain is locked for instance.
    case sessionUnavailable(any Error)
}

/// The scopes that a request needs, and those of the token.
public struct InsufficientScope: Sendable, Equatable {
    /// The scopes that the server requires.
    public let required: [String]
    /// The scopes that the server found in the token.
    public let provided: [String]

    /// Scopes from their parts.
    public init(required: [String], provided: [String]) {
        self.required = required
        self.provided = provided
    }

    /// The scopes that are missing, by the hierarchy of scopes.
    public var missing: [String] {
        Scopes(parsing: provided.joined(separator: " "))
            .missing(from: Scopes(parsing: required.joined(separator: " "))).elements.map(\.rawValue)
    }
}

extension APIError: LocalizedError {
    /// A description for users.
    public var errorDescription: String? {
        switch self {
        case .invalidURL: "Invalid server URL"
        case .invalidResponse: "Invalid response from server"
        case .notAuthenticated: "No user is signed in."
        case .unauthorized: "The server does not accept the session."
        case .forbidden(let scopes):
            scopes.map { "Not permitted: \($0.missing.joined(separator: ", ")) is missing." } ?? "Not permitted."
        case .notFound: "The server has no such resource."
        case .rateLimited(let seconds):
            seconds.map { "Too many requests. Try again in \(Int($0.rounded(.up))) seconds." } ?? "Too many requests."
        case .serverError(let status, let message): message ?? "The server responded with status \(status)."
        case .networkError: "Network error: the server could not be reached."
        case .sessionUnavailable: "The session cannot be used at the moment."
        }
    }
}

extension APIError {
    /// The error that an answer stands for.
    init(_ response: HTTPResponse, now: Date) {
        let said = LatchOAuth.OAuthError(response, now: now)
        switch response.status.rawValue {
        case 401: self = .unauthorized
        case 403: self = .forbidden(InsufficientScope(response))
        case 404: self = .notFound
        case 429: self = .rateLimited(retryAfter: said.retryAfter?.inSeconds)
        default: self = .serverError(status: response.status.rawValue, message: said.issuerMessage)
        }
    }

    /// An error of the core in the words of this package.
    static func map(_ error: any Error) -> any Error {
        switch error {
        case is APIError, is CancellationError: error
        case HTTPError.invalidURL, HTTPError.insecureURL: invalidURL
        case HTTPError.undecodable, HTTPError.malformedMessage, HTTPError.tooLarge: invalidResponse
        case let error as HTTPError: error == .cancelled ? CancellationError() : networkError(error)
        case AuthError.missingToken, AuthError.reauthenticationRequired, AuthError.superseded: notAuthenticated
        case let error as AuthError: sessionUnavailable(error)
        // What the renewal before the request threw.
        case let error as LatchOAuth.OAuthError: sessionUnavailable(error)
        default: error
        }
    }
}

extension InsufficientScope {
    /// Reads seed 004's members, or the challenge of RFC 6750 §3; nil where neither names scopes.
    init?(_ response: HTTPResponse) {
        let members = (try? JSONValue(parsing: response.body.bytes))?.objectValue ?? [:]
        let inner = members["detail"]?.objectValue ?? members
        let names = { (key: String) in inner[key]?.arrayValue?.compactMap(\.stringValue) }
        let challenged = response.challenges()
            .first { $0.isScheme("Bearer") && $0["error"] == "insufficient_scope" }?["scope"]
        guard let required = names("required_scopes") ?? challenged?.split(separator: " ").map(String.init) else {
            return nil
        }
        self.init(required: required, provided: names("provided_scopes") ?? [])
    }
}
