// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProto

/// `generate_axiom_clients`: what `generate` does.
struct GenerateTool: GeneratorTool {
    let name = "generate_axiom_clients"
    let title = "Generate Swift clients"
    let summary =
        "Generates Swift clients, messages and services from .proto files into a folder. Either all files change or none; "
        + "files that are not generated are never overwritten unless force_overwrite is set."
    let isReadOnly = false
    let environment: [String: String]
    /// Whether the Swift compiler judges what every call wrote.
    let alwaysValidates: Bool

    let arguments: [ToolArgument] = [
        ToolArgument(name: "proto_path", kind: .text, summary: "A .proto file, or a folder of them.", isRequired: true),
        ToolArgument(name: "output_path", kind: .text, summary: "Where the files belong.", isRequired: true),
        ToolArgument(name: "target_languages", kind: .texts, summary: "What to generate: swift."),
        ToolArgument(name: "services", kind: .texts, summary: "These services alone, with the types that they need."),
        ToolArgument(name: "include_paths", kind: .texts, summary: "Folders that imports begin at."),
        ToolArgument(
            name: "framework_config",
            kind: .object([
                ToolArgument(
                    name: "swift",
                    kind: .object([
                        ToolArgument(
                            name: "axiom_version", kind: .text, summary: "The runtime that the files are for."),
                        ToolArgument(name: "client_suffix", kind: .text, summary: "What names of clients end with."),
                        ToolArgument(name: "generate_tests", kind: .flag, summary: "Whether tests are generated."),
                        ToolArgument(name: "package_name", kind: .text, summary: "The module of the files."),
                        ToolArgument(
                            name: "enable_validation", kind: .flag, summary: "Has the Swift compiler judge the files."),
                    ]), summary: "Settings of Swift.")
            ]), summary: "Settings of each language."),
        ToolArgument(
            name: "generation_options",
            kind: .object([
                ToolArgument(name: "generate_contracts", kind: .flag, summary: "Messages, enums and services."),
                ToolArgument(name: "generate_clients", kind: .flag, summary: "Clients with actions and state."),
                ToolArgument(name: "force_overwrite", kind: .flag, summary: "Overwrites files that are not ours."),
                ToolArgument(name: "include_documentation", kind: .flag, summary: "Guides to the clients."),
                ToolArgument(name: "style_guide", kind: .word(["axiom"]), summary: "There is one style."),
                ToolArgument(
                    name: "real_time_validation", kind: .flag, summary: "The same as enable_validation."),
            ]), summary: "What is generated."),
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

    func call(_ arguments: ToolArguments, _ voice: RequestVoice) async throws -> ToolOutcome {
        let start = ContinuousClock.now
        let log = DiagnosticLog(nil)
        do {
            let settings = try settings(arguments)
            let run = ProjectRun(settings, languages: GeneratedLanguage.all, builtIn: OptionFiles.bytes)
            let prepared = try run.prepare(tell: log.tell) { voice.progress($0.completed, of: $0.total, $0.message) }
            // A call that was taken back writes nothing.
            try Task.checkCancellation()
            voice.progress(3, of: ProjectRun.stepCount, "writing")
            try prepared.plan.apply()
            var report = GenerateReport(prepared, log.all, isWritten: true)
            report.time = ContinuousClock.now - start
            if try settings.flag(.validate) ?? alwaysValidates {
                report.check = try await check(prepared.plan)
            }
            voice.progress(4, of: ProjectRun.stepCount, "done")
            return outcome(report)
        } catch {
            let told = CommandError(telling: error)
            let (shown, rest) = ToolDiagnostics.shown(log.all)
            let lines = shown.map(\.description) + rest + [told.message] + (told.hint.map { ["hint: \($0)"] } ?? [])
            var structured = GenerateReport.failure(told, shown)
            structured["diagnostics_omitted"] = .integer(Int64(log.all.count - shown.count))
            return ToolOutcome(text: lines.joined(separator: "\n"), structured: .object(structured), isError: true)
        }
    }

    private func settings(_ arguments: ToolArguments) throws -> GeneratorSettings {
        var settings = GeneratorSettings()
        settings.read(environment: environment)
        func set(_ key: GeneratorSettings.Key, _ words: [String]) {
            if !words.isEmpty { settings.set(key, words, from: key.rawValue) }
        }
        func set(_ key: GeneratorSettings.Key, _ flag: Bool?) { set(key, flag.map { [String($0)] } ?? []) }
        set(.protoPath, arguments.text("proto_path").map { [$0] } ?? [])
        set(.outputPath, arguments.text("output_path").map { [$0] } ?? [])
        set(.languages, arguments.texts("target_languages"))
        set(.services, arguments.texts("services"))
        set(.include, arguments.texts("include_paths"))
        set(.frameworkVersion, arguments.text("framework_config", "swift", "axiom_version").map { [$0] } ?? [])
        set(.clientSuffix, arguments.text("framework_config", "swift", "client_suffix").map { [$0] } ?? [])
        set(.packageName, arguments.text("framework_config", "swift", "package_name").map { [$0] } ?? [])
        set(.tests, arguments.flag("framework_config", "swift", "generate_tests"))
        set(.contracts, arguments.flag("generation_options", "generate_contracts"))
        set(.clients, arguments.flag("generation_options", "generate_clients"))
        set(.forceOverwrite, arguments.flag("generation_options", "force_overwrite"))
        set(.documentation, arguments.flag("generation_options", "include_documentation"))
        let validates = [
            arguments.flag("framework_config", "swift", "enable_validation"),
            arguments.flag("generation_options", "real_time_validation"),
        ].compactMap(\.self)
        if !validates.isEmpty { set(.validate, validates.contains(true)) }
        try GeneratorFlags.checkVersion(settings)
        return settings
    }

    private func check(_ plan: OutputPlan) async throws -> ProjectCheck.Report {
        let toolchain = SwiftToolchain.find(in: environment, program: currentProgram)
        let (sources, tests) = try SwiftCheck.files(at: plan.folder)
        let written = Set(plan.steps.filter { $0.new != nil }.map { "\(plan.folder)/\($0.path)" })
        return try await ProjectCheck(toolchain, demand: .typesWherePossible)
            .check(sources: sources.filter(written.contains), tests: tests.filter(written.contains))
    }

    private func outcome(_ report: GenerateReport) -> ToolOutcome {
        var lines = [report.text(isVerbose: true)]
        let (shown, rest) = ToolDiagnostics.shown(report.diagnostics)
        lines += shown.map(\.description) + rest
        if let check = report.check {
            let errors = check.findings.filter(\.isError).prefix(20)
            lines += errors.map { "\($0.path):\($0.line):\($0.column): error: \($0.message)" } + check.remarks
            lines += check.gap.map { [$0] } ?? []
        }
        return ToolOutcome(
            text: lines.joined(separator: "\n"), structured: report.json, isError: report.check?.isValid == false)
    }
}
