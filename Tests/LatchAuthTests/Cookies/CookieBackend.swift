// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport

/// A backend of the old kind on a real socket: a form to log in, a cookie that proves it, and 401 without.
final class CookieBackend: Sendable {
    struct State: Sendable {
        /// The value of `sid` that is accepted; nil accepts none.
        var valid: String?
        var logins = 0
        /// The response of a login, in place of 204.
        var loginStatus = 204
        /// The content of a login that fails.
        var loginBody = ""
        /// Whether a login sets the cookie.
        var setsCookie = true
        /// Attributes of the cookie.
        var attributes = "; HttpOnly"
        /// Whether each answer exchanges the cookie.
        var rotates = false
        var rotations = 0
    }

    /// The loop of the server's thread; it does not retain the server, so that both can be released.
    private final class Script: Sendable {
        let state = Mutex(State())

        func answer(_ request: RawHTTPServer.Request) -> RawHTTPServer.Response {
            state.withLock { state in
                if request.line.hasPrefix("POST /login ") { return login(&state) }
                let sent = request.values(of: "Cookie").flatMap { $0.components(separatedBy: "; ") }
                guard let valid = state.valid, sent.contains("sid=\(valid)") else {
                    // As real ones do: what is worth nothing is deleted.
                    return .response(401, fields: ["Set-Cookie: sid=; Max-Age=0; Path=/"])
                }
                var fields: [String] = []
                if state.rotates {
                    state.rotations += 1
                    state.valid = "r\(state.rotations)"
                    fields.append("Set-Cookie: sid=r\(state.rotations)\(state.attributes)")
                }
                if request.line.contains("/moved") { return .response(302, fields: fields + ["Location: /notes"]) }
                return .response(fields: fields, body: "for \(sent.joined(separator: ","))")
            }
        }

        private func login(_ state: inout State) -> RawHTTPServer.Response {
            state.logins += 1
            guard state.loginStatus < 300, state.setsCookie else {
                return .response(state.loginStatus, body: state.loginBody)
            }
            state.valid = "s\(state.logins)"
            return .response(
                state.loginStatus,
                fields: ["Set-Cookie: sid=s\(state.logins)\(state.attributes)", "Set-Cookie: lang=en"])
        }
    }

    private let script = Script()
    let server: RawHTTPServer

    init() throws {
        let script = script
        server = try RawHTTPServer { script.answer($0) }
    }

    var url: URL { URL(string: server.url) ?? URL(filePath: "/") }
    var logins: Int { script.state.withLock { $0.logins } }

    func change(_ body: @Sendable (inout State) -> Void) { script.state.withLock { body(&$0) } }

    /// The cookies of every request but the logins, in order of arrival.
    var sent: [String] {
        server.requests.filter { !$0.line.contains("/login") }.map { $0.values(of: "Cookie").joined(separator: " | ") }
    }

    /// Logs in over a real connection and gives the cookies of the answer.
    func login() async throws -> [Cookie] {
        let jar = CookieJar()
        let client = Client(baseURL: url, transport: CurlTransport(), interceptors: [CookieInterceptor(jar)])
        try await client.perform(.post("login", sending: .form([("user", "a&b"), ("password", "p=1;")])))
        return jar.cookies
    }

    /// A session over `store` that logs in here.
    func session(
        in store: any TokenStore<[Cookie]> = InMemoryTokenStore<[Cookie]>(), named names: Set<String> = [],
        clock: WallClock = .system, before step: @escaping @Sendable () async throws -> Void = {}
    ) -> Session<CookieCredential> {
        Session(cookiesIn: store, named: names, clock: clock) {
            // The worst login that a program may bring: it goes on when it is cancelled.
            try await Task {
                try await step()
                return try await self.login()
            }.value
        }
    }

    func client(_ session: Session<CookieCredential>, host: String = "127.0.0.1") -> Client {
        Client(
            baseURL: URL(string: "http://\(host):\(server.port)") ?? url, transport: CurlTransport(),
            interceptors: [SessionInterceptor(session, for: .host("127.0.0.1"))])
    }
}
