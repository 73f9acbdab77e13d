// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
public import LatchFoundation
public import LatchHTTP
import LatchOAuth

/// A client of the backend that sends requests for the signed-in user.
///
/// Each request carries the access token. A 401 causes one refresh, which all requests share, and one retry.
public struct APIClient: Sendable {
    private let service: OAuthService

    /// Creates a client of a service; the default is the program's service.
    @MainActor
    public init(service: OAuthService? = nil) { self.service = service ?? .shared }

    /// Sends a GET request, and decodes the response.
    public func get<Value: Decodable & Sendable>(
        _ path: RoutePath, query: [(String, String)] = [], as type: Value.Type = Value.self
    ) async throws -> Value {
        try await perform(.raw(.get, path, query: query), as: type)
    }

    /// Sends a value by POST, and decodes the response.
    public func post<Body: Encodable & Sendable, Value: Decodable & Sendable>(
        _ path: RoutePath, body: Body, as type: Value.Type = Value.self
    ) async throws -> Value {
        try await perform(.raw(.post, path, sending: .json(body)), as: type)
    }

    /// Sends a value as JSON, and ignores the content of the response.
    public func post<Body: Encodable & Sendable>(_ path: RoutePath, body: Body) async throws {
        _ = try await respond(to: .raw(.post, path, sending: .json(body)))
    }

    /// Sends a DELETE request.
    public func delete(_ path: RoutePath) async throws { _ = try await respond(to: .raw(.delete, path)) }

    /// Sends a DELETE request, and decodes the response.
    public func delete<Value: Decodable & Sendable>(_ path: RoutePath, as type: Value.Type) async throws -> Value {
        try await perform(.raw(.delete, path), as: type)
    }

    private func perform<Value: Decodable>(
        _ route: Route<HTTPResponse>, as type: Value.Type
    ) async throws -> Value {
        let response = try await respond(to: route)
        do {
            return try JSONDecoder().decode(type, from: Data(response.body.bytes))
        } catch {
            throw APIError.invalidResponse
        }
    }

    /// Returns a successful response.
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
    case invalidURL
    /// The response could not be decoded.
    case invalidResponse
    /// The session has no signed-in user, or has ended.
    case notAuthenticated
    /// The status 401, even with a refreshed token.
    case unauthorized
    /// The status 403, with the scopes if the server names them as the reason.
    case forbidden(InsufficientScope?)
    /// The status 404.
    case notFound
    /// The status 429, with the delay in seconds that the server requests.
    case rateLimited(retryAfter: TimeInterval?)
    /// Another unsuccessful status, with the server's message.
    case serverError(status: Int, message: String?)
    /// The server could not be reached.
    case networkError(any Error)
    /// The session exists but cannot be used now, for example because the keychain is locked.
    case sessionUnavailable(any Error)
}

/// The scopes that a request needs, and those of the token.
public struct InsufficientScope: Sendable, Equatable {
    /// The scopes that the server requires.
    public let required: [String]
    /// The scopes that the server found in the token.
    public let provided: [String]

    /// Creates the scopes.
    public init(required: [String], provided: [String]) {
        self.required = required
        self.provided = provided
    }

    /// The missing scopes, according to the hierarchy of scopes.
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
    /// Creates the error of a response.
    init(_ response: HTTPResponse, now: Date) {
        let error = LatchOAuth.OAuthError(response, now: now)
        switch response.status.rawValue {
        case 401: self = .unauthorized
        case 403: self = .forbidden(InsufficientScope(response))
        case 404: self = .notFound
        case 429: self = .rateLimited(retryAfter: error.retryAfter?.inSeconds)
        default: self = .serverError(status: response.status.rawValue, message: error.issuerMessage)
        }
    }

    /// Converts an error of the core.
    static func map(_ error: any Error) -> any Error {
        switch error {
        case is APIError, is CancellationError: error
        case HTTPError.invalidURL, HTTPError.insecureURL: invalidURL
        case HTTPError.undecodable, HTTPError.malformedMessage, HTTPError.tooLarge: invalidResponse
        case let error as HTTPError: error == .cancelled ? CancellationError() : networkError(error)
        case AuthError.missingToken, AuthError.reauthenticationRequired, AuthError.superseded: notAuthenticated
        case let error as AuthError: sessionUnavailable(error)
        // The error of the refresh before the request.
        case let error as LatchOAuth.OAuthError: sessionUnavailable(error)
        default: error
        }
    }
}

extension InsufficientScope {
    /// Reads Lazi's members, or the challenge of RFC 6750 §3; nil if neither contains scopes.
    init?(_ response: HTTPResponse) {
        let members = (try? JSONValue(parsing: response.body.bytesWithoutMark))?.objectValue ?? [:]
        let inner = members["detail"]?.objectValue ?? members
        let names = { (key: String) in inner[key]?.arrayValue?.compactMap(\.stringValue) }
        let challenged = response.challenges()
            .first { $0.isScheme("Bearer") && $0["error"] == "insufficient_scope" }?["scope"]
        guard
            let required = names("required_scopes")
                ?? challenged?.unicodeScalars.split(separator: " ").map({ String($0) })
        else {
            return nil
        }
        self.init(required: required, provided: names("provided_scopes") ?? [])
    }
}
