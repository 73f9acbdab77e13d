// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import Synchronization
import TestSupport
import Testing

@Suite struct ResourceDiscoveryTests {
    private static let document: JSONObject = [
        "resource": "https://api.test/notes",
        "authorization_servers": ["https://id.example.com", "https://id2.example.com"],
        "scopes_supported": ["notes:read", "not a scope", "notes:write"], "unknown": [1],
    ]

    /// Fetches metadata from a server that answers one path.
    private func fetch(
        _ resource: String = "https://api.test/notes", challenge: String? = nil,
        at path: String = "/.well-known/oauth-protected-resource/notes", insecure: InsecureHTTP = .loopbackOnly,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> ResourceMetadata {
        var members = Self.document
        change(&members)
        let server = ClosureHandler { [members] request in
            guard request.path == path else { return HTTPResponse(status: .notFound) }
            return HTTPResponse(status: .ok, body: HTTPBody(JSONValue.object(members).serialized()))
        }
        let response = challenge.map { HTTPResponse(status: .unauthorized, fields: [.wwwAuthenticate: $0]) }
        return try await ResourceMetadata(
            of: try #require(URL(string: resource)), challengedBy: response, transport: server,
            allowingInsecureHTTP: insecure)
    }

    @Test func `The discovery of an authorization server begins at the well-known URL`() async throws {
        let metadata = try await fetch()
        expectEqual(
            metadata.authorizationServers.map(\.absoluteString),
            [
                "https://id.example.com", "https://id2.example.com",
            ])
        expectEqual(metadata.scopes, ["notes:read", "notes:write"])
        let configuration = try metadata.configuration(registration: ClientRegistration(clientID: "notes"))
        // The resource does not get to choose who receives a secret.
        let confidential = ClientRegistration(clientID: "notes", secret: "secret-of-another-server")
        #expect(throws: OAuthError.resourceDiscoveryFailed) { try metadata.configuration(registration: confidential) }
        #expect(throws: Never.self) {
            try metadata.configuration(registration: confidential, trusting: [configuration.issuer])
        }
        expectEqual(configuration.issuer.absoluteString, "https://id.example.com")
        expectEqual(configuration.resources, ["https://api.test/notes"])
        expectEqual(configuration.scopes, ["notes:read", "notes:write"])
    }

    @Test(arguments: [
        ("https://api.test", "/.well-known/oauth-protected-resource"),
        ("https://api.test/", "/.well-known/oauth-protected-resource"),
        ("https://api.test/a/", "/.well-known/oauth-protected-resource/a/"),
        ("https://api.test?k=v", "/.well-known/oauth-protected-resource?k=v"),
        ("https://api.test/a?k=v", "/.well-known/oauth-protected-resource/a?k=v"),
    ])
    func `The discovery of an authorization server puts the well-known part between host and path`(
        resource: String, path: String
    ) async throws {
        let metadata = try await fetch(resource, at: path) { $0["resource"] = .string(resource) }
        expectEqual(metadata.resource.absoluteString, resource)
    }

    @Test
    func `The discovery of an authorization server follows the challenge of a refusal, with its scopes`() async throws {
        let challenge = #"Basic realm="x", Bearer scope="notes:read", resource_metadata="https://api.test/meta""#
        let metadata = try await fetch(challenge: challenge, at: "/meta")
        expectEqual(metadata.scopes, ["notes:read"])
    }

    @Test(arguments: [
        "https://api.test/notes/", "https://API.test/notes", "https://api.test:443/notes", "https://api.test", "",
        "https://evil.example/notes",
    ])
    func `The discovery of an authorization server takes no metadata of another resource`(named: String) async throws {
        await #expect(throws: OAuthError.resourceDiscoveryFailed) {
            try await fetch { $0["resource"] = .string(named) }
        }
    }

    @Test(arguments: [
        "https://evil.example/meta", "http://api.test/meta", "https://api.test:8443/meta", "/meta", "",
        "https://api.test@evil.example/meta",
    ])
    func `The discovery of an authorization server follows no challenge to another origin`(location: String)
        async throws
    {
        await #expect(throws: (any Error).self) {
            try await fetch(challenge: #"Bearer resource_metadata="\#(location)""#, at: "/meta")
        }
    }

    @Test(
        arguments: [
            [], .null, ["http://id.example.com"], [1], ["https://id.example.com", "ftp://id.example.com"],
            "https://id.example.com",
            ["http://127.0.0.1:9"], ["https://127.0.0.1:9"], ["https://localhost"], ["https://u@id.example.com"],
        ] as [JSONValue])
    func `The discovery of an authorization server takes no server that an attacker could impersonate`(
        servers: JSONValue
    ) async throws {
        await #expect(throws: OAuthError.resourceDiscoveryFailed) {
            try await fetch { $0["authorization_servers"] = servers }
        }
    }

    @Test
    func `The discovery of an authorization server reads no endless document, other status or other format`()
        async throws
    {
        let resource = try #require(URL(string: "https://api.test/notes"))
        for response in [
            HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 0x20, count: 1 << 20))),
            HTTPResponse(status: .notFound), HTTPResponse(status: .noContent),
            HTTPResponse(status: .ok, body: HTTPBody("[]")),
            HTTPResponse(status: 302, fields: [.location: "https://evil.example/"]),
        ] {
            await #expect(throws: (any Error).self) {
                try await ResourceMetadata(of: resource, transport: ClosureHandler { _ in response })
            }
        }
    }

    @Test
    func `The discovery of an authorization server asks no host on the network without encryption`() async throws {
        await #expect(throws: HTTPError.insecureURL) {
            try await fetch("http://api.test/notes") { $0["resource"] = "http://api.test/notes" }
        }
    }
}
