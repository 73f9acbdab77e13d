// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler

/// A tool of the Model Context Protocol server.
protocol GeneratorTool: Sendable {
    /// The name that a client calls.
    var name: String { get }
    /// The title that users see.
    var title: String { get }
    /// The description that models read.
    var summary: String { get }
    /// Whether the tool changes no files.
    var isReadOnly: Bool { get }
    var arguments: [ToolArgument] { get }
    /// The schema of the structured results.
    var resultSchema: JSONObject { get }

    func call(_ arguments: ToolArguments, _ reporter: RequestReporter) async throws -> ToolResult
}

extension GeneratorTool {
    /// The declaration for `tools/list`.
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

/// The result of a call, as text and as JSON.
struct ToolResult: Sendable {
    let text: String
    let structured: JSONValue
    var isError = false

    /// Creates the result of a failed call.
    static func failed(_ text: String, code: String = "invalidArguments") -> ToolResult {
        ToolResult(
            text: text, structured: ["success": false, "error": ["code": .string(code), "message": .string(text)]],
            isError: true)
    }

    /// The result as JSON; the text repeats the structured content for clients without support for it.
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

/// The first diagnostics, which a model receives.
struct ToolDiagnostics {
    let shown: [Diagnostic]
    /// The diagnostics as text, with the number of omitted ones.
    let lines: [String]

    init(_ diagnostics: [Diagnostic]) {
        shown = DiagnosticLimiter.shown(diagnostics).list
        let count = diagnostics.count - shown.count
        lines = shown.map(\.description) + (count == 0 ? [] : ["… and \(count) more: fix these first"])
    }
}
