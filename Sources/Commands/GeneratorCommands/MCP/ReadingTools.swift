// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProto

/// `validate_proto`: what `validate` says of .proto files.
struct ValidateTool: GeneratorTool {
    let name = "validate_proto"
    let title = "Validate .proto files"
    let summary =
        "Compiles .proto files with all that they import, and checks what clients would be generated from. Errors have "
        + "file, line and column."
    let isReadOnly = true
    let arguments = [
        ToolArgument(name: "proto_path", kind: .text, summary: "A .proto file, or a folder of them.", isRequired: true),
        ToolArgument(name: "include_paths", kind: .texts, summary: "Folders that imports begin at."),
        ToolArgument(name: "detailed", kind: .flag, summary: "Shows warnings as well, each with its line."),
    ]
    let resultSchema: JSONObject = [
        "type": "object",
        "properties": [
            "valid": ["type": "boolean"], "files": ["type": "integer"], "errors": ["type": "integer"],
            "warnings": ["type": "integer"], "diagnostics": ["type": "array"],
        ],
    ]

    func call(_ arguments: ToolArguments, _ voice: RequestVoice) async throws -> ToolOutcome {
        voice.progress(0, of: 1, "compiling")
        let validation = try ProtoValidation(
            [arguments.text("proto_path") ?? ""], includes: arguments.texts("include_paths"))
        voice.progress(1, of: 1, "done")
        let isDetailed = arguments.flag("detailed") ?? false
        let wanted = validation.diagnostics.filter { isDetailed || $0.severity == .error }
        let (shown, rest) = ToolDiagnostics.shown(wanted)
        var structured = validation.json
        structured["diagnostics"] = .array(shown.map(\.json))
        structured["diagnostics_omitted"] = .integer(Int64(validation.diagnostics.count - shown.count))
        let verdict =
            "\(validation.fileCount) files, \(validation.errorCount) errors, "
            + "\(validation.diagnostics.count - validation.errorCount) warnings: "
            + (validation.isValid ? "valid" : "not valid")
        return ToolOutcome(
            text: (shown.map(\.description) + rest + [verdict]).joined(separator: "\n"), structured: .object(structured)
        )
    }
}

/// `doctor`: what the generator finds on this machine.
struct DoctorTool: GeneratorTool {
    let name = "doctor"
    let title = "Look at this machine"
    let summary = "Looks for the Swift compiler, the runtime of generated code, and a place to write to."
    let isReadOnly = true
    let arguments = [
        ToolArgument(name: "check_frameworks", kind: .flag, summary: "Looks for the runtime (true)."),
        ToolArgument(name: "check_toolchain", kind: .flag, summary: "Looks for the compilers (true)."),
    ]
    let resultSchema: JSONObject = [
        "type": "object", "properties": ["fine": ["type": "boolean"], "findings": ["type": "array"]],
        "required": ["fine", "findings"],
    ]
    let environment: [String: String]

    func call(_ arguments: ToolArguments, _ voice: RequestVoice) async throws -> ToolOutcome {
        voice.progress(0, of: 1, "looking")
        var left = Set<String>()
        if arguments.flag("check_frameworks") == false { left.insert("runtime") }
        if arguments.flag("check_toolchain") == false { left.formUnion(["swift", "protoc"]) }
        let found = await GeneratorDoctor(environment: environment).look().filter { !left.contains($0.subject) }
        voice.progress(1, of: 1, "done")
        let isFine = found.allSatisfy(\.isFine)
        return ToolOutcome(
            text: found.text, structured: ["fine": .bool(isFine), "findings": .array(found.map(\.json))])
    }
}

/// `get_examples`: .proto files to begin with.
struct ExamplesTool: GeneratorTool {
    let name = "get_examples"
    let title = "Show examples"
    let summary = "Gives .proto files to begin with; each of them can be generated as it is."
    let isReadOnly = true
    let arguments = [
        ToolArgument(
            name: "category", kind: .word(["all", "basic", "authentication", "advanced"]),
            summary: "Which of them (all).")
    ]
    let resultSchema: JSONObject = [
        "type": "object", "properties": ["examples": ["type": "array"]], "required": ["examples"],
    ]

    func call(_ arguments: ToolArguments, _ voice: RequestVoice) async throws -> ToolOutcome {
        let category = arguments.text("category") ?? "all"
        let shown = GeneratorExample.all.filter { category == "all" || $0.category == category }
        let texts = shown.flatMap { example in
            ["\(example.name): \(example.summary)"] + example.files.map { "// \($0.path)\n\($0.text)" }
        }
        return ToolOutcome(
            text: texts.joined(separator: "\n"), structured: ["examples": .array(shown.map(\.json))])
    }
}
