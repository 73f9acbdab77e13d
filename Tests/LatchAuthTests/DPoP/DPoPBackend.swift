// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport

/// A resource and a token endpoint on a real socket that want every message proved, with their nonces (RFC 9449).
final class DPoPBackend: Sendable {
    struct State: Sendable {
        /// The access token that is accepted, and the thumbprint of the key that it is bound to.
        var token = "access-0"
        var thumbprint = ""
        var refreshes: [String] = []
        /// Whether it asks for another nonce whatever it gets.
        var isNeverContent = false
        /// The target of the redirect at `/elsewhere`.
        var elsewhere = ""
    }

    /// The loop of the server's thread; it does not retain the server, so that both can be released.
    private final class Script: Sendable {
        let state = Mutex(State())
        let clock: ManualClock
        let nonces: DPoPNonces
        let verifier: DPoPVerifier

        init(_ clock: ManualClock) {
            self.clock = clock
            nonces = DPoPNonces(clock: clock.wallClock())
            verifier = DPoPVerifier(nonces: nonces, clock: clock.wallClock())
        }

        func answer(_ raw: RawHTTPServer.Request) -> RawHTTPServer.Response {
            let words = raw.line.split(separator: " ").map(String.init)
            var request = HTTPRequest(
                method: HTTPMethod(rawValue: words[0]), scheme: "http",
                authority: raw.values(of: "Host").first ?? "", path: words[1])
            for value in raw.values(of: "DPoP") { request.fields.append(value, for: "DPoP") }
            do {
                return try words[1] == "/token" ? refresh(request, raw) : resource(request, raw)
            } catch {
                return refusal(error as? AuthError, isTokenEndpoint: words[1] == "/token")
            }
        }

        private func resource(_ request: HTTPRequest, _ raw: RawHTTPServer.Request) throws -> RawHTTPServer.Response {
            let (token, thumbprint) = state.withLock { ($0.token, $0.thumbprint) }
            let sent = raw.values(of: "Authorization").first ?? ""
            guard sent.hasPrefix("DPoP ") else { throw AuthError.refusedProof }
            _ = try verifier.verify(request, accessToken: String(sent.dropFirst(5)), boundTo: thumbprint)
            guard !state.withLock({ $0.isNeverContent }) else { throw AuthError.staleProofNonce }
            guard sent == "DPoP \(token)" else {
                return .response(401, fields: common + [#"WWW-Authenticate: DPoP error="invalid_token""#])
            }
            if request.path == "/moved" { return .response(307, fields: common + ["Location: /notes?moved"]) }
            if request.path == "/elsewhere" {
                return .response(307, fields: common + ["Location: \(state.withLock { $0.elsewhere })"])
            }
            return .response(200, fields: common, body: String(decoding: raw.body, as: UTF8.self))
        }

        private func refresh(_ request: HTTPRequest, _ raw: RawHTTPServer.Request) throws -> RawHTTPServer.Response {
            let proof = try verifier.verify(request)
            return state.withLock { state in
                guard proof.thumbprint == state.thumbprint else { return .response(400) }
                state.refreshes.append(raw.values(of: "Idempotency-Key").joined())
                state.token = "access-\(state.refreshes.count)"
                return .response(200, fields: common, body: state.token)
            }
        }

        /// The fields of every response: the date, and the next nonce.
        private var common: [String] { ["Date: \(HTTPDate(clock.now))", "DPoP-Nonce: \(nonces.current)"] }

        private func refusal(_ error: AuthError?, isTokenEndpoint: Bool) -> RawHTTPServer.Response {
            let code = error == .staleProofNonce ? "use_dpop_nonce" : "invalid_dpop_proof"
            let fields = state.withLock { $0.isNeverContent } ? ["DPoP-Nonce: \(UUID().uuidString)"] : common
            guard isTokenEndpoint else {
                return .response(401, fields: fields + [#"WWW-Authenticate: DPoP algs="ES256", error="\#(code)""#])
            }
            return .response(
                400, fields: fields + ["Content-Type: application/json"], body: #"{"error":"\#(code)"}"#)
        }
    }

    private let script: Script
    let server: RawHTTPServer
    let clock = ManualClock()
    let key: DPoPKey

    /// - Parameter skew: By how many seconds the client's date is wrong.
    init(skew: Double = 0) throws {
        let script = Script(clock)
        self.script = script
        server = try RawHTTPServer { script.answer($0) }
        key = try DPoPKey.generate(clock: clock.wallClock(skew: skew))
        change { [key] in $0.thumbprint = key.thumbprint }
    }

    var refreshes: [String] { script.state.withLock { $0.refreshes } }

    func change(_ body: @Sendable (inout State) -> Void) { script.state.withLock { body(&$0) } }

    /// The requests for a path, or for all, in order of arrival.
    func requests(_ path: String? = nil) -> [RawHTTPServer.Request] {
        server.requests.filter { path == nil || $0.line.contains(" \(path ?? "") ") }
    }

    var url: URL { URL(string: server.url) ?? URL(filePath: "/") }

    func tokens(_ access: String = "access-0") -> Tokens {
        Tokens(access: access, refresh: "refresh", tokenType: .dpop, key: key)
    }

    /// A session that refreshes here, by proved requests.
    func session() async throws -> Session<Tokens> {
        let url = url
        let session = Session(store: InMemoryTokenStore<Tokens>()) { request in
            let proving = request.credential.key.map { [DPoPInterceptor($0)] } ?? []
            let client = Client(baseURL: url, transport: CurlTransport(), interceptors: proving)
            let fields: HTTPFields = [.idempotencyKey: request.idempotencyKey]
            let request = try client.request(.post, "token", fields: fields, body: HTTPBody("refresh"))
            let response = try await client.respond(to: request)
            guard response.status == .ok else { throw HTTPError.offline }
            return Tokens(access: response.body.text ?? "", refresh: "refresh", tokenType: .dpop)
        }
        try await session.signIn(tokens())
        return session
    }

    func client(_ interceptor: any Interceptor) -> Client {
        Client(baseURL: url, transport: CurlTransport(), interceptors: [interceptor])
    }

    func client(_ session: Session<Tokens>) -> Client { client(SessionInterceptor(session, for: .host("127.0.0.1"))) }
}
