// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// One run of the demonstration, which leaves no files behind.
struct DemoRun {
    /// All steps; each step can build on earlier steps.
    static let steps: [DemoStep] =
        SignUpSteps.all + RefreshSteps.all + TheftSteps.all + ScopeSteps.all + JWTAuthSteps.all + LaziOAuthSteps.all
        + GeneratedClientSteps.all + CommandSteps.all + EndingSteps.all

    let report: DemoReport
    /// The steps to run; tests replace them.
    var steps = Self.steps

    private var environment: Environment { report.environment }

    /// Plays the steps up to the first one that does not hold.
    ///
    /// - Returns: 0, or 1 for a failed step; an interrupted run ends the process by its signal.
    /// - Throws: An error while creating or removing the folder.
    func run() async throws -> ExitCode {
        let folder = try DemoDirectory()
        let server = ServerProcess(in: folder, environment: environment.variables)
        let signals = environment.signals.received()
        let playing = Task { await play(on: DemoStage(folder: folder, server: server)) }
        let watch = Task {
            for await signal in signals {
                // An interrupted run must also leave no files behind. Without its server, most steps fail soon; a step
                // that continues could create the folder again.
                await server.finish()
                await WallClock.system.result(within: .seconds(5)) {
                    _ = await playing.value
                } orLate: {
                }
                do { try folder.remove() } catch { environment.report(CommandError(describing: error)) }
                Signals.endProcess(by: signal)
            }
        }
        defer { watch.cancel() }
        let code = await playing.value
        // An interrupted process ends by the signal, not because of the step that failed as a result.
        if server.isOver { await watch.value }
        await server.finish()
        try folder.remove()
        return code
    }

    /// Plays the steps one after another; the first failure ends the run, because later steps build on earlier ones.
    ///
    /// - Returns: 1 also for an interrupted run, which `isOver` shows.
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
                // The run was interrupted; the step has not failed.
                guard !stage.server.isOver else { return .failure }
                let what = error is DemoFailure ? "\(error)" : CommandError(describing: error).message
                report.failed(step, what, after: clock.now - stepBegin)
                environment.report(.failed("The step '\(step.code)' does not hold: \(what).", hint: serverHint(stage)))
                return .failure
            }
        }
        report.end(stage, steps: steps.count, after: clock.now - begin)
        return .success
    }

    /// Returns the last four lines of the server's log, which often explain a failure.
    private func serverHint(_ stage: DemoStage) -> String {
        let log = stage.folder.text("server.log").split(separator: "\n").suffix(4).joined(separator: " / ")
        return log.isEmpty ? "The server logged nothing." : "The server logged last: \(log)"
    }
}
