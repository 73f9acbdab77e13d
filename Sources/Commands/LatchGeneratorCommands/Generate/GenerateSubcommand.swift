// SPDX-License-Identifier: Apache-2.0

package import LatchCommand
import LatchCore
import LatchGenerator
import LatchProtoCompiler

/// `generate`: generates clients, messages, tests and guides from .proto files.
package enum GenerateSubcommand {
    static let modulePath = Option.values("module-path", "DIR", "with validation: the folder of LatchRPC.swiftmodule")
    static let dryRun = Option.flag("dry-run", "shows the files that would change, and writes nothing")
    static let diff = Option.flag("diff", "shows the changes of the files, and writes nothing")
    static let check = Option.flag("check", "fails (exit 1) if files would change, and writes nothing")
    static let watch = Option.flag("watch", "generates again when a .proto file changes, until SIGTERM")
    static let allErrors = Option.flag("all-errors", "shows all errors, and not only the first 20 of each file")
    static let verbose = Option.flag("verbose", "shows each file and each step")
    static let json = Option.flag("json", "prints the result as a JSON object")
    static let logLevel = Option.value(
        "log-level", "LEVEL", "error, warn, info, debug or trace: the messages on standard error (info)")
    /// The folders that imports are relative to; other subcommands have the same option.
    static let include = Option.values("include", "DIR", short: "I", GeneratorOption.include.definition.summary)
    static let skipCompilation = Option.flag(
        "skip-compilation", GeneratorOption.skipCompilation.definition.summary)

    package static func subcommand(of program: String) -> Subcommand {
        Subcommand(
            name: "generate", summary: "generates Swift clients from .proto files",
            discussion: """
                Files that are no longer generated are removed, unless they were edited; other files are never
                changed. Either all files change or none. The manifest .latchwork.json lists the written files.

                Options can also be set in the table [generate] of latchwork.toml, and by variables of the
                environment such as AXIOM_CLIENT_SUFFIX. Flags take precedence over variables, and variables over
                the file. Its keys:
                \(keys)
                """,
            options: GeneratorFlags.all + [
                GeneratorFlags.config, modulePath, dryRun, diff, check, watch, verbose, allErrors, json, logLevel,
            ],
            plannedOptions: [
                "kotlin-framework-version": "Swift is generated; for Kotlin there is no generator yet.",
                "kotlin": "Swift is generated; for Kotlin there is no generator yet.",
            ],
            combinesShortNames: true,
            examples: [
                "\(program) generate --proto-path user.proto --output-path out --validate":
                    "generate the clients of a service, and compile them",
                "\(program) generate -p protos -o generated --check":
                    "in CI: fail if the generated files are out of date",
            ],
            body: { invocation, shell in try await GenerateRun(invocation, shell).run() })
    }

    /// The keys of the configuration file, in lines of at most 100 columns.
    private static var keys: String {
        var lines = [""]
        for (index, option) in GeneratorOption.allCases.enumerated() {
            let word = option.rawValue + (index + 1 < GeneratorOption.allCases.count ? "," : ".")
            let line = lines[lines.count - 1]
            if line.count + word.count < 100 {
                lines[lines.count - 1] = line.isEmpty ? word : "\(line) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// One run of `generate`, or one for each change.
struct GenerateRun {
    private let invocation: Invocation
    private let shell: Environment
    private let reporter: GeneratorReporter

    init(_ invocation: Invocation, _ shell: Environment) throws(CommandError) {
        self.invocation = invocation
        self.shell = shell
        reporter = try GeneratorReporter(invocation, shell)
        let modes = [
            GenerateSubcommand.dryRun, GenerateSubcommand.diff, GenerateSubcommand.check, GenerateSubcommand.watch,
        ]
        let given = modes.filter(invocation.has)
        guard given.count < 2 else {
            throw .usage(
                "'--\(given[0].name)' and '--\(given[1].name)' exclude each other.", hint: "Give one of them.")
        }
    }

    /// Generates once, or after each change.
    func run() async throws -> ExitCode {
        guard invocation.has(GenerateSubcommand.watch) else { return try await once().exitCode }
        let settings = try GeneratorFlags.settings(invocation, shell)
        let watched = settings.words(.protoPath) + settings.words(.include)
        return try await WatchRun(shell, reporter).run(watching: watched) { try await once() }
    }

    /// The result of a run.
    struct Result: Sendable {
        let exitCode: ExitCode
        /// The .proto files that were read; empty if unknown.
        var inputs: [String] = []
    }

    private func once() async throws -> Result {
        let start = ContinuousClock.now
        let log = DiagnosticLog(reporter)
        do {
            let settings = try GeneratorFlags.settings(invocation, shell)
            defer { log.finish() }
            let prepared = try ProjectRun(settings).prepare(report: log.add, progress: reporter.progress)
            return try await finish(prepared, settings, log, since: start)
        } catch  where invocation.has(GenerateSubcommand.json) {
            shell.json(.object(GenerateReport.failure(CommandError(describing: error), log.all)))
            return Result(exitCode: CommandError(describing: error).exitCode)
        }
    }

    private func finish(
        _ prepared: ProjectRun.Prepared, _ settings: GeneratorSettings, _ log: DiagnosticLog,
        since start: ContinuousClock.Instant
    ) async throws -> Result {
        let isWritten = [GenerateSubcommand.dryRun, GenerateSubcommand.diff, GenerateSubcommand.check].allSatisfy {
            !invocation.has($0)
        }
        var report = GenerateReport(prepared: prepared, diagnostics: log.all, isWritten: isWritten)
        if isWritten {
            reporter.progress(3, "writing")
            try prepared.plan.apply()
        }
        report.time = ContinuousClock.now - start
        if isWritten, try settings.flag(.validate) ?? false {
            let toolchain = SwiftToolchain.find(
                in: shell.variables, program: executablePath, modules: invocation.all(GenerateSubcommand.modulePath))
            report.check = try await ProjectCheck.check(prepared.plan, settings, toolchain)
        }
        show(report)
        let isStale = invocation.has(GenerateSubcommand.check) && !prepared.plan.isCurrent
        let isBlocked = !isWritten && !invocation.has(GenerateSubcommand.diff) && !prepared.plan.conflicts.isEmpty
        let isFine = !isStale && !isBlocked && report.check?.isValid != false
        return Result(exitCode: isFine ? .success : .failure, inputs: prepared.inputs)
    }

    private func show(_ report: GenerateReport) {
        if invocation.has(GenerateSubcommand.json) { return shell.json(report.json) }
        if invocation.has(GenerateSubcommand.diff) {
            shell.output.write(report.diff)
        } else if invocation.has(GenerateSubcommand.dryRun) || invocation.has(GenerateSubcommand.check) {
            shell.output.write(report.preview)
        } else {
            shell.output.write(report.text(isVerbose: reporter.isVerbose))
        }
        for path in report.plan.orphans {
            shell.warn(
                "'\(path)' is no longer generated, and was edited.", hint: "It remains; remove it if it is not needed.")
        }
        if let check = report.check {
            CheckReportPrinter(report: check, isDetailed: reporter.isVerbose).write(to: shell)
        }
    }
}
