// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import Synchronization

/// A server of the Model Context Protocol over standard input and output.
///
/// It speaks with clients of both kinds: those that open with `initialize`, and those of revision 2026-07-28, whose
/// requests each say which revision they follow. It keeps no results: every call looks at the files anew.
actor ToolServer {
    /// More than any message of ours has.
    private static let longestLine = 16 << 20

    private let shell: Shell
    private let output: RPCOutput
    private let tools: [any GeneratorTool]
    /// The revision that a handshake agreed on.
    private var agreed = ProtocolRevision.newestWithHandshake
    /// What is being worked on, by the id of the request.
    private var pending: [JSONValue: (voice: RequestVoice, task: Task<Void, Never>)] = [:]
    /// The tool call that began last: calls follow one another, since they may write the same files.
    private var lastCall: Task<Void, Never>?

    /// Tells people how far a call has come.
    private let note: @Sendable (String) -> Void

    init(_ shell: Shell, tools: [any GeneratorTool], note: @escaping @Sendable (String) -> Void = { _ in }) {
        self.shell = shell
        self.note = note
        self.tools = tools
        output = RPCOutput(shell.output)
    }

    /// Serves until standard input ends, and until everything that was asked for has been answered.
    func serve() async {
        for await line in shell.input.lines(Self.longestLine) {
            guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { continue }
            receive(line)
        }
        while let next = pending.first { await next.value.task.value }
    }

    private func receive(_ line: [UInt8]) {
        let value: JSONValue
        do {
            guard line.count <= Self.longestLine else { throw RPCFailure.parseError }
            value = try JSONValue(parsing: line)
        } catch {
            return output.send(RPCFailure.parseError.answer(to: .null))
        }
        guard case .array(let batch) = value else { return begin(RPCMessage(value)) { self.output.send($0) } }
        guard agreed.hasBatches, !batch.isEmpty else {
            return output.send(RPCFailure.invalidRequest("a message is an object").answer(to: .null))
        }
        let collector = BatchCollector(output)
        collector.expect(batch.count)
        for element in batch {
            let message = RPCMessage(element)
            begin(message) { collector.add($0) }
            switch message {
            case .notification, .answer: collector.add(nil)
            case .request, .malformed: break
            }
        }
    }

    /// Begins what a message asks for; `answer` is called once for a request, unless it is cancelled.
    private func begin(_ message: RPCMessage, answer: @escaping @Sendable (JSONValue) -> Void) {
        switch message {
        case .answer: break
        case .malformed(let failure, let id): answer(failure.answer(to: id))
        case .notification("notifications/cancelled", let parameters): cancel(parameters["requestId"])
        case .notification: break
        case .request(let id, let method, let parameters):
            guard pending[id] == nil else {
                return answer(RPCFailure.invalidRequest("the id is in use").answer(to: id))
            }
            let voice = RequestVoice(output, progressToken: Self.token(parameters), note: note)
            let revision: ProtocolRevision
            do throws(RPCFailure) {
                revision = try self.revision(of: parameters, method: method)
                if method == "initialize" { agreed = Self.agreement(parameters) }
            } catch {
                return answer(error.answer(to: id))
            }
            if method == "tools/call" {
                call(id, parameters, revision, voice, answer)
            } else {
                answer(reply(id, method, parameters, revision))
            }
        }
    }

    private static func token(_ parameters: JSONObject) -> JSONValue? {
        guard let token = parameters["_meta"]?["progressToken"] else { return nil }
        return token.stringValue != nil || token.intValue != nil ? token : nil
    }

    private func cancel(_ id: JSONValue?) {
        guard let id, let request = pending[id], request.voice.close() else { return }
        request.task.cancel()
    }

    /// The revision that a request follows: the one that it names, or the one that was agreed on.
    private func revision(
        of parameters: JSONObject, method: String
    ) throws(RPCFailure) -> ProtocolRevision {
        let prefix = "io.modelcontextprotocol/"
        guard let named = parameters["_meta"]?[prefix + "protocolVersion"] else {
            guard method != "server/discover" else {
                throw .invalidParameters("'_meta' must name the protocol version (\(prefix)protocolVersion).")
            }
            return agreed
        }
        guard let name = named.stringValue else { throw .invalidParameters("The protocol version must be text.") }
        guard let revision = ProtocolRevision(rawValue: name), !revision.hasHandshake else {
            throw .unsupportedRevision(name)
        }
        guard parameters["_meta"]?[prefix + "clientCapabilities"]?.objectValue != nil else {
            throw .invalidParameters("'_meta' must tell the client's capabilities (\(prefix)clientCapabilities).")
        }
        return revision
    }

    /// The client's own revision where it is known, and else the newest that has a handshake (2024-11-05, "Version
    /// Negotiation").
    private static func agreement(_ parameters: JSONObject) -> ProtocolRevision {
        let asked = parameters["protocolVersion"]?.stringValue.flatMap(ProtocolRevision.init)
        return asked.flatMap { $0.hasHandshake ? $0 : nil } ?? .newestWithHandshake
    }
}

// MARK: Answers

extension ToolServer {
    private func reply(
        _ id: JSONValue, _ method: String, _ parameters: JSONObject, _ revision: ProtocolRevision
    ) -> JSONValue {
        do throws(RPCFailure) {
            return ToolServer.answer(id, try result(method, parameters, revision), revision)
        } catch {
            return error.answer(to: id)
        }
    }

    private func result(
        _ method: String, _ parameters: JSONObject, _ revision: ProtocolRevision
    ) throws(RPCFailure) -> JSONObject {
        switch method {
        case "initialize" where revision.hasHandshake:
            guard parameters["protocolVersion"]?.stringValue != nil else {
                throw .invalidParameters("'protocolVersion' must name a revision, such as 2025-11-25.")
            }
            return [
                "protocolVersion": .string(agreed.rawValue), "capabilities": Self.capabilities,
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

    /// The tools are those of this program, so what is known of them stays true while it runs.
    private static let freshness: Int64 = 3_600_000
    private static let capabilities: JSONValue = ["tools": ["listChanged": false]]
    private static let instructions =
        "Generates Swift clients from .proto files. Begin with get_examples or validate_proto; generate_axiom_clients "
        + "writes files. Paths are relative to the folder in which this server was started."

    private var serverInfo: JSONValue {
        ["name": .string(shell.name), "title": "Latchwork client generator", "version": .string(packageVersion)]
    }

    /// A result, with what the newer revisions want in each.
    private static func answer(
        _ id: JSONValue, _ result: JSONObject, _ revision: ProtocolRevision
    ) -> JSONValue {
        guard !revision.hasHandshake else { return ["jsonrpc": "2.0", "id": id, "result": .object(result)] }
        var result = result
        result["resultType"] = "complete"
        result["_meta"] = [
            "io.modelcontextprotocol/serverInfo": ["name": "latchwork", "version": .string(packageVersion)]
        ]
        return ["jsonrpc": "2.0", "id": id, "result": .object(result)]
    }

    /// Begins the call of a tool, behind all that began before it.
    private func call(
        _ id: JSONValue, _ parameters: JSONObject, _ revision: ProtocolRevision, _ voice: RequestVoice,
        _ answer: @escaping @Sendable (JSONValue) -> Void
    ) {
        guard let name = parameters["name"]?.stringValue else {
            return answer(RPCFailure.invalidParameters("'name' must name a tool.").answer(to: id))
        }
        guard let tool = tools.first(where: { $0.name == name }) else {
            return answer(RPCFailure.invalidParameters("Unknown tool: \(name)").answer(to: id))
        }
        guard parameters["arguments"] == nil || parameters["arguments"]?.objectValue != nil else {
            return answer(RPCFailure.invalidParameters("'arguments' must be an object.").answer(to: id))
        }
        let arguments = ToolArguments(parameters["arguments"]?.objectValue ?? [:])
        let task = Task { [lastCall] in
            await lastCall?.value
            let message = await Self.outcome(of: tool, arguments, voice, revision, id)
            if voice.close() { answer(message) }
            self.finish(id)
        }
        lastCall = task
        pending[id] = (voice, task)
    }

    private func finish(_ id: JSONValue) { pending[id] = nil }

    private static func outcome(
        of tool: any GeneratorTool, _ arguments: ToolArguments, _ voice: RequestVoice, _ revision: ProtocolRevision,
        _ id: JSONValue
    ) async -> JSONValue {
        do {
            try arguments.check(tool)
            return answer(id, try await tool.call(arguments, voice).json, revision)
        } catch let error as ToolArguments.Unsuitable {
            guard revision.tellsBadArgumentsAsResult else {
                return RPCFailure.invalidParameters(error.message).answer(to: id)
            }
            return answer(id, ToolOutcome.failed(error.message).json, revision)
        } catch {
            let told = CommandError(telling: error)
            let text = told.message + (told.hint.map { "\nhint: \($0)" } ?? "")
            return answer(id, ToolOutcome.failed(text, code: told.code).json, revision)
        }
    }
}

/// The answers to a batch, which are sent together once all are there (JSON-RPC 2.0 §6).
private final class BatchCollector: Sendable {
    private struct State {
        var missing = 0
        var answers: [JSONValue] = []
    }

    private let output: RPCOutput
    private let state = Mutex(State())

    init(_ output: RPCOutput) { self.output = output }

    func expect(_ count: Int) { state.withLock { $0.missing = count } }

    /// - Parameter answer: Nil for a message that has none.
    func add(_ answer: JSONValue?) {
        let complete: [JSONValue]? = state.withLock { state in
            if let answer { state.answers.append(answer) }
            state.missing -= 1
            return state.missing == 0 ? state.answers : nil
        }
        if let complete, !complete.isEmpty { output.send(.array(complete)) }
    }
}
