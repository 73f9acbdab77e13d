// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProtoCompiler

/// `validate_proto`: checks .proto files like `validate`.
struct ValidateTool: GeneratorTool {
    let name = "validate_proto"
    let title = "Validate .proto files"
    let summary =
        "Compiles .proto files with their imports, and checks the clients that would be generated. Errors have "
        + "file, line and column."
    let isReadOnly = true
    let arguments = [
        ToolArgument(name: "proto_path", kind: .text, summary: "A .proto file, or a folder of them.", isRequired: true),
        ToolArgument(name: "include_paths", kind: .texts, summary: "Folders that imports are relative to."),
        ToolArgument(name: "detailed", kind: .flag, summary: "Includes warnings."),
    ]
    let resultSchema: JSONObject = [
        "type": "object",
        "properties": [
            "valid": ["type": "boolean"], "files": ["type": "integer"], "errors": ["type": "integer"],
            "warnings": ["type": "integer"], "diagnostics": ["type": "array"],
        ],
    ]

    func call(_ arguments: ToolArguments, _ reporter: RequestReporter) async throws -> ToolResult {
        reporter.progress(0, of: 1, "compiling")
        let validation = try ProtoValidation(
            [arguments.text("proto_path") ?? ""], includes: arguments.texts("include_paths"))
        reporter.progress(1, of: 1, "done")
        let isDetailed = arguments.flag("detailed") ?? false
        let diagnostics = ToolDiagnostics(validation.diagnostics.filter { isDetailed || $0.severity == .error })
        var structured = validation.json
        structured["diagnostics"] = .array(diagnostics.shown.map(\.json))
        structured["diagnostics_omitted"] = .integer(Int64(validation.diagnostics.count - diagnostics.shown.count))
        let lines = diagnostics.lines + ["\(validation.fileCount.counted("file")), \(validation.verdict)"]
        return ToolResult(text: lines.joined(separator: "\n"), structured: .object(structured))
    }
}

/// `doctor`: checks the environment of the generator.
struct DoctorTool: GeneratorTool {
    let name = "doctor"
    let title = "Check the environment"
    let summary = "Checks the Swift compiler, the runtime of generated code, and the temporary folder."
    let isReadOnly = true
    let arguments = [
        ToolArgument(name: "check_frameworks", kind: .flag, summary: "Checks the runtime (true)."),
        ToolArgument(name: "check_toolchain", kind: .flag, summary: "Checks the compilers (true)."),
    ]
    let resultSchema: JSONObject = [
        "type": "object", "properties": ["fine": ["type": "boolean"], "findings": ["type": "array"]],
        "required": ["fine", "findings"],
    ]
    let environment: [String: String]

    func call(_ arguments: ToolArguments, _ reporter: RequestReporter) async throws -> ToolResult {
        reporter.progress(0, of: 1, "checking")
        var excluded = Set<String>()
        if arguments.flag("check_frameworks") == false { excluded.insert("runtime") }
        if arguments.flag("check_toolchain") == false { excluded.formUnion(["swift", "protoc"]) }
        let found = await GeneratorDoctor(environment: environment).diagnose().filter { !excluded.contains($0.subject) }
        reporter.progress(1, of: 1, "done")
        let isFine = found.allSatisfy(\.isFine)
        return ToolResult(
            text: found.text(), structured: ["fine": .bool(isFine), "findings": .array(found.map(\.json))])
    }
}

/// `get_examples`: returns example .proto files.
struct ExamplesTool: GeneratorTool {
    let name = "get_examples"
    let title = "Show examples"
    let summary = "Returns example .proto files; clients can be generated from each of them."
    let isReadOnly = true
    let arguments = [
        ToolArgument(
            name: "category", kind: .word(["all", "basic", "authentication", "advanced"]),
            summary: "The category of the examples (all).")
    ]
    let resultSchema: JSONObject = [
        "type": "object", "properties": ["examples": ["type": "array"]], "required": ["examples"],
    ]

    func call(_ arguments: ToolArguments, _ reporter: RequestReporter) async throws -> ToolResult {
        let category = arguments.text("category") ?? "all"
        let shown = GeneratorExample.all.filter { category == "all" || $0.category == category }
        let texts = shown.flatMap { example in
            ["\(example.name): \(example.summary)"] + example.files.map { "// \($0.path)\n\($0.text)" }
        }
        return ToolResult(
            text: texts.joined(separator: "\n"), structured: ["examples": .array(shown.map(\.json))])
    }
}
