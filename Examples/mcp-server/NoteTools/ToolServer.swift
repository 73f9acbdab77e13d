// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
public import LatchServer

/// A server of the Model Context Protocol over HTTP (revision 2025-06-18, "Streamable HTTP"), whose tools are behind access
/// tokens (revision 2025-06-18, "Authorization").
///
/// ```swift
/// let tools = ToolServer(resource, verifier: verifier, origins: ["https://chat.example.com"])
/// try await Server(handler: tools.router).run()
/// ```
///
/// It opens no stream of its own and keeps no session: each message is a POST with a JSON response.
public struct ToolServer: Sendable {
    /// The supported revisions, the newest first.
    static let revisions = ["2025-06-18"]

    private let resource: ProtectedResource
    private let origins: Set<String>
    /// The guard of all messages.
    private let reading: AccessTokenInterceptor
    /// The guard of calls that change something, within the first.
    private let writing: AccessTokenInterceptor
    private let notes = NoteStore()

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - resource: The resource at whose URL the server listens.
    ///   - verifier: Verifies the tokens; it must require `resource.url` as their audience.
    ///   - origins: The origins of web pages that may call the server, such as `https://chat.example.com`.
    public init(_ resource: ProtectedResource, verifier: some AccessTokenVerifier, origins: Set<String> = []) {
        self.resource = resource
        self.origins = origins
        reading = AccessTokenInterceptor(verifier, requiring: ["notes:read"], of: resource)
        writing = AccessTokenInterceptor(verifier, requiring: ["notes:write"], of: resource)
    }

    /// The routes: the endpoint, and the metadata by which a client finds the authorization server (RFC 9728).
    public var router: Router {
        var router = Router(interceptors: [RequestIDInterceptor(), ProblemInterceptor()])
        router.on(resource.routes, handledBy: resource)
        router.group(interceptors: [OriginInterceptor(allowed: origins)]) { group in
            // "Listening for Messages from the Server", "Session Management": neither is offered.
            for method in [HTTPMethod.get, .delete] {
                group.on(method, resource.path) { _ in
                    HTTPResponse(status: 405, fields: ["Allow": "POST"])
                }
            }
            group.group(interceptors: [reading]) { $0.post(resource.path) { try await receive($0) } }
        }
        return router
    }

    /// Responds to one message ("Sending Messages to the Server").
    private func receive(_ request: HTTPRequest) async throws -> HTTPResponse {
        // "Protocol Version Header": a client that names none speaks an older revision.
        if let revision = request.fields["MCP-Protocol-Version"], !Self.revisions.contains(revision) {
            return .problem(status: .badRequest, detail: "The revision of MCP-Protocol-Version is not supported.")
        }
        let message: ToolMessage
        do {
            message = ToolMessage(try request.json())
        } catch let error where error == .malformedRequest {
            return .json(ToolError.notJSON.response(to: .null), status: .badRequest)
        }
        switch message {
        case .notification: return HTTPResponse(status: 202)
        case .malformed(let error, let id): return .json(error.response(to: id), status: .badRequest)
        case .request(let id, "tools/call", let parameters) where NoteTool(parameters)?.changesNotes == true:
            // The proof of the token's key, if it has one, was spent by the first guard.
            let call = ClosureHandler { await respond(to: id, "tools/call", parameters, $0) }
            return try await writing.intercept(request, next: call)
        case .request(let id, let method, let parameters):
            return await respond(to: id, method, parameters, request)
        }
    }

    private func respond(
        to id: JSONValue, _ method: String, _ parameters: JSONObject, _ request: HTTPRequest
    ) async -> HTTPResponse {
        do throws(ToolError) {
            guard let user = request.accessTokenClaims?.subject else { throw .noUser }
            let result = try await result(of: method, parameters, for: user)
            return .json(["jsonrpc": "2.0", "id": id, "result": .object(result)])
        } catch {
            return .json(error.response(to: id))
        }
    }

    private func result(
        of method: String, _ parameters: JSONObject, for user: String
    ) async throws(ToolError) -> JSONObject {
        switch method {
        case "initialize":
            let wanted = parameters["protocolVersion"]?.stringValue ?? ""
            let revision = Self.revisions.contains(wanted) ? wanted : Self.revisions[0]
            return [
                "protocolVersion": .string(revision), "capabilities": ["tools": ["listChanged": false]],
                "serverInfo": ["name": "notes", "title": "Notes", "version": "1.0.0"],
            ]
        case "ping": return [:]
        case "tools/list": return ["tools": .array(NoteTool.allCases.map(\.declaration))]
        case "tools/call":
            guard let tool = NoteTool(parameters) else { throw .invalidParameters("There is no such tool.") }
            return try await tool.call(parameters["arguments"]?.objectValue ?? [:], notes, of: user)
        default: throw .unknownMethod
        }
    }
}

/// An interceptor that refuses web pages of other origins, which a browser would let call a server on this machine
/// ("Security Warning": DNS rebinding).
private struct OriginInterceptor: Interceptor {
    let allowed: Set<String>

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard request.fields.values(of: "Origin").allSatisfy(allowed.contains) else {
            return .problem(status: .forbidden, detail: "Web pages of this origin may not call the server.")
        }
        return try await next.respond(to: request)
    }
}
