// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchServer
import LatchTesting
import NoteTools
import Synchronization
import TestSupport
import Testing

/// The example's server on a socket, and a client that knows its URL and nothing else.
private struct ToolServerWorld {
    let provider: ScriptedProvider
    let url: URL
    /// The network: the provider, and the sockets of this machine.
    let network: any Handler

    /// Serves until `body` has ended.
    static func serve(_ body: (ToolServerWorld) async throws -> Void) async throws {
        let router = Mutex<Router?>(nil)
        let served = Relay(router)
        let server = Server(handler: served)
        let address = try await server.start()
        do {
            let world = try ToolServerWorld(at: address.url)
            served.router.withLock { $0 = world.router }
            try await body(world)
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
    }

    /// The port is known before the resource is.
    private final class Relay: Handler {
        let router: Mutex<Router?>

        init(_ router: consuming sending Mutex<Router?>) { self.router = router }

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            guard let router = router.withLock({ $0 }) else { return HTTPResponse(status: .serviceUnavailable) }
            return try await router.respond(to: request)
        }
    }

    private let router: Router

    private init(at base: String) throws {
        let provider = try ScriptedProvider()
        let url = try #require(URL(string: base + "/mcp"))
        let resource = try ProtectedResource(
            url: url, authorizationServers: [ScriptedProvider.issuer], scopes: ["notes:read", "notes:write"])
        let verifier = IntrospectionVerifier(
            provider.client(), audience: url.absoluteString, clock: provider.clock.wallClock())
        router = ToolServer(resource, verifier: verifier, origins: ["https://chat.example.com"]).router
        network = ClosureHandler { request in
            guard request.authority == "id.example.com" else { return try await Transport.live.respond(to: request) }
            return try await provider.respond(to: request)
        }
        (self.provider, self.url) = (provider, url)
    }

    /// Signs in from the server's refusal alone, and returns a client of the tools.
    func signedIn(scopes: Scopes? = nil, for resource: String? = nil) async throws -> any Handler {
        let refusal = try await network.respond(to: message("initialize"))
        expectEqual(refusal.status, .unauthorized)
        let metadata = try await ResourceMetadata(of: url, challengedBy: refusal, transport: network)
        var configuration = try metadata.configuration(
            registration: ClientRegistration(clientID: "notes"), scopes: scopes)
        configuration.redirectURI = ScriptedProvider.redirectURI
        if let resource { configuration.resources = [resource] }
        let client = AuthorizationClient(configuration, transport: network, clock: provider.clock.wallClock())
        let session = Session(client: client, store: InMemoryTokenStore<Tokens>())
        try await session.signIn(try await client.finish(provider.approve(try await client.begin())).tokens)
        return network.intercepted(by: [SessionInterceptor(session, for: .origin(try #require(HTTPOrigin(url))))])
    }

    /// A message of JSON-RPC.
    func message(
        _ method: String, _ parameters: JSONObject = [:], id: Int64? = 1, fields: HTTPFields = [:]
    ) throws -> HTTPRequest {
        var message: JSONObject = ["jsonrpc": "2.0", "method": .string(method), "params": .object(parameters)]
        message["id"] = id.map { .integer($0) }
        return try post(JSONValue.object(message).serialized(), fields)
    }

    func post(_ content: [UInt8], _ fields: HTTPFields = [:]) throws -> HTTPRequest {
        var request = try HTTPRequest(method: .post, url: url, fields: fields, body: HTTPBody(content))
        request.fields[.contentType] = "application/json"
        request.fields[.accept] = "application/json, text/event-stream"
        return request
    }
}

@Suite struct ToolServerTests {
    private static let handshake: JSONObject = [
        "protocolVersion": "2025-06-18", "capabilities": [:], "clientInfo": ["name": "test", "version": "1"],
    ]

    private func result(_ response: HTTPResponse) throws -> JSONValue {
        #expect(response.status == .ok && response.fields[.contentType] == "application/json")
        let message = try JSONValue(parsing: response.body.bytes)
        #expect(message["jsonrpc"] == "2.0" && message["id"] == 1)
        return try #require(message["result"])
    }

    @Test func `A tool server is used by a client that knows only its URL`() async throws {
        try await ToolServerWorld.serve { world in
            let client = try await world.signedIn(scopes: ["notes:read", "notes:write"])
            let started = try result(try await client.respond(to: world.message("initialize", Self.handshake)))
            #expect(started["protocolVersion"] == "2025-06-18" && started["capabilities"]?["tools"] != nil)
            let named: HTTPFields = ["MCP-Protocol-Version": "2025-06-18"]
            let told = try await client.respond(to: world.message("notifications/initialized", id: nil, fields: named))
            #expect(told.status.rawValue == 202 && told.body.bytes.isEmpty)
            let tools = try result(try await client.respond(to: world.message("tools/list", fields: named)))
            expectEqual(tools["tools"]?.arrayValue?.map { $0["name"] }, ["list_notes", "add_note"])
            let call: JSONObject = ["name": "add_note", "arguments": ["text": "milk"]]
            _ = try result(try await client.respond(to: world.message("tools/call", call, fields: named)))
            let listed = try result(try await client.respond(to: world.message("tools/call", ["name": "list_notes"])))
            #expect(listed["content"]?.arrayValue?.first?["text"] == "milk" && listed["isError"] == false)
            try expectEqual(result(try await client.respond(to: world.message("ping"))), [:])
            // The authorization and the token request name the server (RFC 8707).
            let token = try #require(world.provider.requests(to: "/token").first)
            expectEqual(ScriptedProvider.parameters(token.body.text ?? "")["resource"], world.url.absoluteString)
            expectEqual(world.provider.requests(to: "/introspect").count, 1)
        }
    }

    @Test func `A tool server refuses a token that was issued for another server`() async throws {
        try await ToolServerWorld.serve { world in
            let client = try await world.signedIn(for: "https://other.example.com/mcp")
            let response = try await client.respond(to: world.message("ping"))
            expectEqual(response.status, .unauthorized)
            let challenge = try #require(response.challenges().first)
            expectEqual(challenge["error"], "invalid_token")
            expectEqual(challenge["resource_metadata"]?.hasSuffix("/.well-known/oauth-protected-resource/mcp"), true)
        }
    }

    @Test func `A tool server asks for the scope that a tool needs`() async throws {
        try await ToolServerWorld.serve { world in
            // Without a choice of its own it requests what the challenge names, and no more.
            let client = try await world.signedIn()
            let call: JSONObject = ["name": "add_note", "arguments": ["text": "milk"]]
            let response = try await client.respond(to: world.message("tools/call", call))
            expectEqual(response.status, .forbidden)
            expectEqual(response.challenges().first?["scope"], "notes:write")
            try await expectEqual(client.respond(to: world.message("tools/call", ["name": "list_notes"])).status, .ok)
        }
    }

    @Test func `A tool server answers an invalid request as the protocol says`() async throws {
        try await ToolServerWorld.serve { world in
            let client = try await world.signedIn(scopes: ["notes:read", "notes:write"])
            for (text, code) in [
                ("{", -32_700), ("[]", -32_600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600),
                (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600), (#"{"jsonrpc":"2.0","id":1}"#, -32_600),
                (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32_600),
            ] {
                let response = try await client.respond(to: world.post(Array(text.utf8)))
                expectEqual(response.status, .badRequest)
                try expectEqual(JSONValue(parsing: response.body.bytes)["error"]?["code"]?.intValue, code)
            }
            for (method, parameters, code) in [
                ("unknown", [:], -32_601), ("tools/call", ["name": "none"], -32_602), ("tools/call", [:], -32_602),
                ("tools/call", ["name": "add_note", "arguments": ["text": ""]], -32_602),
            ] as [(String, JSONObject, Int)] {
                let response = try await client.respond(to: world.message(method, parameters))
                expectEqual(response.status, .ok)
                try expectEqual(JSONValue(parsing: response.body.bytes)["error"]?["code"]?.intValue, code)
            }
            let old: HTTPFields = ["MCP-Protocol-Version": "1999-01-01"]
            try await expectEqual(client.respond(to: world.message("ping", fields: old)).status, .badRequest)
        }
    }

    @Test func `A tool server keeps notes only for users`() async throws {
        try await ToolServerWorld.serve { world in
            let client = try await world.signedIn()
            world.provider.deviate { $0.introspection = { $0["sub"] = nil } }
            let response = try await client.respond(to: world.message("tools/call", ["name": "list_notes"]))
            try expectEqual(JSONValue(parsing: response.body.bytes)["error"]?["code"]?.intValue, -32_000)
        }
    }

    @Test func `A tool server offers no stream, and refuses web pages of other origins first`() async throws {
        try await ToolServerWorld.serve { world in
            let stream = try await world.network.respond(to: HTTPRequest(url: world.url))
            #expect(stream.status.rawValue == 405 && stream.fields["Allow"] == "POST")
            let client = try await world.signedIn()
            let page: HTTPFields = ["Origin": "https://evil.example"]
            try await expectEqual(client.respond(to: world.message("ping", fields: page)).status, .forbidden)
            let known: HTTPFields = ["Origin": "https://chat.example.com"]
            try await expectEqual(client.respond(to: world.message("ping", fields: known)).status, .ok)
        }
    }
}
