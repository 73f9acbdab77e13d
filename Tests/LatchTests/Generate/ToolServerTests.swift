// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import TestTags
import Testing

@Suite struct ToolServerTests {
    private static let tools = ["generate_axiom_clients", "validate_proto", "doctor", "get_examples"]

    @Test(.tags(.toolServer), arguments: GeneratorCall.programs)
    func `The server of tools opens, lists its tools, calls them, and answers pings, in both programs`(program: String)
        async throws
    {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call, program) { talk async throws in
                let opened = try await talk.initialize("2024-11-05")
                expectEqual(opened["result"]?["protocolVersion"], "2024-11-05")
                #expect(opened["result"]?["capabilities"]?["tools"] != nil)
                expectEqual(opened["result"]?["serverInfo"]?["name"], .string(program))
                try talk.request(1, "ping")
                try await expectEqual(talk.answer(), ["jsonrpc": "2.0", "id": 1, "result": [:]])
                try talk.request("two", "tools/list")
                let list = try await talk.answer()
                expectEqual(list["id"], "two")
                let tools = list["result"]?["tools"]?.arrayValue ?? []
                expectEqual(tools.compactMap { $0["name"]?.stringValue }, Self.tools)
                for tool in tools {
                    #expect(tool["inputSchema"]?["type"] == "object" && tool["outputSchema"]?["type"] == "object")
                    expectEqual(tool["description"]?.stringValue?.isEmpty, false)
                }
                try talk.call(3, "generate_axiom_clients", ["proto_path": "shop", "output_path": "out"])
                let made = try await talk.answer()["result"]
                #expect(made?["isError"] == false && made?["structuredContent"]?["success"] == true)
                expectEqual(made?["content"]?[0]?["text"]?.stringValue?.hasPrefix("Successfully generated"), true)
                #expect(call.text("out/swift/Clients/ShopClient.swift") != nil)
            }
        }
    }

    @Test(arguments: [
        ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"),
    ])
    func `The server of tools agrees on a revision that both know`(asked: String, agreed: String) async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try await expectEqual(talk.initialize(asked)["result"]?["protocolVersion"], .string(agreed))
            }
        }
    }

    @Test func `The server of tools serves requests of 2026-07-28 without a handshake, each by itself`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.request(1, "server/discover", ["_meta": ToolConversation.modern])
                let found = try await talk.answer()["result"]
                expectEqual(found?["resultType"], "complete")
                expectEqual(found?["supportedVersions"]?[0], "2026-07-28")
                #expect(found?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["version"] != nil)
                try talk.request(2, "tools/list", ["_meta": ToolConversation.modern])
                let list = try await talk.answer()["result"]
                #expect(list?["resultType"] == "complete" && list?["cacheScope"] == "public" && list?["ttlMs"] != nil)
                try talk.request(
                    3, "tools/call",
                    ["_meta": ToolConversation.modern, "name": "get_examples", "arguments": ["category": "basic"]])
                let shown = try await talk.answer()["result"]
                #expect(
                    shown?["resultType"] == "complete"
                        && shown?["structuredContent"]?["examples"]?[0]?["name"] == "basic")
                // What the newer revision took away is gone there, and here for those who opened as before.
                try talk.request(4, "ping", ["_meta": ToolConversation.modern])
                try await expectEqual(talk.answer()["error"]?["code"], -32601)
                try talk.request(5, "ping")
                try await expectEqual(talk.answer()["result"], [:])
            }
        }
    }

    @Test func `The server of tools refuses requests of unknown revisions, and names the known ones`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.request(
                    1, "tools/list", ["_meta": ["io.modelcontextprotocol/protocolVersion": "1900-01-01"]])
                let error = try await talk.answer()["error"]
                #expect(error?["code"] == -32022 && error?["data"]?["requested"] == "1900-01-01")
                expectEqual(error?["data"]?["supported"]?.arrayValue?.contains("2026-07-28"), true)
                try talk.request(
                    2, "tools/list", ["_meta": ["io.modelcontextprotocol/protocolVersion": "2026-07-28"]])
                try await expectEqual(talk.answer()["error"]?["code"], -32602, "the client's capabilities are missing")
                try talk.request(3, "server/discover")
                try await expectEqual(talk.answer()["error"]?["code"], -32602)
            }
        }
    }

    @Test(
        .tags(.toolServer),
        arguments: [
            ("{no JSON", -32700, .null), ("\u{1}", -32700, .null), ("17", -32600, .null), ("[]", -32600, .null),
            (#"{"id":7,"method":"ping"}"#, -32600, 7), (#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, 7),
            (#"{"jsonrpc":"2.0","id":7,"method":3}"#, -32600, 7), (#"{"jsonrpc":"2.0","id":7}"#, -32600, 7),
            (#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}"#, -32600, 7),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, .null),
            (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, .null),
            (#"{"jsonrpc":"2.0","id":7,"method":"nothing"}"#, -32601, 7),
            (#"{"jsonrpc":"2.0","id":"a","method":"initialize"}"#, -32602, "a"),
            (#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, -32602, 7),
            (#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nothing"}}"#, -32602, 7),
            (#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"doctor","arguments":[]}}"#, -32602, 7),
            (#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}"#, -32602, 7),
        ] as [(String, Int64, JSONValue)])
    func `The server of tools responds to a malformed message with the code of JSON-RPC`(
        message: String, code: Int64, id: JSONValue
    ) async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.send(message)
                let answer = try await talk.answer()
                #expect(answer["error"]?["code"] == .integer(code) && answer["id"] == id)
                try talk.request(99, "ping")
                try await expectEqual(talk.answer()["id"], 99, "it goes on")
            }
        }
    }

    @Test func `The server of tools answers no notification and no answer`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                for message in [
                    #"{"jsonrpc":"2.0","method":"notifications/unknown"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":42}}"#,
                    #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, "", "   ",
                ] { try talk.send(message) }
                try talk.request(1, "ping")
                try await expectEqual(talk.next()?["id"], 1)
            }
        }
    }

    @Test(arguments: [("2024-11-05", true), ("2025-03-26", true), ("2025-06-18", false)])
    func `The server of tools takes several messages in one array if the revision has that`(
        revision: String, isTaken: Bool
    ) async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                _ = try await talk.initialize(revision)
                try talk.send(
                    #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},"#
                        + #"{"jsonrpc":"2.0","id":2,"method":"nothing"},3]"#)
                let answer = try await talk.answer()
                let codes = answer.arrayValue?.map { $0["error"]?["code"] ?? 0 }
                #expect(isTaken ? codes == [0, -32601, -32600] : answer["error"]?["code"] == -32600, "\(answer)")
            }
        }
    }

    @Test(.tags(.toolServer))
    func `The server of tools responds to all requests before its input ended, and then ends`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                for id in 1...5 {
                    try talk.call(
                        .integer(Int64(id)), "generate_axiom_clients",
                        ["proto_path": "shop", "output_path": .string("out\(id)")])
                }
                try talk.close()
                var answered: [JSONValue] = []
                while let message = try await talk.next() { answered.append(message["id"] ?? .null) }
                expectEqual(answered, [1, 2, 3, 4, 5])
                await expectEqual(talk.process.end(), .exited(0))
                #expect(call.text("out5/swift/Clients/ShopClient.swift") != nil)
            }
        }
    }
}
