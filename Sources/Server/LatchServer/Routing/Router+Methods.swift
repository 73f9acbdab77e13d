// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

extension Router {
    /// Adds a `GET` endpoint, which also answers `HEAD`.
    public mutating func get(
        _ pattern: String, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) { on(.get, pattern, body) }

    /// Adds a `POST` endpoint.
    public mutating func post(
        _ pattern: String, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) { on(.post, pattern, body) }

    /// Adds a `PUT` endpoint.
    public mutating func put(
        _ pattern: String, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) { on(.put, pattern, body) }

    /// Adds a `PATCH` endpoint.
    public mutating func patch(
        _ pattern: String, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) { on(.patch, pattern, body) }

    /// Adds a `DELETE` endpoint.
    public mutating func delete(
        _ pattern: String, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) { on(.delete, pattern, body) }
}
