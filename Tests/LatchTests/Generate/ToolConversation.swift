// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess
import Testing

/// A conversation with a real process that serves the generator's tools.
struct ToolConversation {
    let process: ChildProcess
    private let input: FileHandle

    /// Runs `body` with a server that was started in the folder of a call.
    static func with(
        _ call: GeneratorCall, _ program: String = "axiom-client-generator",
        _ body: (ToolConversation) async throws -> Void
    ) async throws {
        let pipe = call.folder + "/pipe"
        try #require(try await ChildProcess.run("/usr/bin/env", ["mkfifo", pipe]).ending == .exited(0))
        let process = try ChildProcess.start(
            "/bin/sh", ["-c", "exec \"$0\" mcp-server < pipe", "\(BuiltProgram.folder)/\(program)"],
            environment: BuiltProgram.environment([:]), in: call.folder, errors: .file(call.folder + "/error"))
        let conversation = ToolConversation(
            process: process, input: try #require(FileHandle(forWritingAtPath: pipe)))
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(conversation)) } catch { outcome = .failure(error) }
        process.kill()
        await process.end()
        try outcome.get()
    }

    func send(_ text: String) throws { try input.write(contentsOf: Data((text + "\n").utf8)) }

    func request(_ id: JSONValue, _ method: String, _ parameters: JSONObject = [:]) throws {
        try send(Self.request(id, method, parameters))
    }

    func call(_ id: JSONValue, _ tool: String, _ arguments: JSONObject = [:], token: JSONValue? = nil) throws {
        try send(Self.call(id, tool, arguments, token: token))
    }

    private static func request(_ id: JSONValue, _ method: String, _ parameters: JSONObject) -> String {
        let message: JSONObject = [
            "jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(parameters),
        ]
        return String(decoding: JSONValue.object(message).serialized(), as: UTF8.self)
    }

    /// The message of a call, without its newline.
    static func call(_ id: JSONValue, _ tool: String, _ arguments: JSONObject = [:], token: JSONValue? = nil) -> String
    {
        var parameters: JSONObject = ["name": .string(tool), "arguments": .object(arguments)]
        if let token { parameters["_meta"] = ["progressToken": token] }
        return request(id, "tools/call", parameters)
    }

    /// The next message; nil once there are no more.
    func next() async throws -> JSONValue? {
        guard let line = await process.line() else { return nil }
        return try JSONValue(parsing: line)
    }

    /// The next message that is no notification.
    func answer() async throws -> JSONValue {
        while true {
            let message = try #require(try await next())
            if message["method"] == nil { return message }
        }
    }

    /// Opens as clients do that know the handshake.
    func initialize(_ revision: String = "2025-06-18") async throws -> JSONValue {
        try request(
            0, "initialize",
            [
                "protocolVersion": .string(revision), "capabilities": [:],
                "clientInfo": ["name": "test", "version": "1"],
            ])
        let answer = try await answer()
        try send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        return answer
    }

    /// Ends the input of the server.
    func close() throws { try input.close() }

    /// The `_meta` of requests of the newest revision.
    static let modern: JSONValue = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
        "io.modelcontextprotocol/clientInfo": ["name": "test", "version": "1"],
    ]
}
