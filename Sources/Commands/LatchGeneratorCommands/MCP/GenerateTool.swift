// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProtoCompiler

/// `generate_axiom_clients`: generates clients like `generate`.
struct GenerateTool: GeneratorTool {
    let name = "generate_axiom_clients"
    let title = "Generate Swift clients"
    let summary =
        "Generates Swift clients, messages and services from .proto files into a folder. Either all files change or none; "
        + "other files are overwritten only if force_overwrite is set."
    let isReadOnly = false
    let environment: [String: String]
    /// Whether the Swift compiler checks the files after each call.
    let alwaysValidates: Bool

    let arguments = ToolArgument.tree(
        of: GeneratorOption.allCases.flatMap(\.toolProperties) + [
            (
                "generation_options.style_guide",
                ToolArgument(name: "style_guide", kind: .word(["axiom"]), summary: "The style.")
            )
        ], groups: groups)

    private static let groups = [
        "framework_config": "Settings of each language.", "framework_config.swift": "Settings of Swift.",
        "generation_options": "The parts to generate.",
    ]

    let resultSchema: JSONObject = [
        "type": "object",
        "properties": [
            "success": ["type": "boolean"], "generated_files": ["type": "array", "items": ["type": "string"]],
            "changes": ["type": "array"], "warnings": ["type": "array"], "stats": ["type": "object"],
            "validation": ["type": "object"], "diagnostics": ["type": "array"],
        ],
        "required": ["success"],
    ]

    func call(_ arguments: ToolArguments, _ reporter: RequestReporter) async throws -> ToolResult {
        let start = ContinuousClock.now
        let log = DiagnosticLog(nil)
        do {
            let settings = try settings(arguments)
            let prepared = try ProjectRun(settings).prepare(report: log.add) {
                reporter.progress($0, of: ProjectRun.stepCount, $1)
            }
            // A canceled call writes no files.
            try Task.checkCancellation()
            reporter.progress(3, of: ProjectRun.stepCount, "writing")
            try prepared.plan.apply()
            var report = GenerateReport(prepared: prepared, diagnostics: log.all, isWritten: true)
            report.time = ContinuousClock.now - start
            if try settings.flag(.validate) ?? alwaysValidates {
                let toolchain = SwiftToolchain.find(in: environment, program: executablePath)
                report.check = try await ProjectCheck.check(prepared.plan, settings, toolchain)
            }
            reporter.progress(4, of: ProjectRun.stepCount, "done")
            return result(report)
        } catch {
            let failure = CommandError(describing: error)
            let diagnostics = ToolDiagnostics(log.all)
            let lines = diagnostics.lines + [failure.message] + (failure.hint.map { ["hint: \($0)"] } ?? [])
            var structured = GenerateReport.failure(failure, diagnostics.shown)
            structured["diagnostics_omitted"] = .integer(Int64(log.all.count - diagnostics.shown.count))
            return ToolResult(text: lines.joined(separator: "\n"), structured: .object(structured), isError: true)
        }
    }

    private func settings(_ arguments: ToolArguments) throws -> GeneratorSettings {
        var settings = GeneratorSettings()
        settings.read(environment: environment)
        for option in GeneratorOption.allCases {
            let paths = option.toolArguments
            let words: [String] =
                switch option.definition.kind {
                case .flag:
                    // The two arguments for validation are alternatives.
                    paths.compactMap(arguments.flag).max { !$0 && $1 }.map { ["\($0)"] } ?? []
                case .list, .mapping: paths.flatMap(arguments.texts)
                case .text, .name, .choice: paths.compactMap(arguments.text)
                }
            if !words.isEmpty { settings.set(option, words, from: option.rawValue) }
        }
        try GeneratorFlags.checkVersion(settings)
        return settings
    }

    private func result(_ report: GenerateReport) -> ToolResult {
        var lines = [report.text(isVerbose: true)] + ToolDiagnostics(report.diagnostics).lines
        if let check = report.check {
            let errors = check.findings.filter(\.isError).prefix(20)
            lines += errors.map(\.description) + check.remarks + [check.gap].compactMap(\.self)
        }
        return ToolResult(
            text: lines.joined(separator: "\n"), structured: report.json, isError: report.check?.isValid == false)
    }
}

extension GeneratorOption {
    /// The tool's arguments that set the option, with their paths.
    fileprivate var toolProperties: [(path: String, argument: ToolArgument)] {
        let kind: ToolArgument.Kind =
            switch definition.kind {
            case .flag: .flag
            case .list, .mapping: .texts
            case .choice(let words): .word(words)
            case .text, .name: .text
            }
        let summary = definition.summary.prefix(1).uppercased() + definition.summary.dropFirst() + "."
        return toolArguments.map { path in
            let name = path.split(separator: ".").last.map(String.init) ?? path
            let isRequired = self == .protoPath || self == .outputPath
            return (path, ToolArgument(name: name, kind: kind, summary: summary, isRequired: isRequired))
        }
    }
}
