// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProtoCompiler
import Synchronization

/// A reporter of diagnostics and progress on standard error.
struct GeneratorReporter: Sendable {
    /// A log level; each level includes the previous ones.
    private enum Level: Comparable, CaseIterable, Sendable {
        case error, warn, info, debug, trace
    }

    private let shell: Environment
    private let level: Level
    /// Whether the result is a JSON object, without other output.
    let isJSON: Bool
    /// Whether each file and each step is shown.
    let isVerbose: Bool
    /// Whether all errors are shown, regardless of their number.
    let showsAllErrors: Bool

    init(_ invocation: Invocation, _ shell: Environment) throws(CommandError) {
        self.shell = shell
        let name = invocation[GenerateSubcommand.logLevel] ?? "info"
        guard let level = Level.allCases.first(where: { "\($0)" == name }) else {
            throw .usage(
                "'\(name)' is not a log level.",
                hint: "Give one of \(Level.allCases.map { "\($0)" }.joined(separator: ", ")).")
        }
        self.level = level
        isJSON = invocation.has(GenerateSubcommand.json)
        showsAllErrors = invocation.has(GenerateSubcommand.allErrors)
        isVerbose = invocation.has(GenerateSubcommand.verbose) || level >= .debug
    }

    /// Shows a diagnostic with its location, source line and hint.
    func show(_ diagnostic: Diagnostic) { shell.error.line(diagnostic.printed) }

    /// Shows the number of omitted diagnostics.
    func show(rest: String?) {
        if !isJSON, let rest { shell.error.line(rest) }
    }

    /// Whether the level includes a diagnostic.
    func shows(_ diagnostic: Diagnostic) -> Bool { !isJSON && (diagnostic.severity == .error || level >= .warn) }

    /// Shows the progress of a run.
    func progress(_ completed: Int, _ message: String) {
        guard !isJSON, level >= .info, isVerbose else { return }
        shell.error.line("[\(completed + 1)/\(ProjectRun.stepCount)] \(message)")
    }

    /// Shows a message of level `info`.
    func note(_ text: String) {
        guard !isJSON, level >= .info else { return }
        shell.error.line("\(shell.name): \(text.printable)")
    }
}

/// The diagnostics of a run, which are shown immediately and kept for the report.
final class DiagnosticLog: Sendable {
    private let reporter: GeneratorReporter?
    private let content: Mutex<(all: [Diagnostic], limiter: DiagnosticLimiter)>

    /// - Parameter reporter: Nil if diagnostics are shown only in the report.
    init(_ reporter: GeneratorReporter?) {
        self.reporter = reporter
        content = Mutex(([], DiagnosticLimiter(showsAll: reporter?.showsAllErrors ?? true)))
    }

    var all: [Diagnostic] { content.withLock { $0.all } }

    /// Adds a diagnostic, and shows it if the level and the limits allow it.
    func add(_ diagnostic: Diagnostic) {
        let isShown = content.withLock { content in
            content.all.append(diagnostic)
            return reporter?.shows(diagnostic) == true && content.limiter.admits(diagnostic)
        }
        if isShown { reporter?.show(diagnostic) }
    }

    /// Shows the number of omitted diagnostics.
    func finish() { reporter?.show(rest: content.withLock { $0.limiter.rest }) }
}
