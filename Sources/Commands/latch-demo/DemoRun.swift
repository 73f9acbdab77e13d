// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// One run of the demonstration, which leaves no files behind.
struct DemoRun {
    /// All steps; each step can build on earlier steps.
    static let chapters: [DemoChapter] = [
        .init("Sign-up and sign-in", SignUpSteps.all),
        .init("Refreshes while the server changes and dies", RefreshSteps.all),
        .init("Stolen tokens and limited rights", TheftSteps.all + ScopeSteps.all),
        .init("Clients of other APIs", JWTAuthSteps.all + LaziOAuthSteps.all + GeneratedClientSteps.all),
        .init("Terminals and the end", CommandSteps.all + EndingSteps.all),
    ]

    let report: DemoReport
    /// The steps to run; tests replace them.
    var chapters = Self.chapters

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
        for chapter in chapters {
            report.begin(chapter)
            for step in chapter.steps {
                guard await plays(step, on: &stage) else { return .failure }
            }
        }
        report.end(stage, steps: chapters.map(\.steps.count).reduce(0, +), after: clock.now - begin)
        return .success
    }

    /// Plays one step and returns whether it holds; false also for an interrupted run.
    private func plays(_ step: DemoStep, on stage: inout DemoStage) async -> Bool {
        report.playing(step)
        let begin = ContinuousClock.now
        do {
            let finding = try await step.play(&stage)
            report.held(step, finding, after: ContinuousClock.now - begin)
            return true
        } catch {
            // The run was interrupted; the step has not failed.
            guard !stage.server.isOver else { return false }
            let what = error is DemoFailure ? "\(error)" : CommandError(describing: error).message
            report.failed(step, what, after: ContinuousClock.now - begin)
            environment.report(.failed("The step '\(step.code)' does not hold: \(what).", hint: serverHint(stage)))
            return false
        }
    }

    /// Returns the last four lines of the server's log, which often explain a failure.
    private func serverHint(_ stage: DemoStage) -> String {
        let log = stage.folder.text("server.log").split(separator: "\n").suffix(4).joined(separator: " / ")
        return log.isEmpty ? "The server logged nothing." : "The server logged last: \(log)"
    }
}
