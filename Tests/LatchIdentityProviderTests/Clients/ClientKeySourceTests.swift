// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchSignIn
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

/// The keys at a `jwks_uri` (OpenID Connect Registration §2).
@Suite struct ClientKeySourceTests {
    private static let url = "https://service.example/keys.json"

    /// The host of a client, which publishes keys and counts the requests.
    private final class Host: Sendable {
        let state = Mutex<(response: HTTPResponse, urls: [String])>((HTTPResponse(status: .notFound), []))

        var count: Int { state.withLock { $0.urls.count } }

        func publish(_ keys: Key...) { publish(.json(KeySet(keys).jwks())) }
        func publish(_ response: HTTPResponse) { state.withLock { $0.response = response } }

        var handler: ClosureHandler {
            ClosureHandler { request in
                self.state.withLock { state in
                    state.urls.append(request.absoluteURL)
                    return state.response
                }
            }
        }
    }

    private let host = Host()

    private func key(_ id: String) throws -> Key { try Key.generate(.es256, id: id) }

    private func client(_ key: Key) throws -> KeyClient {
        var client = try KeyClient()
        client.key = key
        return client
    }

    private func site(_ change: (inout OAuthClient) -> Void = { _ in }) async throws -> Site {
        var registration = try KeyClient().registration
        (registration.jwks, registration.jwksURI) = (nil, Self.url)
        change(&registration)
        let client = registration
        return try await Site(upstream: host.handler) {
            $0.clients = [client]
            $0.loginLimitPerMinute = 100
        }
    }

    @Test func `The keys at the URL of a client authenticate it, and are requested once`() async throws {
        let first = try client(try key("1"))
        host.publish(first.key)
        let site = try await site()
        expectEqual(host.count, 0)
        for _ in 0..<3 { try await expectEqual(site.clientCredentials(try first.assertion(for: site)).status, 200) }
        expectEqual(host.state.withLock { $0.urls }, [Self.url])
        await site.close()
    }

    @Test func `The keys at the URL of a client are requested again for a new key, and not for each invented one`()
        async throws
    {
        let (first, second) = (try client(try key("1")), try client(try key("2")))
        host.publish(first.key)
        let site = try await site()
        try await expectEqual(site.clientCredentials(try first.assertion(for: site)).status, 200)
        site.clock.advance(by: .seconds(61))
        host.publish(second.key)
        try await expectEqual(site.clientCredentials(try second.assertion(for: site)).status, 200)
        expectEqual(host.count, 2)
        // The earlier key is withdrawn.
        try await expectEqual(site.clientCredentials(try first.assertion(for: site)).status, 401)
        for number in 0..<5 {
            let stranger = try client(try key("invented-\(number)"))
            let response = try await site.clientCredentials(try stranger.assertion(for: site))
            #expect(response.status == 401 && response.string("error") == "invalid_client")
        }
        expectEqual(host.count, 2)
        site.clock.advance(by: .seconds(61))
        _ = try await site.clientCredentials(try first.assertion(for: site))
        expectEqual(host.count, 3)
        await site.close()
    }

    private static func html() -> HTTPResponse {
        var response = HTTPResponse.json(["keys": []])
        response.fields[.contentType] = "text/html"
        return response
    }

    private static let unreadable: [(HTTPResponse, String)] = [
        (HTTPResponse(status: .notFound), "status 404"), (.redirect(to: "https://10.0.0.1/keys"), "redirect"),
        (html(), "Content-Type"), (.json(["a": 1]), "invalid"),
    ]

    @Test(arguments: unreadable.indices)
    func `The keys at the URL of a client that cannot be read are an error that says so, and a line for the operator`(
        index: Int
    ) async throws {
        let (response, reason) = Self.unreadable[index]
        host.publish(response)
        let site = try await site()
        let lines = Mutex<[IdentityError]>([])
        site.identity.reportStoreFailures { error, _ in lines.withLock { $0.append(error) } }
        let client = try client(try key("1"))
        for _ in 0..<3 {
            let refused = try await site.clientCredentials(try client.assertion(for: site))
            #expect(refused.status == 401 && refused.string("error") == "invalid_client")
            #expect(refused.string("error_description").contains("jwks_uri"), "\(refused.text)")
            #expect(!refused.text.contains("404") && !refused.text.contains("service.example"))
        }
        // A pause follows each failure.
        expectEqual(host.count, 1)
        let line = try #require(lines.withLock { $0.first })
        #expect(lines.withLock { $0.count } == 1 && line.message.contains("'service'"))
        #expect(line.message.contains(reason), "\(line.message)")
        await site.close()
    }

    @Test func `The keys at the URL of a client that is in the configuration may be in the operator's network`()
        async throws
    {
        let first = try client(try key("1"))
        host.publish(first.key)
        let site = try await site { $0.jwksURI = "http://127.0.0.1:8080/keys" }
        try await expectEqual(site.clientCredentials(try first.assertion(for: site)).status, 200)
        await site.close()
    }

    @Test(.tags(.serverSideRequest))
    func `The keys at the URL of a client that describes itself are requested as those of a stranger`() async throws {
        let (inside, outside) = (Host(), Host())
        let key = try key("1")
        inside.publish(key)
        outside.publish(key)
        var configuration = IdentityConfiguration()
        configuration.scopes = ["files:read"]
        let folder = try TemporaryFolder()
        let source = ClientKeySource(
            store: try await IdentityStore.open(folder.file()),
            clock: ManualClock(noon).wallClock(), transport: inside.handler,
            documents: PublicTransport(transport: outside.handler))
        let metadata: JSONObject = [
            "redirect_uris": ["https://service.example/back"], "token_endpoint_auth_method": "private_key_jwt",
            "jwks_uri": .string(Self.url),
        ]
        let client = try OAuthClient(
            id: "app", metadata: metadata, rules: .registration(ScopePolicy(configuration)))
        let found = try await source.verified(by: client, among: KeySet()) { keys throws(JOSEError) in
            keys.keys.compactMap(\.id)
        }
        try expectEqual(found?.get(), ["1"])
        #expect(inside.count == 0 && outside.count == 1)
    }

    @Test func `The keys of a client are in its registration or at its URL, and not in both`() async throws {
        var client = try KeyClient().registration
        client.jwksURI = Self.url
        var configuration = IdentityConfiguration()
        configuration.clients = [client]
        let error = #expect(throws: IdentityError.self) { try OAuthClients(configuration) }
        expectEqual(error?.message.contains("both 'jwks' and 'jwks_uri'"), true)
        configuration.clients[0].jwks = nil
        try await expectEqual(OAuthClients(configuration).registration(of: "service")?.keys.keys.isEmpty, true)
        for url in ["http://service.example/k", "https://a@service.example/k", "https://service.example/k#a", "x"] {
            expectNil(OAuthClient(word: "service;jwks_uri=\(url)"), "\(url)")
        }
        expectEqual(OAuthClient(word: "service;jwks_uri=\(Self.url)")?.jwksURI, Self.url)
    }

    @Test func `The keys at the URL of a client also verify its requests`() async throws {
        let key = try key("1")
        host.publish(key)
        let site = try await site()
        let now = Int64(site.clock.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": "service", "aud": .string(site.identity.issuer ?? ""), "nbf": .integer(now),
            "exp": .integer(now + 300), "client_id": "service", "response_type": "code", "scope": "openid",
            "redirect_uri": "https://service.example/back", "state": "s",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        ]
        func page(_ signer: Key) async throws -> Response {
            let object = try JWS.sign(
                JSONValue.object(claims).serialized(), with: signer, header: ["typ": "oauth-authz-req+jwt", "kid": "1"])
            let query = FormEncoding.encode([
                ("client_id", "service"), ("response_type", "code"), ("scope", "openid"), ("request", object),
            ])
            return try await site.send(.get, "/oauth/authorize?\(query)")
        }
        let good = try await page(key)
        expectEqual(good.status, 200, "\(good.status) \(good.text)")
        let other = try self.key("1")
        try await expectEqual(page(other).status, 400)
        await site.close()
    }
}
