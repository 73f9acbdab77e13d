// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// One run of the demonstration, from an empty folder to an empty place.
struct DemoRun {
    /// All steps, in the order in which they build on each other.
    static let steps: [DemoStep] =
        SignUpSteps.all + RenewalSteps.all + TheftSteps.all + ScopeSteps.all + JWTAuthSteps.all + LaziOAuthSteps.all
        + GeneratedClientSteps.all + CommandSteps.all + EndingSteps.all

    private let report: DemoReport
    private let shell: Shell
    private let steps: [DemoStep]

    /// - Parameter steps: Others than all of them, for tests of what a failing step does.
    init(_ report: DemoReport, _ shell: Shell, steps: [DemoStep] = DemoRun.steps) {
        self.report = report
        self.shell = shell
        self.steps = steps
    }

    /// Plays all steps, up to the first that does not hold.
    ///
    /// - Returns: 0, or 1 at the first step that does not hold; an interrupted run ends the process by its signal
    ///   instead, as a shell expects it.
    /// - Throws: What keeps the folder from being made or removed.
    func run() async throws -> ExitCode {
        let folder = try DemoFolder()
        let server = ServerProcess(in: folder, environment: shell.environment)
        let signals = shell.signals.received()
        // Some of the steps play apps, which live on the main actor.
        shell.signals.freeMainThread()
        let watch = Task {
            for await signal in signals {
                // Whoever interrupts it gets their machine back as it was.
                await server.finish()
                do { try folder.remove() } catch { shell.tell(CommandError(telling: error)) }
                Signals.endProcess(by: signal)
            }
        }
        defer { watch.cancel() }
        let code = await play(on: DemoStage(folder: folder, server: server))
        // Interrupted: the process ends by the signal, and not by a step that failed for it.
        if server.isOver { await watch.value }
        await server.finish()
        try folder.remove()
        return code
    }

    /// Plays the steps one after another; the first that does not hold ends it, for the others build on it.
    ///
    /// - Returns: 1 also where somebody ended the run, which the caller then sees by `isOver`.
    private func play(on start: DemoStage) async -> ExitCode {
        var stage = start
        let clock = ContinuousClock()
        let begin = clock.now
        report.begin()
        for step in steps {
            report.playing(step)
            let stepBegin = clock.now
            do {
                let finding = try await step.play(&stage)
                report.held(step, finding, after: clock.now - stepBegin)
            } catch {
                // Not the step failed then, somebody ended it.
                guard !stage.server.isOver else { return .failure }
                let what = error is DemoFailure ? "\(error)" : CommandError(telling: error).message
                report.failed(step, what, after: clock.now - stepBegin)
                shell.tell(.failed("The step '\(step.code)' does not hold: \(what).", hint: serverHint(stage)))
                return .failure
            }
        }
        report.end(stage, steps: steps.count, after: clock.now - begin)
        return .success
    }

    /// What the server said last, since the reason of a failure is often on its side.
    ///
    /// Four lines are enough for an error with its hint, and for what led to it.
    private func serverHint(_ stage: DemoStage) -> String {
        let said = stage.folder.text("server.log").split(separator: "\n").suffix(4).joined(separator: " / ")
        return said.isEmpty ? "The server said nothing." : "The server said last: \(said)"
    }
}
