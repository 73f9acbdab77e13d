// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchGenerator

/// A loop that generates after each change of the input files, until a signal ends it.
struct WatchRun {
    /// The interval at which the files are checked.
    private static let interval = Duration.milliseconds(200)

    private let shell: Environment
    private let reporter: GeneratorReporter

    init(_ shell: Environment, _ reporter: GeneratorReporter) {
        self.shell = shell
        self.reporter = reporter
    }

    /// Runs `generate` immediately and after each change; a failed run is reported and does not end the loop.
    ///
    /// - Parameter watched: The files and folders to watch in addition to those that the runs read.
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
        reporter.note("the watch has ended")
        return .success
    }

    private func follow(
        _ watched: [String], _ generate: @Sendable () async throws -> GenerateRun.Result
    ) async throws {
        var inputs: [String] = []
        while true {
            // Taken before the run, so that a change during the run is found after it.
            var paths = watched + inputs
            var snapshot = FileSnapshot(paths)
            do {
                let result = try await generate()
                if !result.inputs.isEmpty, result.inputs != inputs {
                    inputs = result.inputs
                    // Taken before the comparison, so that a change between the two is also found.
                    let next = FileSnapshot(watched + inputs)
                    if snapshot == FileSnapshot(paths) { snapshot = next }
                    paths = watched + inputs
                }
            } catch {
                shell.report(CommandError(describing: error))
            }
            reporter.note("watching \(snapshot.count.counted("file"))")
            repeat { try await Task.sleep(for: Self.interval) } while FileSnapshot(paths) == snapshot
        }
    }
}
