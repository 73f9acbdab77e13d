// SPDX-License-Identifier: Apache-2.0

// latch: the command.
//
// For: people at a terminal, and scripts. It joins the modules into programs: the auth server, and a demonstration that
// plays whole lives of accounts against it.
// Must not know: how anything is done. What a verb does beyond reading its flags, naming its errors and writing its
// answers belongs into a module below.
// Where things are: Command (verbs, flags, help), Configuration (files, environment, flags, in that order), Serve, Demo,
// Accounts, Request, Tokens and Doctor (the client on a terminal), Platform (signals, streams and processes).

import FoundationEssentials

@main
/// The process: its main thread waits for signals, or serves the main actor; everything else runs on others.
enum Latch {
    /// Begins the command on another thread and gives this one to the signals.
    ///
    /// It is not asynchronous on purpose: the signals must be blocked before there is a second thread, which would
    /// otherwise be ended by them.
    static func main() {
        let signals = Signals.blocked()
        let shell = Shell(
            environment: ProcessInfo.processInfo.environment, input: .standard, output: .standardOutput,
            error: .standardError, signals: signals)
        Task.detached {
            let code = await Program.run(Array(CommandLine.arguments.dropFirst()), in: shell)
            endProcess(code)
        }
        signals.deliver()
        MainQueue.serveForever()
    }
}
