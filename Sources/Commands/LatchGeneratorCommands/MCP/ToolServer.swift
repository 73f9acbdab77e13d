// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import Synchronization

/// A server of the Model Context Protocol over standard input and output.
///
/// It supports clients that begin with `initialize`. In revision 2026-07-28, each request names its revision instead.
/// It caches no results: each call reads the files again.
actor ToolServer {
    /// The maximum length of a message.
    private static let maximumLineLength = 16 << 20

    private let shell: Environment
    private let output: JSONRPCOutput
    private let tools: [any GeneratorTool]
    /// The revision that a handshake negotiated.
    private var negotiated = ProtocolRevision.newestWithHandshake
    /// The running requests by ID.
    private var pending: [JSONValue: Call] = [:]
    /// A running call; `respond` receives nil if the call was canceled.
    private struct Call {
        let reporter: RequestReporter
        let respond: @Sendable (JSONValue?) -> Void
        let task: Task<Void, Never>
    }

    /// The last tool call: calls run one after the other, because they may write the same files.
    private var lastCall: Task<Void, Never>?

    /// A function that shows progress on standard error.
    private let note: @Sendable (String) -> Void

    init(_ shell: Environment, tools: [any GeneratorTool], note: @escaping @Sendable (String) -> Void = { _ in }) {
        self.shell = shell
        self.note = note
        self.tools = tools
        output = JSONRPCOutput(shell.output)
    }

    /// Serves until standard input ends and all requests have responses.
    ///
    /// - Throws: The error of standard input if it cannot be read, after the responses.
    func serve() async throws {
        let failure: (any Error)?
        do {
            for try await line in shell.input.lines(Self.maximumLineLength) {
                guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { continue }
                receive(line)
            }
            failure = nil
        } catch {
            failure = error
        }
        while let next = pending.first { await next.value.task.value }
        if let failure { throw failure }
    }

    private func receive(_ line: [UInt8]) {
        let value: JSONValue
        do {
            guard line.count <= Self.maximumLineLength else { throw JSONRPCError.parseError }
            value = try JSONValue(parsing: line)
        } catch {
            return output.send(JSONRPCError.parseError.response(to: .null))
        }
        guard case .array(let batch) = value else {
            return begin(JSONRPCMessage(value)) { if let response = $0 { self.output.send(response) } }
        }
        guard negotiated.hasBatches, !batch.isEmpty else {
            return output.send(JSONRPCError.invalidRequest("a message is an object").response(to: .null))
        }
        let collector = BatchCollector(output, count: batch.count)
        for element in batch {
            let message = JSONRPCMessage(element)
            begin(message) { collector.add($0) }
            switch message {
            case .notification, .response: collector.add(nil)
            case .request, .malformed: break
            }
        }
    }

    /// Starts handling a message; calls `respond` once for a request, with nil if it was canceled.
    private func begin(_ message: JSONRPCMessage, respond: @escaping @Sendable (JSONValue?) -> Void) {
        switch message {
        case .malformed(let failure, let id): respond(failure.response(to: id))
        case .notification("notifications/cancelled", let parameters): cancel(parameters["requestId"])
        case .notification, .response: break
        case .request(let id, let method, let parameters):
            guard pending[id] == nil else {
                return respond(JSONRPCError.invalidRequest("the id is in use").response(to: id))
            }
            let reporter = RequestReporter(output, progressToken: Self.token(parameters), note: note)
            let revision: ProtocolRevision
            do throws(JSONRPCError) {
                revision = try self.revision(of: parameters, method: method)
                if method == "initialize" { negotiated = Self.negotiated(parameters) }
            } catch {
                return respond(error.response(to: id))
            }
            if method == "tools/call" {
                call(id, parameters, revision, reporter, respond)
            } else {
                respond(response(id, method, parameters, revision))
            }
        }
    }

    private static func token(_ parameters: JSONObject) -> JSONValue? {
        guard let token = parameters["_meta"]?["progressToken"] else { return nil }
        return token.stringValue != nil || token.intValue != nil ? token : nil
    }

    private func cancel(_ id: JSONValue?) {
        guard let id, let request = pending[id], request.reporter.close() else { return }
        request.task.cancel()
        // The other calls of its batch still get their responses.
        request.respond(nil)
    }

    /// Returns the revision that a request names, or the negotiated one.
    private func revision(
        of parameters: JSONObject, method: String
    ) throws(JSONRPCError) -> ProtocolRevision {
        let prefix = "io.modelcontextprotocol/"
        guard let named = parameters["_meta"]?[prefix + "protocolVersion"] else {
            guard method != "server/discover" else {
                throw .invalidParameters("'_meta' must name the protocol version (\(prefix)protocolVersion).")
            }
            return negotiated
        }
        guard let name = named.stringValue else { throw .invalidParameters("The protocol version must be text.") }
        guard let revision = ProtocolRevision(rawValue: name), !revision.hasHandshake else {
            throw .unsupportedRevision(name)
        }
        guard parameters["_meta"]?[prefix + "clientCapabilities"]?.objectValue != nil else {
            throw .invalidParameters("'_meta' must contain the client's capabilities (\(prefix)clientCapabilities).")
        }
        return revision
    }

    /// Returns the client's revision if it is supported, else the newest with a handshake (2024-11-05, "Version
    /// Negotiation").
    private static func negotiated(_ parameters: JSONObject) -> ProtocolRevision {
        let requested = parameters["protocolVersion"]?.stringValue.flatMap(ProtocolRevision.init)
        return requested.flatMap { $0.hasHandshake ? $0 : nil } ?? .newestWithHandshake
    }
}

// MARK: Responses

extension ToolServer {
    private func response(
        _ id: JSONValue, _ method: String, _ parameters: JSONObject, _ revision: ProtocolRevision
    ) -> JSONValue {
        do throws(JSONRPCError) {
            return Self.response(id, try result(method, parameters, revision), revision)
        } catch {
            return error.response(to: id)
        }
    }

    private func result(
        _ method: String, _ parameters: JSONObject, _ revision: ProtocolRevision
    ) throws(JSONRPCError) -> JSONObject {
        switch method {
        case "initialize" where revision.hasHandshake:
            guard parameters["protocolVersion"]?.stringValue != nil else {
                throw .invalidParameters("'protocolVersion' must name a revision, such as 2025-11-25.")
            }
            return [
                "protocolVersion": .string(negotiated.rawValue), "capabilities": Self.capabilities,
                "serverInfo": serverInfo, "instructions": .string(Self.instructions),
            ]
        case "ping" where revision.hasHandshake: return [:]
        case "server/discover":
            return [
                "supportedVersions": .array(ProtocolRevision.allCases.reversed().map { .string($0.rawValue) }),
                "capabilities": Self.capabilities, "instructions": .string(Self.instructions),
                "ttlMs": .integer(Self.freshness), "cacheScope": "public",
            ]
        case "tools/list":
            guard parameters["cursor"] == nil else { throw .invalidParameters("There is one page, and no cursor.") }
            var result: JSONObject = ["tools": .array(tools.map { $0.declaration })]
            if !revision.hasHandshake {
                result["ttlMs"] = .integer(Self.freshness)
                result["cacheScope"] = "public"
            }
            return result
        default: throw .unknownMethod(method)
        }
    }

    /// How long lists are valid, in milliseconds: they never change while the program runs.
    private static let freshness: Int64 = 3_600_000
    private static let capabilities: JSONValue = ["tools": ["listChanged": false]]
    private static let instructions =
        "Generates Swift clients from .proto files. Start with get_examples or validate_proto; generate_axiom_clients "
        + "writes files. Paths are relative to the server's working directory."

    private var serverInfo: JSONValue {
        ["name": .string(shell.name), "title": "Latchwork client generator", "version": .string(packageVersion)]
    }

    /// Returns a response with a result and the fields that newer revisions require.
    private static func response(
        _ id: JSONValue, _ result: JSONObject, _ revision: ProtocolRevision
    ) -> JSONValue {
        var result = result
        if !revision.hasHandshake {
            result["resultType"] = "complete"
            result["_meta"] = [
                "io.modelcontextprotocol/serverInfo": ["name": "latchwork", "version": .string(packageVersion)]
            ]
        }
        return ["jsonrpc": "2.0", "id": id, "result": .object(result)]
    }

    /// Starts a tool call, which waits for the previous ones.
    private func call(
        _ id: JSONValue, _ parameters: JSONObject, _ revision: ProtocolRevision, _ reporter: RequestReporter,
        _ respond: @escaping @Sendable (JSONValue?) -> Void
    ) {
        guard let name = parameters["name"]?.stringValue else {
            return respond(JSONRPCError.invalidParameters("'name' must name a tool.").response(to: id))
        }
        guard let tool = tools.first(where: { $0.name == name }) else {
            return respond(JSONRPCError.invalidParameters("Unknown tool: \(name)").response(to: id))
        }
        guard parameters["arguments"] == nil || parameters["arguments"]?.objectValue != nil else {
            return respond(JSONRPCError.invalidParameters("'arguments' must be an object.").response(to: id))
        }
        let arguments = ToolArguments(parameters["arguments"]?.objectValue ?? [:])
        let task = Task { [lastCall] in
            await lastCall?.value
            let message = await Self.result(of: tool, arguments, reporter, revision, id)
            if reporter.close() { respond(message) }
            self.finish(id)
        }
        lastCall = task
        pending[id] = Call(reporter: reporter, respond: respond, task: task)
    }

    private func finish(_ id: JSONValue) { pending[id] = nil }

    private static func result(
        of tool: any GeneratorTool, _ arguments: ToolArguments, _ reporter: RequestReporter,
        _ revision: ProtocolRevision, _ id: JSONValue
    ) async -> JSONValue {
        do {
            try arguments.check(tool)
            return response(id, try await tool.call(arguments, reporter).json, revision)
        } catch let error as JSONRPCError {
            guard revision.reportsArgumentErrorsAsResults else { return error.response(to: id) }
            return response(id, ToolResult.failed(error.message).json, revision)
        } catch {
            let failure = CommandError(describing: error)
            let text = failure.message + (failure.hint.map { "\nhint: \($0)" } ?? "")
            return response(id, ToolResult.failed(text, code: failure.code).json, revision)
        }
    }
}

/// The responses to a batch, which are sent together (JSON-RPC 2.0 §6).
private final class BatchCollector: Sendable {
    private let output: JSONRPCOutput
    private let state: Mutex<(missing: Int, responses: [JSONValue])>

    init(_ output: JSONRPCOutput, count: Int) {
        self.output = output
        state = Mutex((count, []))
    }

    /// Adds a response; nil stands for a message without a response.
    func add(_ response: JSONValue?) {
        let complete: [JSONValue]? = state.withLock { state in
            if let response { state.responses.append(response) }
            state.missing -= 1
            return state.missing == 0 ? state.responses : nil
        }
        if let complete, !complete.isEmpty { output.send(.array(complete)) }
    }
}
