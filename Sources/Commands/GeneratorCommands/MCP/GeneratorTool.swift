// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Something that a model can have done.
protocol GeneratorTool: Sendable {
    /// What it is called by.
    var name: String { get }
    /// What it does, for people.
    var title: String { get }
    /// What it does, for models.
    var summary: String { get }
    /// Whether it changes nothing.
    var isReadOnly: Bool { get }
    /// What it takes.
    var arguments: [ToolArgument] { get }
    /// What the structured part of its results looks like.
    var resultSchema: JSONObject { get }

    /// Does it.
    func call(_ arguments: ToolArguments, _ voice: RequestVoice) async throws -> ToolOutcome
}

extension GeneratorTool {
    /// The tool as `tools/list` shows it.
    var declaration: JSONValue {
        let schema = ToolArgument.schema(arguments)
        return [
            "name": .string(name), "title": .string(title), "description": .string(summary), "inputSchema": schema,
            "outputSchema": .object(resultSchema),
            "annotations": [
                "title": .string(title), "readOnlyHint": .bool(isReadOnly), "destructiveHint": false,
                "idempotentHint": true, "openWorldHint": false,
            ],
        ]
    }
}

/// What came of a call, for people and models, and for programs.
struct ToolOutcome: Sendable {
    let text: String
    let structured: JSONValue
    var isError = false

    /// A call that came to nothing.
    static func failed(_ text: String, code: String = "invalidArguments") -> ToolOutcome {
        ToolOutcome(
            text: text, structured: ["success": false, "error": ["code": .string(code), "message": .string(text)]],
            isError: true)
    }

    /// The result: text first, then the structure, as itself and as text for clients that know no structure.
    var json: JSONObject {
        [
            "content": [
                ["type": "text", "text": .string(text)],
                ["type": "text", "text": .string(String(decoding: structured.serialized(), as: UTF8.self))],
            ],
            "structuredContent": structured, "isError": .bool(isError),
        ]
    }
}
