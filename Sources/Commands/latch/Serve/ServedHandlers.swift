// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Synchronization

/// A handler that can be replaced while it serves requests.
final class SwappableHandler: Handler {
    private let handler: Mutex<any Handler>

    init(_ handler: any Handler) { self.handler = Mutex(handler) }

    /// Replaces the handler of all later requests; requests in flight keep the previous one.
    func replace(with next: any Handler) { handler.withLock { $0 = next } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let current = handler.withLock { $0 }
        return try await current.respond(to: request)
    }
}

/// A handler of some paths of another one; other paths result in 404.
struct PathFilter: Handler {
    let next: any Handler
    let accepts: @Sendable (_ path: Substring) -> Bool

    /// Returns the public side of a server whose metrics have a listener of their own.
    static func withoutMetrics(_ next: any Handler) -> PathFilter { PathFilter(next: next) { $0 != "/metrics" } }

    /// Returns the listener for operators: metrics, health and readiness.
    static func operations(_ next: any Handler) -> PathFilter {
        PathFilter(next: next) { ["/metrics", "/healthz", "/readyz"].contains($0) }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard accepts(request.pathWithoutQuery) else { return HTTPResponse(status: .notFound) }
        return try await next.respond(to: request)
    }
}
