// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// A session of ours at a resource of ours, whose tokens a provider issues and introspects.
@Suite struct GuardedSessionTests {
    private let provider: ScriptedProvider
    private let client: AuthorizationClient
    private let verifier: IntrospectionVerifier
    private let session: Session<Tokens>
    private var resource: ProtectedResource

    init() throws {
        provider = try ScriptedProvider()
        resource = try ProtectedResource(
            url: try #require(URL(string: "https://api.test")), authorizationServers: [ScriptedProvider.issuer],
            scopes: ["notes:read", "notes:write"])
        client = provider.client {
            $0.resources = ["https://api.test"]
            $0.scopes = ["openid", "notes:read"]
        }
        verifier = IntrospectionVerifier(client, audience: "https://api.test", clock: provider.clock.wallClock())
        session = Session(client: client, store: InMemoryTokenStore<Tokens>())
    }

    /// The API: `/notes`, `/payments` for whoever has just authenticated with two factors, and the metadata.
    private func router(_ proofs: ProtectedResource.Proofs = .unsupported) -> Router {
        var resource = resource
        resource.proofs = proofs
        let clock = provider.clock.wallClock()
        var router = Router()
        router.on(resource.routes, handledBy: resource)
        let strong = StepUpRequirement(contextClasses: ["mfa"], maximumAge: .seconds(300))
        for (path, authentication) in [("/notes", nil), ("/payments", strong)] {
            let interceptor = AccessTokenInterceptor(
                verifier, requiring: ["notes:read"], authentication: authentication, of: resource, clock: clock)
            router.group(prefix: path, interceptors: [interceptor]) { group in
                group.post("/") { request in
                    HTTPResponse(status: .ok, body: HTTPBody(request.accessTokenClaims?.subject ?? "nobody"))
                }
            }
        }
        return router
    }

    /// Signs in as a program does, for the request of a step-up as well.
    @discardableResult
    private func signIn(
        _ request: AuthorizationRequest = AuthorizationRequest(), boundTo key: DPoPKey? = nil
    ) async throws -> Tokens {
        try await client.finish(provider.approve(try await client.begin(request, boundTo: key))).tokens
    }

    private func send(_ path: String, _ router: Router, stepUp: Session<Tokens>.StepUp? = nil) async throws
        -> HTTPResponse
    {
        let interceptor = SessionInterceptor(session, for: .host("api.test"), stepUp: stepUp)
        let api = router.intercepted(by: [interceptor])
        return try await api.respond(
            to: HTTPRequest(method: .post, authority: "api.test", path: path, body: HTTPBody("content")))
    }

    @Test func `A session at a guarded resource is accepted by introspection, asked about once`() async throws {
        try await session.signIn(signIn())
        for _ in 0..<3 { try await expectEqual(send("/notes", router()).status, .ok) }
        expectEqual(provider.requests(to: "/introspect").count, 1)
    }

    @Test
    func `A session at a guarded resource refreshes when the resource no longer accepts its token`() async throws {
        let tokens = try await signIn()
        try await session.signIn(tokens)
        provider.revoke(tokens.access)
        try await expectEqual(send("/notes", router()).status, .ok)
        try await expectNotEqual(session.credential().access, tokens.access)
    }

    @Test func `A session at a guarded resource refreshes nothing while the resource cannot introspect`() async throws {
        let tokens = try await signIn()
        try await session.signIn(tokens)
        provider.deviate { deviations in
            deviations.response = { $0.path == "/introspect" ? HTTPResponse(status: 502) : nil }
        }
        try await expectEqual(send("/notes", router()).status, .serviceUnavailable)
        try await expectEqual(session.credential().access, tokens.access)
        expectEqual(provider.requests(to: "/token").count, 1)
    }

    @Test func `A session at a guarded resource learns the authentication that the resource requires`() async throws {
        try await session.signIn(signIn())
        await #expect(throws: AuthError.stepUpRequired) { try await send("/payments", router()) }
        expectEqual(session.stepUp, StepUpRequirement(contextClasses: ["mfa"], maximumAge: .seconds(300)))
        // The credential is good for everything else.
        try await expectEqual(send("/notes", router()).status, .ok)
    }

    @Test
    func `A session at a guarded resource lets the user authenticate as required, and repeats the request`()
        async throws
    {
        try await session.signIn(signIn())
        let asked = Mutex<[StepUpRequirement]>([])
        let response = try await send("/payments", router()) { requirement in
            asked.withLock { $0.append(requirement) }
            return try await signIn(AuthorizationRequest(satisfying: requirement))
        }
        #expect(response.status == .ok && response.body.text == "ada")
        expectEqual(asked.withLock { $0.count }, 1)
        expectNil(session.stepUp)
        // Later the authentication is too old again.
        provider.clock.advance(by: .seconds(301))
        await #expect(throws: AuthError.stepUpRequired) { try await send("/payments", router()) }
    }

    @Test
    func `A session at a guarded resource proves the key of its tokens, with the resource's nonce`() async throws {
        let clock = provider.clock.wallClock()
        let router = router(.required(DPoPVerifier(nonces: DPoPNonces(clock: clock), clock: clock)))
        let key = try DPoPKey.generate(clock: clock)
        let tokens = try await signIn(boundTo: key)
        try await session.signIn(tokens)
        for _ in 0..<2 { try await expectEqual(send("/notes", router).status, .ok) }
        // A thief has the token and not the key.
        for scheme in ["Bearer", "DPoP"] {
            var stolen = HTTPRequest(method: .post, authority: "api.test", path: "/notes")
            stolen.fields[.authorization] = "\(scheme) \(tokens.access)"
            try await expectEqual(router.respond(to: stolen).status, .unauthorized)
        }
    }

    @Test func `A session at a guarded resource is refused with tokens for another resource`() async throws {
        var request = AuthorizationRequest()
        request.resources = ["https://other.test"]
        try await session.signIn(signIn(request))
        let response = try await send("/notes", router())
        expectEqual(response.status, .unauthorized)
        expectEqual(response.challenges().first?["error"], "invalid_token")
    }
}
