// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Testing

@Suite struct ProtectedResourceTests {
    @Test func `A resource that describes itself publishes its metadata between host and path`() async throws {
        let guarded = try GuardedResource(proofs: .required(DPoPVerifier()))
        let path = "/.well-known/oauth-protected-resource/notes"
        expectEqual(guarded.resource.metadataURL, "https://api.test" + path)
        let response = try await guarded.router().respond(to: HTTPRequest(authority: "api.test", path: path))
        #expect(response.status == .ok && response.fields[.contentType] == "application/json")
        let document = try JSONValue(parsing: response.body.bytes)
        expectEqual(document["resource"], "https://api.test/notes")
        expectEqual(document["authorization_servers"], ["https://id.test"])
        expectEqual(document["scopes_supported"], ["notes:read", "notes:write"])
        expectEqual(document["bearer_methods_supported"], ["header"])
        expectEqual(document["dpop_bound_access_tokens_required"], true)
        expectEqual(document["dpop_signing_alg_values_supported"]?.arrayValue?.contains("ES256"), true)
    }

    @Test(arguments: [
        ("https://api.test", "/.well-known/oauth-protected-resource"),
        ("https://api.test/", "/.well-known/oauth-protected-resource"),
        ("https://api.test:8443/a/b/", "/.well-known/oauth-protected-resource/a/b/"),
        ("http://127.0.0.1:8081/mcp", "/.well-known/oauth-protected-resource/mcp"),
    ])
    func `A resource that describes itself keeps its identifier as it is written`(text: String, path: String) throws {
        let resource = try ProtectedResource(url: url(text), authorizationServers: [])
        expectEqual(resource.metadataPath, path)
        expectEqual(resource.metadata["resource"]?.stringValue, text)
        // RFC 9728 §3.2.
        #expect(resource.metadata["authorization_servers"] == nil && resource.metadata["scopes_supported"] == nil)
    }

    @Test(arguments: ["http://api.test", "https://api.test/?a=b", "https://api.test/#a", "ftp://api.test", "notes"])
    func `A resource that describes itself is a URL that no attacker on the network can change`(text: String) throws {
        #expect(throws: HTTPError.self) { try ProtectedResource(url: url(text), authorizationServers: []) }
    }

    @Test func `A resource that describes itself is named in every challenge`() async throws {
        let guarded = try GuardedResource(proofs: .supported(DPoPVerifier()))
        let scoped = guarded.router([guarded.interceptor(requiring: ["notes:write"])])
        let expired = try guarded.token { $0.expiry = guarded.clock.now.addingTimeInterval(-600) }
        for authorization in [nil, "Bearer \(expired)", "Bearer \(try guarded.token())", "Bearer x"] {
            let response = try await scoped.respond(to: guarded.request(authorization))
            let challenges = response.challenges()
            expectEqual(challenges.map(\.scheme), ["Bearer", "DPoP"])
            #expect(challenges.allSatisfy { $0["resource_metadata"] == guarded.resource.metadataURL })
            #expect(challenges.allSatisfy { $0["scope"] == "notes:write" })
            expectEqual(challenges.last?["algs"]?.contains("ES256"), true)
        }
    }

    @Test func `A resource that describes itself cannot break a challenge with its texts`() async throws {
        var guarded = try GuardedResource()
        guarded.resource.realm = "a\" , Basic realm=\"b\\\r\nSet-Cookie: c\u{1F600}"
        let required = StepUpRequirement(contextClasses: ["x\"\r\ny"], maximumAge: .seconds(1))
        let router = guarded.router([guarded.interceptor(authentication: required)])
        let response = try await router.respond(to: guarded.request("Bearer \(guarded.token())"))
        let value = try #require(response.fields[.wwwAuthenticate])
        #expect(value.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        let challenges = response.challenges()
        expectEqual(challenges.count, 1)
        expectEqual(challenges.first?["realm"], "a' , Basic realm='b'??Set-Cookie: c?")
        expectEqual(challenges.first?["acr_values"], "x'??y")
    }
}

@Suite struct AuthenticationRequirementTests {
    private func respond(
        _ requirement: StepUpRequirement, _ change: (GuardedResource, inout Claims) -> Void
    ) async throws -> HTTPResponse {
        let guarded = try GuardedResource()
        let token = try guarded.token { change(guarded, &$0) }
        let router = guarded.router([guarded.interceptor(authentication: requirement)])
        return try await router.respond(to: guarded.request("Bearer \(token)"))
    }

    @Test(arguments: [-61.0, -120, 90, 1e300])
    func `A route that requires an authentication asks for a more recent one, and states the maximum age`(
        seconds: Double
    ) async throws {
        let response = try await respond(StepUpRequirement(maximumAge: .seconds(60))) { guarded, claims in
            claims["auth_time"] = .number(guarded.clock.now.timeIntervalSince1970 + seconds)
        }
        expectEqual(response.status, .unauthorized)
        let challenge = try #require(response.challenges().first)
        #expect(challenge["error"] == "insufficient_user_authentication" && challenge["max_age"] == "60")
        expectNil(challenge["scope"])
        expectEqual(CredentialRefusal(response), .authentication(StepUpRequirement(maximumAge: .seconds(60))))
    }

    @Test func `A route that requires an authentication asks for one of its context classes`() async throws {
        let required = StepUpRequirement(contextClasses: ["phr", "mfa"])
        for acr in [JSONValue.null, "pwd", "PHR", ["phr"]] {
            let response = try await respond(required) { _, claims in claims["acr"] = acr }
            expectEqual(response.challenges().first?["acr_values"], "phr mfa")
            expectEqual(CredentialRefusal(response), .authentication(required))
        }
        try await expectEqual(respond(required) { _, claims in claims["acr"] = "mfa" }.status, .ok)
    }

    @Test func `A route that requires an authentication refuses a token without time and context class`() async throws {
        let required = StepUpRequirement(contextClasses: ["mfa"], maximumAge: .seconds(60))
        try await expectEqual(respond(required) { _, _ in }.status, .unauthorized)
        try await expectEqual(respond(required) { _, claims in claims["acr"] = "mfa" }.status, .unauthorized)
        let both = try await respond(required) { guarded, claims in
            claims["acr"] = "mfa"
            claims["auth_time"] = .integer(Int64(guarded.clock.now.timeIntervalSince1970) - 59)
        }
        expectEqual(both.status, .ok)
    }

    @Test func `A route that requires an authentication names a missing scope first`() async throws {
        let guarded = try GuardedResource()
        let router = guarded.router([
            guarded.interceptor(requiring: ["notes:write"], authentication: StepUpRequirement(contextClasses: ["mfa"]))
        ])
        let response = try await router.respond(to: guarded.request("Bearer \(guarded.token())"))
        #expect(response.status == .forbidden && response.challenges().first?["error"] == "insufficient_scope")
    }
}
