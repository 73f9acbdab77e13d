// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport

/// An issuer in this process that grants whatever it is asked for, accepts its newest access token alone, and keeps what
/// it was sent.
final class ScriptedIssuer: Sendable {
    struct World {
        /// Counts the access tokens; the newest is `access-<count>`.
        var count = 0
        /// Whether even the newest access token is refused.
        var refusesAll = false
        /// The code without which a password is not enough; nil for none.
        var code: String?
        /// Whether refresh tokens are refused.
        var hasEnded = false
        var requests: [HTTPRequest] = []
        var renewals = 0
    }

    let world = Mutex(World())
    let url: String
    private let server: Server

    /// Runs `body` with such an issuer on a free port.
    ///
    /// - Parameter gate: A gate that the responses to refreshes wait at, once they have taken effect.
    static func with<Result: Sendable>(
        _ routes: (inout Router) -> Void = { _ in }, tls: Server.TLS? = nil, answeringRefreshesAfter gate: Gate? = nil,
        _ body: (ScriptedIssuer) async throws -> Result
    ) async throws -> Result {
        let world = Mutex<ScriptedIssuer?>(nil)
        var router = Router()
        routes(&router)
        router.post("/oauth/token") { request in
            let response = try world.withLock { $0 }?.grant(request) ?? HTTPResponse(status: 503)
            if request.body.text?.contains("grant_type=refresh_token") == true { await gate?.pass() }
            return response
        }
        router.post("/oauth/revoke") { request in
            world.withLock { $0 }?.keep(request)
            return HTTPResponse(status: 200)
        }
        for method in [HTTPMethod.get, .post, .put, .delete] {
            router.on(method, "/api/{name}") { request in
                world.withLock { $0 }?.resource(request) ?? HTTPResponse(status: 503)
            }
        }
        var configuration = Server.Configuration.patient
        configuration.tls = tls
        let server = Server(handler: router, configuration: configuration)
        let issuer = ScriptedIssuer(server, url: try await server.start().url)
        world.withLock { $0 = issuer }
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(issuer)) } catch { outcome = .failure(error) }
        world.withLock { $0 = nil }
        await server.shutdown(grace: .seconds(5))
        return try outcome.get()
    }

    private init(_ server: Server, url: String) {
        self.server = server
        self.url = url
    }

    /// The requests to `/api/…`, in order.
    var resourceRequests: [HTTPRequest] { world.withLock { $0.requests.filter { $0.path.hasPrefix("/api/") } } }

    /// The requests of the password grant, in order.
    var passwordRequests: [HTTPRequest] {
        world.withLock { $0.requests.filter { $0.body.text?.contains("grant_type=password") == true } }
    }

    private func keep(_ request: HTTPRequest) { world.withLock { $0.requests.append(request) } }

    private func grant(_ request: HTTPRequest) throws -> HTTPResponse {
        let isRenewal = request.body.text?.contains("grant_type=refresh_token") ?? false
        return world.withLock { world in
            world.requests.append(request)
            if isRenewal { world.renewals += 1 }
            guard !world.hasEnded || !isRenewal else {
                return HTTPResponse(status: 400, body: HTTPBody(#"{"error":"invalid_grant"}"#))
            }
            if let code = world.code, request.body.text?.contains("otp=\(code)") != true {
                return HTTPResponse(status: 400, body: HTTPBody(#"{"error":"mfa_required"}"#))
            }
            world.count += 1
            let body =
                #"{"access_token":"access-\#(world.count)","refresh_token":"refresh-\#(world.count)","#
                + #""token_type":"Bearer","expires_in":900}"#
            return HTTPResponse(status: 200, body: HTTPBody(body))
        }
    }

    /// Echoes what was sent, or refuses a credential that is not the newest.
    private func resource(_ request: HTTPRequest) -> HTTPResponse {
        world.withLock { world in
            world.requests.append(request)
            let isAccepted = request.fields[.authorization] == "Bearer access-\(world.count)" && !world.refusesAll
            guard isAccepted else { return HTTPResponse(status: .unauthorized, body: HTTPBody("refused")) }
            return HTTPResponse(
                status: request.path.contains("missing") ? .notFound : .ok, fields: ["X-Answer": "yes"],
                body: HTTPBody("\(request.method.rawValue) \(request.path) \(request.body.text ?? "")"))
        }
    }
}
