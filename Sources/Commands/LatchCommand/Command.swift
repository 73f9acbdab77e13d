// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchFoundation

/// A command: a tree of subcommands with a version.
package struct Command: Sendable {
    /// The tree of all subcommands, which help and suggestions use.
    package let root: Subcommand
    /// The version of the changelog.
    package let version: String
    /// Returns the description of an error of another module for a user of this command; nil for the module's own.
    private let describe: @Sendable (any Error) -> CommandError?

    package init(
        _ root: Subcommand, version: String,
        describing describe: @escaping @Sendable (any Error) -> CommandError? = {
            _ in nil
        }
    ) {
        self.root = root
        self.version = version
        self.describe = describe
    }

    /// Parses the command line, runs the subcommand and reports its errors.
    ///
    /// No error reaches the Swift runtime, which would trap and print a stack trace.
    package func run(_ arguments: [String], in environment: Environment) async -> ExitCode {
        var environment = environment
        environment.name = root.name
        do {
            if arguments.isEmpty, root.body == nil {
                environment.error.write(Self.help([root], environment.error, environment))
                return .usage
            }
            switch try ArgumentParser.parse(arguments, with: root) {
            case .help(let path):
                environment.output.write(Self.help(path, environment.output, environment))
            case .version:
                environment.output.line("\(root.name) \(version)")
            case .run(let subcommand, let invocation):
                let code = try await subcommand.body?(invocation, environment) ?? .usage
                guard code == .success else { return code }
            }
            // A reader must not take incomplete output for a complete result.
            if let failure = Environment.Output.failureOfStandardOutput { throw failure }
            return .success
        } catch {
            let error = describe(error) ?? CommandError(describing: error)
            environment.report(error)
            return error.exitCode
        }
    }

    private static func help(
        _ path: [Subcommand], _ stream: Environment.Output, _ environment: Environment
    ) -> String {
        HelpText(path, terminalWidth: environment.width(of: stream), style: environment.style(of: stream)).text
    }

    private func runOwnCall(in environment: Environment) async -> ExitCode {
        do throws(CommandError) {
            try environment.requireReadableVariables()
            // A root command that runs without arguments does not need the missing list.
            if root.body != nil, CommandLine.arguments.isEmpty { return await run([], in: environment) }
            return await run(try CommandLine.words(), in: environment)
        } catch {
            environment.report(error)
            return error.exitCode
        }
    }

    private func processEnvironment(_ signals: Signals) -> Environment {
        var environment = Environment(
            variables: ProcessInfo.processInfo.environment, input: .standard, output: .standardOutput,
            error: .standardError, signals: signals)
        environment.name = root.name
        return environment
    }

    /// The threads that a call needs: two for running tasks, one for blocking work, one for signals.
    private static let neededThreads = 4

    /// Runs the process's call on another thread, while the calling thread waits for signals.
    ///
    /// The process ends after the call, once the environment's endings are finished. It also ends after a signal that
    /// no subcommand receives; a second interrupt then ends it immediately.
    ///
    /// Call it on the main thread before anything else. Signals must be blocked before a second thread exists, because
    /// otherwise they would end the process.
    ///
    /// - Parameter mainThread: The work of the main thread of a command that uses the main actor; another thread then
    ///   waits for signals.
    package func runMain(mainThread: (() -> Never)? = nil) -> Never {
        openMissingStreams()
        let signals = Signals.blocked()
        let environment = processEnvironment(signals)
        guard canStartThreads(Self.neededThreads) else {
            environment.report(
                .failed(
                    "This process may have no further threads.",
                    hint: "Raise the limit of the user (ulimit -u) or of the container (its pids)."))
            endProcess(.failure)
        }
        signals.finish(by: { await environment.finish() })
        Task.detached {
            let code = await runOwnCall(in: environment)
            // The reader of the output can continue while this process finishes.
            Environment.Output.closeStandardOutput()
            let isWhole = await signals.finishOnce()
            // If a signal has arrived in the meantime, it ends the process, so that the parent sees the signal.
            guard !signals.isSignalled else { return }
            endProcess(isWhole || code != .success ? code : .failure)
        }
        guard let mainThread else { signals.deliver() }
        DispatchQueue(label: "latch.signals").async { signals.deliver() }
        mainThread()
    }
}
