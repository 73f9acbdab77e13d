// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import LatchAuth
import LatchJOSE
import LatchOAuth
import LatchServer
import NoteTools

let variables = ProcessInfo.processInfo.environment
guard let issuer = variables["MCP_ISSUER"].flatMap(URL.init(string:)) else {
    print("usage: MCP_ISSUER=https://id.example.com [MCP_CLIENT_ID=… MCP_CLIENT_SECRET=…] [MCP_URL=…] mcp-server")
    exit(64)
}
let url = URL(string: variables["MCP_URL"] ?? "http://127.0.0.1:8082/mcp")!
let resource = try ProtectedResource(
    url: url, authorizationServers: [issuer], scopes: ["notes:read", "notes:write"])
let registration = ClientRegistration(clientID: variables["MCP_CLIENT_ID"], secret: variables["MCP_CLIENT_SECRET"])
let client = AuthorizationClient(OAuthConfiguration(issuer: issuer, registration: registration))

let tools: ToolServer
if registration.clientID != nil {
    // The issuer says about each token whether it is active.
    tools = ToolServer(resource, verifier: IntrospectionVerifier(client, audience: url.absoluteString))
} else {
    // The tokens are JWTs, and the issuer's keys verify them.
    guard let keys = try await client.server().keySetURL else {
        print(
            "The issuer publishes no keys: set MCP_CLIENT_ID and MCP_CLIENT_SECRET, and it is asked about each token.")
        exit(78)
    }
    tools = ToolServer(
        resource,
        verifier: RemoteJWTVerifier(
            keys: try RemoteKeySet(url: keys), algorithms: [.es256, .eddsa, .ps256, .rs256],
            issuer: issuer.absoluteString, audience: url.absoluteString, type: "at+jwt"))
}
let server = Server(handler: tools.router, configuration: Server.Configuration(port: url.port ?? 8082))
print("serving \(url), whose tokens \(issuer) issues")
try await server.run()
