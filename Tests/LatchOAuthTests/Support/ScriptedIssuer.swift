// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import Synchronization

/// An issuer that answers what it is told and records what it was asked, for what a good one never does.
final class ScriptedIssuer: Handler {
    typealias Responder = @Sendable (HTTPRequest) async throws -> HTTPResponse

    private struct Script {
        var requests: [HTTPRequest] = []
        var answers: [String: Responder] = [:]
    }

    private let script = Mutex(Script())
    let clock = ManualClock()

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let answer = script.withLock { script in
            script.requests.append(request)
            return script.answers[String(request.pathWithoutQuery)]
        }
        return try await answer?(request) ?? HTTPResponse(status: .notFound)
    }

    func on(_ path: String, _ answer: @escaping Responder) { script.withLock { $0.answers[path] = answer } }

    func on(_ path: String, _ status: HTTPStatus, _ body: String, fields: HTTPFields = [:]) {
        on(path) { _ in HTTPResponse(status: status, fields: fields, body: HTTPBody(body)) }
    }

    /// The same at the token endpoint.
    func on(_ status: HTTPStatus, _ body: String, fields: HTTPFields = [:]) {
        on("/oauth/token", status, body, fields: fields)
    }

    var requests: [HTTPRequest] { script.withLock { $0.requests } }

    func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.pathWithoutQuery == path } }

    /// The form of each request so far, decoded as a server would, in the order in which it was sent.
    var forms: [[String]] {
        requests.map { request in
            (request.body.text ?? "").split(separator: "&").map { pair in
                pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "?" }.joined(separator: "=")
            }
        }
    }

    static let url = URL(string: "https://id.example.com") ?? URL(filePath: "/")

    func endpoint(
        _ registration: ClientRegistration = .none, unrequestedScopes: UnrequestedScopes = .reported,
        jsonRefresh: Bool = false, url: URL = ScriptedIssuer.url
    ) -> TokenEndpoint {
        var provider = AuthorizationServer.latchwork(at: url)
        if jsonRefresh { provider.jsonRefreshEndpoint = url.appending(path: "oauth/token/refresh") }
        return TokenEndpoint(
            server: provider, registration: registration, unrequestedScopes: unrequestedScopes, transport: self,
            clock: clock.wallClock())
    }
}

extension Scopes {
    /// Scopes of a list with spaces, in a test.
    static func list(_ text: String) -> Scopes { Scopes(parsing: text) }
}
