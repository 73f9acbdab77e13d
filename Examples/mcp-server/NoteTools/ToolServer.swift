// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
public import LatchServer

/// A server of the Model Context Protocol over HTTP (revision 2025-11-25, "Streamable HTTP"), whose tools are behind access
/// tokens ("Authorization").
///
/// It opens no stream of its own and keeps no session: each message is a POST with a JSON response.
public struct ToolServer: Sendable {
    /// The supported revisions, the newest first.
    static let revisions = ["2025-11-25", "2025-06-18"]

    private let resource: ProtectedResource
    private let origins: Set<String>
    /// The guard of all messages, and within it that of calls that change something.
    private let reading, writing: AccessTokenInterceptor
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
        // "Listening for Messages from the Server", "Session Management": neither is offered.
        for method in [HTTPMethod.get, .delete] {
            router.on(method, resource.path) { _ in HTTPResponse(status: 405, fields: ["Allow": "POST"]) }
        }
        router.post(resource.path) { request in
            // "Security Warning": a browser would let any page call a server on this machine (DNS rebinding).
            guard request.fields.values(of: "Origin").allSatisfy(origins.contains) else {
                return .problem(status: .forbidden, detail: "Web pages of this origin may not call the server.")
            }
            return try await reading.intercept(request, next: ClosureHandler { try await receive($0) })
        }
        return router
    }

    /// Responds to one message ("Sending Messages to the Server").
    private func receive(_ request: HTTPRequest) async throws -> HTTPResponse {
        if let revision = request.fields["MCP-Protocol-Version"], !Self.revisions.contains(revision) {
            return .problem(status: .badRequest, detail: "The revision of MCP-Protocol-Version is not supported.")
        }
        let call: ToolRequest?
        do { call = try ToolRequest(try request.json()) } catch let error as ToolError {
            return .json(error.response(to: .null), status: .badRequest)
        } catch let error as ServerError where error == .malformedRequest {
            return .json(ToolError.notJSON.response(to: .null), status: .badRequest)
        }
        guard let call else { return HTTPResponse(status: 202) }
        let answer = ClosureHandler { await respond(to: call, $0) }
        guard call.method == "tools/call", call.parameters["name"]?.stringValue == NoteTool.addNote.rawValue else {
            return try await answer.respond(to: request)
        }
        // The proof of the token's key, if it has one, was spent by the first guard.
        return try await writing.intercept(request, next: answer)
    }

    private func respond(to call: ToolRequest, _ request: HTTPRequest) async -> HTTPResponse {
        do throws(ToolError) {
            guard let user = request.accessTokenClaims?.subject else { throw .noUser }
            return .json(["jsonrpc": "2.0", "id": call.id, "result": .object(try await result(of: call, for: user))])
        } catch {
            return .json(error.response(to: call.id))
        }
    }

    private func result(of call: ToolRequest, for user: String) async throws(ToolError) -> JSONObject {
        switch call.method {
        case "initialize":
            let wanted = call.parameters["protocolVersion"]?.stringValue ?? ""
            return [
                "protocolVersion": .string(Self.revisions.contains(wanted) ? wanted : Self.revisions[0]),
                "capabilities": ["tools": [:]], "serverInfo": ["name": "notes", "version": "1.0.0"],
            ]
        case "ping": return [:]
        case "tools/list": return ["tools": .array(NoteTool.allCases.map(\.declaration))]
        case "tools/call":
            guard let tool = NoteTool(rawValue: call.parameters["name"]?.stringValue ?? "") else { throw .noTool }
            return try await notes.call(tool, call.parameters["arguments"]?.objectValue ?? [:], of: user)
        default: throw .unknownMethod
        }
    }
}
