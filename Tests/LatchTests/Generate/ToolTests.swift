// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import TestTags
import Testing

@Suite struct ToolTests {
    private static let arguments: JSONObject = ["proto_path": "shop", "output_path": "out"]

    @Test(.tags(.toolServer)) func `A tool reads the files again in each call`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(1, "generate_axiom_clients", Self.arguments)
                try await expectEqual(talk.answer()["result"]?["isError"], false)
                try call.write(
                    GeneratorCall.shop.replacing("string title", with: "string name"), to: "shop/v1/shop.proto")
                try talk.call(2, "generate_axiom_clients", Self.arguments)
                let changes = try await talk.answer()["result"]?["structuredContent"]?["changes"]?.arrayValue ?? []
                #expect(
                    changes.contains { $0["path"] == "swift/Contracts/ShopModels.swift" && $0["action"] == "update" })
                expectEqual(call.text("out/swift/Contracts/ShopModels.swift")?.contains("2 name string"), true)
            }
        }
    }

    @Test(.tags(.toolServer), arguments: ["token", 7] as [JSONValue])
    func `A tool reports its progress to a client that gives a token, with increasing numbers`(token: JSONValue)
        async throws
    {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(1, "generate_axiom_clients", Self.arguments, token: token)
                var numbers: [Int] = []
                while let message = try await talk.next(), message["method"] == "notifications/progress" {
                    #expect(message["params"]?["progressToken"] == token && message["id"] == nil)
                    expectEqual(message["params"]?["total"], 4)
                    numbers.append(try #require(message["params"]?["progress"]?.intValue))
                }
                expectEqual(numbers, [0, 1, 2, 3, 4])
                try talk.call(2, "generate_axiom_clients", Self.arguments)
                try await expectEqual(talk.next()?["id"], 2, "nobody asked for progress")
            }
        }
    }

    @Test(.tags(.toolServer)) func `A tool reports errors of .proto files with their line`() async throws {
        try await GeneratorCall.with(["bad.proto": "syntax = \"proto3\";\nmessage A {\n  B b = 1;\n}\n"]) {
            call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(1, "validate_proto", ["proto_path": "bad.proto"])
                let result = try await talk.answer()["result"]
                expectEqual(result?["structuredContent"]?["valid"], false)
                let diagnostic = result?["structuredContent"]?["diagnostics"]?[0]
                #expect(diagnostic?["line"] == 3 && diagnostic?["column"] == 3 && diagnostic?["severity"] == "error")
                expectEqual(result?["content"]?[0]?["text"]?.stringValue?.contains("bad.proto:3:3: error: "), true)
                try talk.call(2, "validate_proto", ["proto_path": "shop"])
                try await expectEqual(talk.answer()["result"]?["structuredContent"]?["valid"], true)
                try talk.call(3, "generate_axiom_clients", ["proto_path": "bad.proto", "output_path": "out"])
                let failed = try await talk.answer()["result"]
                #expect(failed?["isError"] == true && failed?["structuredContent"]?["diagnostics"]?[0]?["line"] == 3)
                #expect(try call.content("out").isEmpty)
            }
        }
    }

    @Test func `A tool takes the options that Axiom documents`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(
                    1, "generate_axiom_clients",
                    [
                        "proto_path": "shop", "output_path": "out", "target_languages": ["swift"],
                        "services": ["ShopService"],
                        "framework_config": ["swift": ["client_suffix": "Actor", "generate_tests": false]],
                        "generation_options": ["include_documentation": false, "style_guide": "axiom"],
                    ])
                try await expectEqual(talk.answer()["result"]?["isError"], false)
                let files = try call.content("out/swift").keys
                #expect(files.contains("Clients/ShopActor.swift") && !files.contains { $0.contains("Stock") })
                #expect(!files.contains { $0.hasPrefix("Tests/") || $0.hasPrefix("Documentation/") })
            }
        }
    }

    @Test func `A tool takes layout, visibility, naming and prefixes, as the command line does`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(
                    1, "generate_axiom_clients",
                    [
                        "proto_path": "shop", "output_path": "out",
                        "framework_config": [
                            "swift": [
                                "layout": "perFile", "visibility": "package", "naming": "dropPath",
                                "prefix_packages": true, "type_prefix": "X",
                            ]
                        ],
                        "generation_options": ["generate_clients": false],
                    ])
                try await expectEqual(talk.answer()["result"]?["isError"], false)
                let text = try #require(call.text("out/shop.latch.swift"))
                #expect(text.contains("package struct XShopV1Item: Message"))
            }
        }
    }

    @Test(
        arguments: [
            ([:], "'proto_path' is missing"), (["proto_path": "shop"], "'output_path' is missing"),
            (["proto_path": 3, "output_path": "out"], "'proto_path' must be text"),
            (["proto_path": "shop", "output_path": "out", "services": "x"], "'services' must be a list"),
            (["proto_path": "shop", "output_path": "out", "colour": "x"], "no argument 'colour'"),
            (
                ["proto_path": "shop", "output_path": "out", "generation_options": ["style_guide": "custom"]],
                "'generation_options.style_guide' must be one of axiom"
            ),
        ] as [(JSONObject, String)])
    func `A tool names an unfit argument, in the form of each revision`(arguments: JSONObject, says: String)
        async throws
    {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                _ = try await talk.initialize("2024-11-05")
                try talk.call(1, "generate_axiom_clients", arguments)
                let error = try await talk.answer()["error"]
                #expect(error?["code"] == -32602 && error?["message"]?.stringValue?.contains(says) == true)
                try talk.request(
                    2, "tools/call",
                    [
                        "_meta": ToolConversation.modern, "name": "generate_axiom_clients",
                        "arguments": .object(arguments),
                    ])
                let result = try await talk.answer()["result"]
                expectEqual(result?["isError"], true)
                expectEqual(result?["content"]?[0]?["text"]?.stringValue?.contains(says), true)
            }
        }
    }

    @Test func `A tool that was canceled is not answered, and writes nothing`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                // The first keeps the second waiting; all are in one write, so that it is cancelled before it has begun.
                try talk.send(
                    [
                        ToolConversation.call(1, "doctor"),
                        ToolConversation.call(2, "generate_axiom_clients", Self.arguments),
                        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
                    ].joined(separator: "\n"))
                try talk.call(3, "get_examples", ["category": "basic"])
                try await expectEqual(talk.answer()["id"], 1)
                try await expectEqual(talk.answer()["id"], 3)
                #expect(try call.content("out").isEmpty)
            }
        }
    }

    @Test func `A tool that was canceled in a batch does not affect the others`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                _ = try await talk.initialize("2025-03-26")
                let batch = [
                    ToolConversation.call(1, "doctor"), ToolConversation.call(2, "doctor"),
                    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
                    ToolConversation.call(3, "get_examples", ["category": "basic"]),
                ]
                try talk.send("[\(batch.joined(separator: ","))]")
                let answers = try await talk.answer().arrayValue
                expectEqual(answers?.compactMap { $0["id"] }, [1, 3])
            }
        }
    }

    @Test func `A tool responds to pings while another call is running`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(1, "doctor")
                try talk.request(2, "ping")
                let ids = [try await talk.answer()["id"], try await talk.answer()["id"]]
                expectEqual(Set(ids.compactMap(\.self)), [1, 2])
            }
        }
    }

    @Test func `A tool of the doctor has the findings of the subcommand`() async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(1, "doctor", ["check_toolchain": false, "check_frameworks": false])
                let findings = try await talk.answer()["result"]?["structuredContent"]?["findings"]?.arrayValue
                expectEqual(findings?.compactMap { $0["subject"]?.stringValue }, ["temp folder"])
            }
        }
    }

    @Test(arguments: [("basic", ["basic"]), ("authentication", ["user-service"])])
    func `A tool shows the examples of a category`(category: String, names: [String]) async throws {
        try await GeneratorCall.with { call async throws in
            try await ToolConversation.with(call) { talk async throws in
                try talk.call(1, "get_examples", ["category": .string(category)])
                let shown = try await talk.answer()["result"]?["structuredContent"]?["examples"]?.arrayValue
                expectEqual(shown?.compactMap { $0["name"]?.stringValue }, names)
            }
        }
    }
}
