// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import SampleResource

/// The steps of scopes and revocation.
enum ScopeSteps {
    static let all: [DemoStep] = [
        DemoStep(code: "scopes", name: "fewer scopes are granted than requested", play: granted),
        DemoStep(code: "scope-enforced", name: "a token may do what its scopes allow, no more", play: enforced),
        DemoStep(code: "revocation", name: "a revoked token is refused immediately", play: revocation),
    ]

    /// Requests a scope that only administrators have.
    ///
    /// The login succeeds with the remaining scopes, as RFC 6749 §3.3 allows, and the client reports what is missing.
    private static func granted(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let requested = Scopes(parsing: "widgets:write widgets:admin")
        let response = try await signIn(stage, requesting: requested)
        let change = response.scopeChange
        try expect(response.grantedScopes?.text == "widgets:write", "granted is '\(response.tokens.scope ?? "")'")
        try expect(change.missing.text == "widgets:admin", "missing is '\(change.missing)'")
        try expect(change.unrequested.isEmpty, "a scope was granted without being requested")
        return .init(
            "requested \(requested), granted widgets:write", ["granted": "widgets:write", "missing": "widgets:admin"])
    }

    /// Starts an API that accepts the server's tokens, and calls it.
    private static func enforced(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let verifier = try RemoteJWTVerifier(issuer: stage.baseURL, audience: stage.baseURL.absoluteString)
        let host = stage.baseURL.host() ?? "127.0.0.1"
        let server = Server(
            handler: SampleResource(verifier: verifier).router, configuration: Server.Configuration(host: host, port: 0)
        )
        let address = try await server.start().url
        do {
            let finding = try await enforced(&stage, at: try require(URL(string: address), "'\(address)' is not a URL"))
            await server.shutdown(grace: .zero)
            return finding
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
    }

    /// Reads and writes with `widgets:write`, which implies reading, and is refused all other access.
    ///
    /// RFC 6750 §3.1: the refusal is 403 `insufficient_scope`, and names the required scope.
    private static func enforced(_ stage: inout DemoStage, at api: URL) async throws -> DemoStep.Finding {
        let tokens = try await signIn(stage, requesting: Scopes(parsing: "widgets:write")).tokens
        let client = Client(baseURL: api)
        func respond(_ method: HTTPMethod, _ path: String, _ body: String = "") async throws -> HTTPResponse {
            var request = try client.request(method, RoutePath(path), body: HTTPBody(body))
            request.fields[.contentType] = "application/json"
            try tokens.authorize(&request)
            return try await client.respond(to: request)
        }
        try expect(
            try await respond(.post, "widgets", #"{"name":"a gear"}"#).status == .created, "no widget was created")
        let list = try await respond(.get, "widgets")
        try expect(list.status == .ok && list.body.text?.contains("a gear") == true, "'write' does not imply 'read'")
        stage.calls += 2
        for (method, path, scope) in [
            (HTTPMethod.get, "widgets/all", "widgets:admin"),
            (.get, "projects", "projects:read"), (.get, "files", "files:read"),
        ] {
            let refused = try await respond(method, path)
            let challenge = refused.fields[.wwwAuthenticate] ?? ""
            try expect(refused.status == .forbidden, "\(method.rawValue) /\(path) resulted in \(refused.status)")
            try expect(
                challenge.contains("insufficient_scope") && challenge.contains("\"\(scope)\""),
                "the refusal does not name \(scope)")
        }
        return .init("write implies read; 4 × 403 insufficient_scope, each naming the scope", ["refusals": 4])
    }

    /// Revokes a refresh token, which also invalidates the access token before its expiry.
    private static func revocation(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let endpoint = TokenEndpoint(server: .latchwork(at: stage.baseURL))
        let tokens = try await signIn(stage, requesting: Scopes(parsing: "files:read")).tokens
        let client = stage.client(holding: tokens)
        _ = try await client.profile()
        stage.calls += 1
        let refresh = try require(tokens.refresh, "there is no refresh token")
        try await endpoint.revoke(refresh, hint: .refresh)
        let copy = stage.client(holding: tokens)
        try await expect(AuthError.reauthenticationRequired, from: "a revoked token") { _ = try await copy.profile() }
        try await expect(OAuthError.invalidGrant, from: "a revoked refresh token") {
            _ = try await endpoint.tokens(for: RefreshGrant(refreshToken: refresh))
        }
        // RFC 7009 §2.2: an invalid token counts as revoked.
        try await endpoint.revoke(refresh, hint: .refresh)
        return .init("neither token works; revoking it again succeeds")
    }

    private static func signIn(_ stage: DemoStage, requesting scopes: Scopes) async throws -> TokenResponse {
        let endpoint = TokenEndpoint(server: .latchwork(at: stage.baseURL))
        let grant = PasswordGrant(username: stage.email, password: stage.password, scopes: scopes)
        return try await endpoint.tokens(for: grant)
    }
}
