// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// The modules of the conformance suite whose requests are in request objects, by value and by reference.
@Suite struct RequestObjectTests {
    /// The objects that a client has published.
    private final class Published: Sendable {
        private let objects = Mutex<[String: String]>([:])
        private let base: String

        init(at base: String = "https://notes.example.com/requests/") { self.base = base }

        func publisher(allowingUnsigned: Bool = false) -> RequestPublisher {
            RequestPublisher(allowingUnsigned: allowingUnsigned) { object, _ in
                let url = self.objects.withLock { objects in
                    let url = "\(self.base)\(objects.count)"
                    objects[url] = object
                    return url
                }
                return try #require(URL(string: url))
            }
        }

        subscript(url: String) -> String? { objects.withLock { $0[url] } }
        var all: [String] { objects.withLock { Array($0.values) } }
    }

    private func registration(_ algorithm: SignatureAlgorithm = .es256) throws -> ClientRegistration {
        ClientRegistration(clientID: "notes", key: try Key.generate(algorithm))
    }

    private func parameters(_ attempt: AuthorizationAttempt) -> [String: String] {
        ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")
    }

    // MARK: By value

    @Test
    func `A relying party (request-object) sends the type and the scope openid beside the object too`() async throws {
        let provider = try ScriptedProvider(registration())
        let client = provider.client { $0.signsRequests = true }
        var request = AuthorizationRequest()
        request.maximumAge = .seconds(300)
        let attempt = try await client.begin(request)
        let sent = parameters(attempt)
        expectEqual(sent.keys.sorted(), ["client_id", "request", "response_type", "scope"])
        expectEqual(sent["scope"], "openid")
        expectEqual(sent["response_type"], "code")
        let inner = try JWT(unverified: try #require(sent["request"])).claims
        expectEqual(inner.string("scope"), "openid profile email offline_access")
        expectEqual(inner.int("max_age"), 300)
        expectEqual(inner.string("client_id"), "notes")
        try await expectEqual(client.finish(provider.approve(attempt)).idTokenClaims?.subject, "ada")
    }

    @Test func `A request object without OpenID Connect has no scope beside it`() async throws {
        let provider = try ScriptedProvider(registration())
        let client = provider.client {
            $0.signsRequests = true
            $0.scopes = ["notes:read"]
        }
        let attempt = try await client.begin()
        expectEqual(parameters(attempt).keys.sorted(), ["client_id", "request", "response_type"])
        try await expectNil(client.finish(provider.approve(attempt)).tokens.idToken)
    }

    @Test(arguments: [false, true])
    func `A high-security client (par-only-expected-params) pushes a request object with no other parameters`(
        hasSecret: Bool
    ) async throws {
        let secret = ClientRegistration(
            clientID: "notes", secret: "0123456789abcdef0123456789abcdef", authentication: .basic)
        let provider = try ScriptedProvider(hasSecret ? secret : registration())
        let client = provider.client {
            $0.signsRequests = true
            $0.pushesRequests = true
        }
        let attempt = try await client.begin()
        expectEqual(parameters(attempt).keys.sorted(), ["client_id", "request_uri"])
        let push = try #require(provider.requests(to: "/par").first)
        let form = ScriptedProvider.parameters(push.body.text ?? "")
        let authentication = ["client_assertion", "client_assertion_type"]
        // RFC 9126 §3.
        expectEqual(form.keys.filter { !authentication.contains($0) }.sorted(), ["client_id", "request"])
        #expect(try await client.finish(provider.approve(attempt)).tokens.idToken != nil)
    }

    // MARK: By reference

    @Test func `A relying party (request-uri-signed-rs256) publishes a signed request`() async throws {
        let provider = try ScriptedProvider(registration(.rs256))
        let published = Published()
        provider.deviate { $0.fetch = { published[$0] } }
        let client = provider.client { $0.requestPublisher = published.publisher() }
        let attempt = try await client.begin()
        let sent = parameters(attempt)
        expectEqual(sent.keys.sorted(), ["client_id", "request_uri", "response_type", "scope"])
        expectEqual(sent["request_uri"], "https://notes.example.com/requests/0")
        try expectEqual(JWT(unverified: try #require(published.all.first)).header.algorithm, .rs256)
        try await expectEqual(client.finish(provider.approve(attempt)).idTokenClaims?.subject, "ada")
    }

    @Test
    func `A relying party (request-uri-signed-none) publishes an unsigned request only where that is allowed`()
        async throws
    {
        let provider = try ScriptedProvider(ClientRegistration(clientID: "notes", secret: "short"))
        let published = Published()
        provider.deviate { $0.fetch = { published[$0] } }
        let strict = provider.client { $0.requestPublisher = published.publisher() }
        await #expect(throws: OAuthError.unsuitableClientKey) { try await strict.begin() }
        #expect(published.all.isEmpty)
        let client = provider.client { $0.requestPublisher = published.publisher(allowingUnsigned: true) }
        let attempt = try await client.begin()
        expectEqual(published.all.first?.hasSuffix("."), true)
        try await expectEqual(client.finish(provider.approve(attempt)).idTokenClaims?.subject, "ada")
        // By value, no object is without a signature.
        let value = provider.client { $0.signsRequests = true }
        await #expect(throws: OAuthError.unsuitableClientKey) { try await value.begin() }
    }

    @Test(arguments: [
        "http://127.0.0.1:8080/requests/", "http://notes.example.com/",
        "https://notes.example.com/" + String(repeating: "a", count: 512),
    ])
    func `An unsigned request object at a URL without encryption or too long a URL is not used`(base: String)
        async throws
    {
        let provider = try ScriptedProvider()
        let published = Published(at: base)
        let client = provider.client { $0.requestPublisher = published.publisher(allowingUnsigned: true) }
        await #expect(throws: OAuthError.unsuitableRequestURI) { try await client.begin() }
    }

    @Test func `A signed request object may be at a URL without encryption`() async throws {
        let provider = try ScriptedProvider(registration())
        let published = Published(at: "http://127.0.0.1:8080/")
        provider.deviate { $0.fetch = { published[$0] } }
        let client = provider.client { $0.requestPublisher = published.publisher(allowingUnsigned: true) }
        #expect(try await client.finish(provider.approve(try await client.begin())).tokens.idToken != nil)
    }

    @Test func `A request that is pushed is not published`() async throws {
        let provider = try ScriptedProvider(registration())
        let published = Published()
        let client = provider.client {
            $0.requestPublisher = published.publisher()
            $0.pushesRequests = true
        }
        #expect(try await client.finish(provider.approve(try await client.begin())).tokens.idToken != nil)
        #expect(published.all.isEmpty)
    }
}
