// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import LaziOAuth
import Synchronization

/// The facade's; the core's has the same name.
typealias OAuthError = LaziOAuth.OAuthError

/// A backend that answers what it is told and records what it was asked, for what a good one never does.
final class ScriptedBackend: Handler {
    typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse

    private let script = Mutex<(requests: [HTTPRequest], answers: [String: Answer])>(([], [:]))
    let clock = ManualClock()

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let answer = script.withLock { script in
            script.requests.append(request)
            return script.answers[String(request.pathWithoutQuery)]
        }
        return try await answer?(request) ?? HTTPResponse(status: .notFound)
    }

    func on(_ path: String, _ answer: @escaping Answer) { script.withLock { $0.answers[path] = answer } }

    func on(_ path: String, _ status: HTTPStatus, _ body: String, fields: HTTPFields = [:]) {
        on(path) { _ in HTTPResponse(status: status, fields: fields, body: HTTPBody(body)) }
    }

    var requests: [HTTPRequest] { script.withLock { $0.requests } }

    func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.pathWithoutQuery == path } }

    @MainActor
    func service(
        store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>(), base: String = "https://lazi.example.com",
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly
    ) -> OAuthService {
        OAuthService(
            baseURL: URL(string: base) ?? URL(filePath: "/"), store: store, transport: self,
            allowingInsecureHTTP: allowingInsecureHTTP, clock: clock.wallClock())
    }

    /// A service that is signed in with an hour to go.
    @MainActor
    func signedIn(store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>()) async throws -> OAuthService {
        on("/oauth/token", .ok, Self.answer("a0", refresh: "r0"))
        let service = service(store: store)
        try await service.login(username: "ada", password: "p", scopes: [.widgetsRead, .widgetsWrite])
        return service
    }

    static func answer(_ access: String, refresh: String, scope: String = "widgets:read widgets:write") -> String {
        #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","token_type":"Bearer","expires_in":3600,"#
            + #""scope":"\#(scope)","user_id":"usr_1"}"#
    }
}
