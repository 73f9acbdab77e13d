// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Synchronization

/// A handler that can be replaced while it serves requests.
final class SwappableHandler: Handler {
    private let handler: Mutex<any Handler>

    init(_ handler: any Handler) { self.handler = Mutex(handler) }

    /// Replaces the handler of all later requests; requests in flight keep the former one.
    func replace(with next: any Handler) { handler.withLock { $0 = next } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let current = handler.withLock { $0 }
        return try await current.respond(to: request)
    }
}

/// The public side of a server whose metrics have a listener of their own.
struct WithoutMetrics: Handler {
    let next: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.pathWithoutQuery != "/metrics" else { return HTTPResponse(status: .notFound) }
        return try await next.respond(to: request)
    }
}

/// The listener for operators: metrics, health and readiness.
struct OperationsOnly: Handler {
    private static let paths: Set<Substring> = ["/metrics", "/healthz", "/readyz"]

    let next: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard Self.paths.contains(request.pathWithoutQuery) else { return HTTPResponse(status: .notFound) }
        return try await next.respond(to: request)
    }
}
