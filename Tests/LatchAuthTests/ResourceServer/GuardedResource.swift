// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Synchronization

/// A resource at `https://api.test/notes`, whose issuer's key is at hand.
struct GuardedResource {
    let clock = ManualClock()
    let key: Key
    var resource: ProtectedResource

    init(proofs: ProtectedResource.Proofs = .unsupported) throws {
        key = try Key.generate(.es256)
        resource = try ProtectedResource(
            url: try url("https://api.test/notes"), authorizationServers: [try url("https://id.test")],
            scopes: ["notes:read", "notes:write"])
        resource.proofs = proofs
    }

    var verifier: JWTVerifier {
        JWTVerifier(keys: KeySet([key]), algorithms: [.es256], issuer: "https://id.test", clock: clock.wallClock())
    }

    /// The guard of the routes.
    func interceptor(
        requiring scopes: Scopes = [], authentication: StepUpRequirement? = nil
    ) -> AccessTokenInterceptor {
        AccessTokenInterceptor(
            verifier, requiring: scopes, authentication: authentication, of: resource, clock: clock.wallClock())
    }

    /// The routes: `/notes` behind a guard, and the metadata.
    func router(_ interceptors: [any Interceptor]? = nil) -> Router {
        var router = Router()
        router.on(resource.routes, handledBy: resource)
        router.group(prefix: "/notes", interceptors: interceptors ?? [interceptor()]) { notes in
            notes.get("/") { HTTPResponse(status: .ok, body: HTTPBody($0.accessTokenClaims?.subject ?? "nobody")) }
        }
        return router
    }

    /// A token of the issuer.
    func token(_ change: (inout Claims) -> Void = { _ in }) throws -> String {
        var claims: Claims = ["iss": "https://id.test", "sub": "ada"]
        claims.expiry = clock.now.addingTimeInterval(600)
        change(&claims)
        return try JWT.sign(claims, with: key)
    }

    /// A request for the notes.
    func request(_ authorization: String? = nil) -> HTTPRequest {
        var request = HTTPRequest(authority: "api.test", path: "/notes")
        request.fields[.authorization] = authorization
        return request
    }
}

/// Returns a URL, or fails.
func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw HTTPError.invalidURL }
    return url
}

/// The messages that pass a point, and their responses.
final class Tap: Sendable {
    private let messages = Mutex<[(request: HTTPRequest, response: HTTPResponse)]>([])

    var requests: [HTTPRequest] { messages.withLock { $0.map(\.request) } }

    var responses: [HTTPResponse] { messages.withLock { $0.map(\.response) } }

    /// Returns the handler behind this point.
    func around(_ handler: any Handler) -> any Handler {
        ClosureHandler { request in
            let response = try await handler.respond(to: request)
            self.messages.withLock { $0.append((request, response)) }
            return response
        }
    }
}
