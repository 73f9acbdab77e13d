// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProto
import Synchronization

/// How much of what happens is told on standard error.
struct GeneratorVoice: Sendable {
    /// How much is told; each level tells what those before it do.
    enum Level: String, CaseIterable, Comparable, Sendable {
        case error, warn, info, debug, trace

        static func < (one: Level, other: Level) -> Bool {
            (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
        }
    }

    private let shell: Shell
    private let level: Level
    /// Whether a script reads standard output, which then has one object and nothing else.
    let isJSON: Bool
    /// Whether each file and each step is named.
    let isVerbose: Bool
    /// Whether all errors are told, however many there are.
    let tellsAllErrors: Bool

    init(_ invocation: Invocation, _ shell: Shell) throws(CommandError) {
        self.shell = shell
        let name = invocation[GenerateVerb.logLevel] ?? "info"
        guard let level = Level(rawValue: name) else {
            throw .usage(
                "'\(name)' is no level.", hint: "Give one of \(Level.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        self.level = level
        isJSON = invocation.has(GenerateVerb.json)
        tellsAllErrors = invocation.has(GenerateVerb.allErrors)
        isVerbose = invocation.has(GenerateVerb.verbose) || level >= .debug
    }

    /// Tells a diagnostic: what, where, the line with a caret, and the hint.
    func tell(_ diagnostic: Diagnostic) {
        guard tells(diagnostic) else { return }
        shell.error.line(diagnostic.printed)
    }

    /// Tells how many diagnostics were not told.
    func tell(rest: String?) {
        guard !isJSON, let rest else { return }
        shell.error.line(rest)
    }

    /// Whether a diagnostic is told at this level.
    func tells(_ diagnostic: Diagnostic) -> Bool { !isJSON && (diagnostic.severity == .error || level >= .warn) }

    /// Tells how far a run has come, to people who wait for it.
    func progress(_ progress: ProjectRun.Progress) {
        guard !isJSON, level >= .info, isVerbose || shell.error.isTerminal && level >= .debug else { return }
        shell.error.line("[\(progress.completed + 1)/\(progress.total)] \(progress.message)")
    }

    /// Tells something that a person may want to know meanwhile.
    func note(_ text: String) {
        guard !isJSON, level >= .info else { return }
        shell.error.line("\(shell.name): \(text.printable)")
    }
}

/// The diagnostics of one run, told as they come and kept for its report.
final class DiagnosticLog: Sendable {
    private let voice: GeneratorVoice?
    private let content: Mutex<(all: [Diagnostic], bounds: DiagnosticBounds)>

    /// - Parameter voice: Nil where nobody is told before the report.
    init(_ voice: GeneratorVoice?) {
        self.voice = voice
        content = Mutex(([], DiagnosticBounds(showsAll: voice?.tellsAllErrors ?? true)))
    }

    var all: [Diagnostic] { content.withLock { $0.all } }

    func tell(_ diagnostic: Diagnostic) {
        let isTold = content.withLock { content in
            content.all.append(diagnostic)
            return voice?.tells(diagnostic) == true && content.bounds.admits(diagnostic)
        }
        if isTold { voice?.tell(diagnostic) }
    }

    /// Tells how many more there are than were told.
    func finish() { voice?.tell(rest: content.withLock { $0.bounds.rest }) }
}
