// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct ClientRegistrarTests {
    private let server = RegistrationServer()
    private let secrets = InMemorySecretStore()
    private let documentURL: URL

    init() throws { documentURL = try #require(URL(string: "https://notes.example.com/client.json")) }

    // MARK: The store

    @Test func `A registered client is registered once, also after a restart`() async throws {
        try await expectEqual(server.registrar(secrets).registration().clientID, "client-1")
        let restarted = try server.registrar(secrets)
        for _ in 0..<2 { try await expectEqual(restarted.registration().clientID, "client-1") }
        expectEqual(server.calls, ["POST /register"])
    }

    @Test func `A registered client is registered once for all concurrent callers`() async throws {
        let registrar = try server.registrar(secrets)
        let found = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { try await registrar.registration().clientID } }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(found == ["client-1"] && server.calls.count == 1)
    }

    @Test func `A registered client keeps its secret, and its method of authentication`() async throws {
        _ = try await server.registrar(secrets) { $0.authentication = .post }.registration()
        let registration = try await server.registrar(secrets) { $0.authentication = .post }.registration()
        expectEqual(registration.authentication, .post)
        expectEqual(
            registration, ClientRegistration(clientID: "client-1", secret: "secret-of-client-1", authentication: .post))
    }

    @Test func `A registered client whose secret has expired is registered again`() async throws {
        let end = Int64(server.clock.now.timeIntervalSince1970) + 60
        server.state.withLock { $0.change = { $0["client_secret_expires_at"] = .integer(end) } }
        let registrar = try server.registrar(secrets) { $0.authentication = .post }
        try await expectEqual(registrar.registration().clientID, "client-1")
        server.clock.advance(by: .seconds(61))
        server.state.withLock { $0.change = { _ in } }
        try await expectEqual(registrar.registration().clientID, "client-2")
    }

    @Test(.tags(.secretTransport)) func `A registered client shows none of its secrets`() async throws {
        let registrar = try server.registrar(secrets) { $0.authentication = .post }
        _ = try await registrar.registration()
        let client = try #require(try await registrar.read())
        var text = "\(client) \(String(reflecting: client)) \(client.metadata)"
        dump(client, to: &text)
        #expect(!text.contains("secret-of") && !text.contains("manages-"))
        expectEqual(client.metadata["client_name"], "Notes")
        #expect(secrets.names().allSatisfy { !$0.contains("example") })
    }

    @Test func `A registered client is not lost if the store holds something else`() async throws {
        _ = try await server.registrar(secrets).registration()
        let name = try #require(secrets.names().first)
        secrets.write(Array("damaged".utf8), for: name)
        try await expectEqual(server.registrar(secrets).registration().clientID, "client-2")
    }

    // MARK: A forgotten client

    @Test func `A registered client that the issuer has forgotten is registered again, once`() async throws {
        let registrar = try server.registrar(secrets)
        try await expectEqual(registrar.withRegistration(server.token), "a")
        server.forget()
        try await expectEqual(registrar.withRegistration(server.token), "a")
        expectEqual(server.calls, ["POST /register", "POST /token", "POST /token", "POST /register", "POST /token"])
        try await expectEqual(server.registrar(secrets).registration().clientID, "client-2")
    }

    @Test func `A registered client is not registered again and again at an issuer that refuses it`() async throws {
        server.state.withLock { $0.acceptsClients = false }
        let registrar = try server.registrar(secrets)
        for _ in 0..<3 {
            await #expect(throws: OAuthError.invalidClient) { try await registrar.withRegistration(server.token) }
        }
        expectEqual(server.calls.count { $0 == "POST /register" }, 2)
    }

    @Test func `A registered client is replaced by one new one for all callers that were refused`() async throws {
        let registrar = try server.registrar(secrets)
        _ = try await registrar.registration()
        server.forget()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await registrar.withRegistration(server.token) } }
            for try await token in group { expectEqual(token, "a") }
        }
        expectEqual(server.state.withLock { $0.count }, 2)
    }

    @Test func `A registered client stays after any other refusal`() async throws {
        let registrar = try server.registrar(secrets)
        await #expect(throws: OAuthError.invalidGrant) {
            try await registrar.withRegistration { _ -> String in throw OAuthError.invalidGrant }
        }
        try await expectEqual(registrar.registration().clientID, "client-1")
    }

    @Test func `A client that was registered beforehand is never registered again`() async throws {
        let registrar = try server.registrar(
            secrets, existing: ClientRegistration(clientID: "notes"), documentURL: documentURL)
        await #expect(throws: OAuthError.invalidClient) { try await registrar.withRegistration(server.token) }
        #expect(server.calls == ["POST /token"] && secrets.names().isEmpty)
    }

    // MARK: Metadata documents

    @Test func `A client with a metadata document uses its URL where the issuer fetches it`() async throws {
        server.state.withLock { $0.supportsDocuments = true }
        let registrar = try server.registrar(secrets, documentURL: documentURL)
        try await expectEqual(registrar.registration(), ClientRegistration(clientID: documentURL.absoluteString))
        #expect(server.calls.isEmpty)
    }

    @Test func `A client with a metadata document is registered where the issuer does not fetch it`() async throws {
        let registrar = try server.registrar(secrets, documentURL: documentURL)
        try await expectEqual(registrar.registration().clientID, "client-1")
    }

    @Test(arguments: [
        "http://notes.example.com/client.json", "https://notes.example.com", "https://notes.example.com/",
        "https://notes.example.com/client.json#x", "https://ada@notes.example.com/client.json",
        "https://notes.example.com/a/../client.json", "client.json",
    ])
    func `A client with a metadata document needs an https URL with a path`(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: OAuthError.unsuitableClientID) { try server.registrar(secrets, documentURL: url) }
    }

    @Test func `A metadata document names its own URL, and no secret`() throws {
        var metadata = ClientMetadata(redirectURIs: [documentURL], name: "Notes")
        let document = try metadata.document(for: documentURL)
        expectEqual(document["client_id"], "https://notes.example.com/client.json")
        #expect(document["client_name"] == "Notes" && document["token_endpoint_auth_method"] == "none")
        metadata.extra = ["client_id": "other"]
        try expectEqual(metadata.document(for: documentURL)["client_id"], "https://notes.example.com/client.json")
        metadata.authentication = .basic
        #expect(throws: OAuthError.unsuitableClientID) { try metadata.document(for: documentURL) }
    }

    // MARK: Management

    // RFC 7592 §2.1.
    @Test func `A registered client reads its registration, and keeps a new token and secret`() async throws {
        let registrar = try server.registrar(secrets) { $0.authentication = .post }
        try await expectNil(registrar.read())
        _ = try await registrar.registration()
        server.state.withLock {
            $0.change = {
                $0["registration_access_token"] = "new"
                $0["client_secret"] = "new secret"
            }
        }
        try await expectEqual(registrar.read()?.registration.secret, "new secret")
        // The next request needs the new token.
        server.state.withLock { $0.change = { $0["registration_access_token"] = "new" } }
        let read = try await server.registrar(secrets) { $0.authentication = .post }.read()
        expectEqual(read?.registration.secret, "new secret")
    }

    // RFC 7592 §2.2.
    @Test func `A registered client replaces its metadata`() async throws {
        let registrar = try server.registrar(secrets) { $0.authentication = .basic }
        try await expectNil(registrar.update(ClientMetadata(redirectURIs: [])))
        _ = try await registrar.registration()
        var metadata = ClientMetadata(redirectURIs: [documentURL], name: "Other notes")
        metadata.authentication = .basic
        let updated = try #require(try await registrar.update(metadata))
        expectEqual(updated.metadata["client_name"], "Other notes")
        expectEqual(updated.registration.secret, "secret-of-client-1")
        expectEqual(server.calls.last, "PUT /register/client-1")
    }

    // RFC 7592 §2.3.
    @Test func `A registered client deletes its registration`() async throws {
        let registrar = try server.registrar(secrets)
        try await registrar.delete()
        _ = try await registrar.registration()
        try await registrar.delete()
        #expect(server.state.withLock { $0.clients.isEmpty } && secrets.names().isEmpty)
        expectEqual(server.calls, ["POST /register", "DELETE /register/client-1"])
    }

    @Test func `A registered client that the issuer has deleted is known as such`() async throws {
        for manage in [
            { _ = try await $0.read() }, { try await $0.update(ClientMetadata(redirectURIs: [])) },
            { try await $0.delete() },
        ] as [@Sendable (ClientRegistrar) async throws -> Void] {
            let registrar = try server.registrar(secrets)
            _ = try await registrar.registration()
            server.forget()
            try await manage(registrar)
            #expect(secrets.names().isEmpty)
        }
    }

    @Test(arguments: [
        "https://evil.example/register/client-1", "http://id.example.com/register/client-1",
        "https://id.example.com:444/register/client-1", "register",
    ])
    func `A registered client sends its token only to the host that registered it`(address: String) async throws {
        server.state.withLock { $0.change = { $0["registration_client_uri"] = .string(address) } }
        let registrar = try server.registrar(secrets)
        _ = try await registrar.registration()
        await #expect(throws: OAuthError.self) { try await registrar.read() }
        expectEqual(server.calls, ["POST /register"])
    }

    @Test func `A registered client is not confused with another one`() async throws {
        let registrar = try server.registrar(secrets)
        _ = try await registrar.registration()
        server.state.withLock { $0.change = { $0["client_id"] = "other" } }
        await #expect(throws: OAuthError.invalidResponse) { try await registrar.read() }
        try await expectEqual(registrar.registration().clientID, "client-1")
    }
}
