// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchOAuth
import LatchServer
import NoteTools

let variables = ProcessInfo.processInfo.environment
guard let issuer = variables["MCP_ISSUER"].flatMap(URL.init(string:)),
    let url = URL(string: variables["MCP_URL"] ?? "http://127.0.0.1:8082/mcp")
else {
    print("usage: MCP_ISSUER=https://id.example.com [MCP_URL=http://127.0.0.1:8082/mcp] mcp-server")
    exit(64)
}
let resource = try ProtectedResource(
    url: url, authorizationServers: [issuer], scopes: ["notes:read", "notes:write"])
let verifier = try RemoteJWTVerifier(issuer: issuer, audience: url.absoluteString)
let server = Server(
    handler: ToolServer(resource, verifier: verifier).router,
    configuration: Server.Configuration(port: url.port ?? 8082))
print("serving \(url), whose tokens \(issuer) issues")
try await server.run()
