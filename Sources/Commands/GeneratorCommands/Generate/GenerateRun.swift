// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProto

/// One call of `generate`.
struct GenerateRun {
    private let invocation: Invocation
    private let shell: Shell
    private let voice: GeneratorVoice

    init(_ invocation: Invocation, _ shell: Shell) throws(CommandError) {
        self.invocation = invocation
        self.shell = shell
        voice = try GeneratorVoice(invocation, shell)
        let modes = [GenerateVerb.dryRun, GenerateVerb.diff, GenerateVerb.check, GenerateVerb.watch]
        let given = modes.filter(invocation.has)
        guard given.count < 2 else {
            throw .usage(
                "'--\(given[0].name)' and '--\(given[1].name)' exclude each other.", hint: "Give one of them.")
        }
    }

    /// Generates once, or again and again.
    func run() async throws -> ExitCode {
        guard invocation.has(GenerateVerb.watch) else { return try await once().exitCode }
        let settings = try GeneratorFlags.settings(invocation, shell)
        let watched = settings.words(.protoPath) + settings.words(.include)
        return try await WatchRun(shell, voice).run(watching: watched) { try await once() }
    }

    /// What one run came to.
    struct Result: Sendable {
        let exitCode: ExitCode
        /// The files to wait for; none where it is not known which they are.
        var inputs: [String] = []
    }

    private func once() async throws -> Result {
        let start = ContinuousClock.now
        let log = DiagnosticLog(voice)
        do {
            let settings = try GeneratorFlags.settings(invocation, shell)
            let project = ProjectRun(settings, languages: GeneratedLanguage.all, builtIn: OptionFiles.bytes)
            defer { log.finish() }
            let prepared = try project.prepare(tell: log.tell, progress: voice.progress)
            return try await finish(prepared, settings, log, since: start)
        } catch  where invocation.has(GenerateVerb.json) {
            shell.json(.object(GenerateReport.failure(CommandError(telling: error), log.all)))
            return Result(exitCode: CommandError(telling: error).exitCode)
        }
    }

    private func finish(
        _ prepared: ProjectRun.Prepared, _ settings: GeneratorSettings, _ log: DiagnosticLog,
        since start: ContinuousClock.Instant
    ) async throws -> Result {
        let isWritten = [GenerateVerb.dryRun, GenerateVerb.diff, GenerateVerb.check].allSatisfy { !invocation.has($0) }
        var report = GenerateReport(prepared, log.all, isWritten: isWritten)
        if isWritten {
            voice.progress(.init(completed: 3, total: ProjectRun.stepCount, message: "writing"))
            try prepared.plan.apply()
        }
        report.time = ContinuousClock.now - start
        if isWritten, try settings.flag(.validate) ?? false {
            report.check = try await check(prepared.plan, settings)
        }
        tell(report)
        let isStale = invocation.has(GenerateVerb.check) && !prepared.plan.isCurrent
        let isBlocked = !isWritten && !invocation.has(GenerateVerb.diff) && !prepared.plan.refusals.isEmpty
        let isFine = !isStale && !isBlocked && report.check?.isValid != false
        return Result(exitCode: isFine ? .success : .failure, inputs: prepared.inputs)
    }

    private func check(
        _ plan: OutputPlan, _ settings: GeneratorSettings
    ) async throws -> ProjectCheck.Report {
        let isSyntaxOnly = try settings.flag(.skipCompilation) ?? false
        let toolchain = SwiftToolchain.find(
            in: shell.environment, program: currentProgram, modules: invocation.all(GenerateVerb.modulePath))
        let (sources, tests) = try SwiftCheck.files(at: plan.folder)
        let written = Set(plan.steps.filter { $0.new != nil }.map { "\(plan.folder)/\($0.path)" })
        return try await ProjectCheck(toolchain, demand: isSyntaxOnly ? .syntax : .typesWherePossible)
            .check(sources: sources.filter(written.contains), tests: tests.filter(written.contains))
    }

    private func tell(_ report: GenerateReport) {
        if invocation.has(GenerateVerb.json) { return shell.json(report.json) }
        if invocation.has(GenerateVerb.diff) {
            shell.output.write(report.diff)
        } else if invocation.has(GenerateVerb.dryRun) || invocation.has(GenerateVerb.check) {
            shell.output.write(report.preview)
        } else {
            shell.output.write(report.text(isVerbose: voice.isVerbose))
        }
        for path in report.plan.orphans {
            shell.warn(
                "'\(path)' is generated no more, and was edited.", hint: "It stays; remove it if nobody needs it.")
        }
        if let check = report.check { CheckText(check, isDetailed: voice.isVerbose).write(to: shell) }
    }
}
