// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import Synchronization

/// A backend that answers what it is told and records what it was asked.
///
/// The real one is met in the tests that run against LatchIdentity; this one does what a good server never does.
final class ScriptedBackend: Handler {
    struct Script: Sendable {
        var requests: [HTTPRequest] = []
        var answers: [String: @Sendable (HTTPRequest) async throws -> HTTPResponse] = [:]
    }

    let script = Mutex(Script())

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let answer = script.withLock { script in
            script.requests.append(request)
            return script.answers[String(request.pathWithoutQuery)]
        }
        guard let answer else { return HTTPResponse(status: .notFound) }
        return try await answer(request)
    }

    func on(_ path: String, _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        script.withLock { $0.answers[path] = answer }
    }

    func on(_ path: String, _ status: HTTPStatus, _ json: JSONValue, fields: HTTPFields = [:]) {
        let response = HTTPResponse(status: status, fields: fields, body: HTTPBody(json.serialized()))
        on(path) { _ in response }
    }

    var requests: [HTTPRequest] { script.withLock { $0.requests } }

    func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.pathWithoutQuery == path } }

    /// The content of a request to `path` as JSON.
    func contents(of path: String) throws -> [JSONValue] {
        try requests(to: path).map { try JSONValue(parsing: $0.body.bytes) }
    }

    func client(
        store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>(), base: String = "https://api.example.com",
        endpoints: AccountEndpoints = AccountEndpoints(), refreshUsesCookie: Bool = false,
        clock: WallClock = .system
    ) throws -> AuthClient {
        guard let url = URL(string: base) else { throw HTTPError.invalidURL }
        return AuthClient(
            baseURL: url, store: store, endpoints: endpoints, refreshUsesCookie: refreshUsesCookie, transport: self,
            clock: clock)
    }

    /// An access token as backends write them, unsigned by any known key.
    static func accessToken(_ claims: Claims = [:], expiresIn seconds: Double = 900) throws -> String {
        var claims = claims
        let now = Date()
        claims.issuedAt = now
        claims.expiry = now.addingTimeInterval(seconds)
        return try JWT.sign(claims, with: Key.generate(.es256, id: "backend"))
    }
}
