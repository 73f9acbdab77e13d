// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchGenerator

/// Generates again whenever something that was read changes, until somebody ends it.
struct WatchRun {
    /// How often it is looked at the files: soon enough for a person, and nothing for a machine.
    private static let interval = Duration.milliseconds(200)

    private let shell: Shell
    private let voice: GeneratorVoice

    init(_ shell: Shell, _ voice: GeneratorVoice) {
        self.shell = shell
        self.voice = voice
    }

    /// Runs `generate` at once and after each change; a run that fails is told and does not end the watch.
    ///
    /// - Parameter watched: Files and folders to look at, whatever the runs read besides.
    func run(
        watching watched: [String], _ generate: @escaping @Sendable () async throws -> GenerateRun.Result
    ) async throws -> ExitCode {
        let signals = shell.signals.received()
        let watch = Task { try await follow(watched, generate) }
        let ending = Task {
            for await signal in signals where signal != .hangUp {
                watch.cancel()
                return
            }
        }
        defer { ending.cancel() }
        do { try await watch.value } catch is CancellationError {}
        voice.note("the watch has ended")
        return .success
    }

    private func follow(
        _ watched: [String], _ generate: @Sendable () async throws -> GenerateRun.Result
    ) async throws {
        var inputs: [String] = []
        while true {
            // Before the run, so that what changes during it is seen after it.
            var paths = watched + inputs
            var stamp = SourceStamp(paths)
            do {
                let result = try await generate()
                if !result.inputs.isEmpty, result.inputs != inputs {
                    inputs = result.inputs
                    let isFirst = stamp == SourceStamp(paths)
                    paths = watched + inputs
                    if isFirst { stamp = SourceStamp(paths) }
                }
            } catch {
                shell.tell(CommandError(telling: error))
            }
            voice.note("watching \(stamp.count) files")
            repeat { try await Task.sleep(for: Self.interval) } while SourceStamp(paths) == stamp
        }
    }
}
