// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import LatchAuth
import LatchOAuth
import LatchServer
import NotesService

let variables = ProcessInfo.processInfo.environment
let issuer = URL(string: variables["NOTES_ISSUER"] ?? "http://127.0.0.1:8080")!
let url = URL(string: variables["NOTES_URL"] ?? "http://127.0.0.1:8081")!
let verifier = try RemoteJWTVerifier(issuer: issuer, audience: url.absoluteString)
let resource = try ProtectedResource(
    url: url, authorizationServers: [issuer], scopes: ["notes:read", "notes:write"])
let server = Server(
    handler: NotesService(resource, verifier: verifier).router,
    configuration: Server.Configuration(port: url.port ?? 8081))
print("serving \(url), whose tokens \(issuer) issues")
try await server.run()
