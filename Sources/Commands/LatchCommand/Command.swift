// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A command: its verbs, and what is common to all of them.
package struct Command: Sendable {
    /// What it is called, and all that it can do.
    ///
    /// What is not in this tree cannot be called, and help and suggestions are made from it alone.
    package let root: Verb
    /// The version, as the changelog counts it.
    package let version: String

    package init(_ root: Verb, version: String) {
        self.root = root
        self.version = version
    }

    /// Reads the command line, does what it asks for, and tells how it went.
    ///
    /// Every error ends here: nothing that a verb throws reaches the runtime, which would trap and print a stack.
    package func run(_ arguments: [String], in world: Shell) async -> ExitCode {
        var shell = world
        shell.name = root.name
        do {
            switch try ArgumentParser.parse(arguments, with: root) {
            case .help(let path):
                shell.output.write(HelpText(path).text)
                return .success
            case .version:
                shell.output.line("\(root.name) \(version)")
                return .success
            case .run(let verb, let invocation):
                return try await verb.body?(invocation, shell) ?? .usage
            }
        } catch {
            let told = CommandError(telling: error)
            shell.tell(told)
            return told.exitCode
        }
    }

    /// Runs the process's own call on another thread, and gives the calling one to the signals.
    ///
    /// Call it on the main thread, first of all: the signals must be blocked before there is a second thread, which would
    /// otherwise be ended by them. It returns once the main thread is needed for something else, and else never: the
    /// process ends with the call.
    package func takeOver() {
        let signals = Signals.blocked()
        let shell = Shell(
            environment: ProcessInfo.processInfo.environment, input: .standard, output: .standardOutput,
            error: .standardError,
            signals: signals)
        Task.detached { endProcess(await run(Array(CommandLine.arguments.dropFirst()), in: shell)) }
        signals.deliver()
    }
}
