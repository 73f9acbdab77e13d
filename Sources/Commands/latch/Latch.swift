// SPDX-License-Identifier: Apache-2.0

// latch: the command.
//
// For: people at a terminal, and scripts. It joins the modules into programs: the auth server, and a demonstration that
// plays whole lives of accounts against it.
// Must not know: how anything is done. What a verb does beyond reading its flags, naming its errors and writing its
// answers belongs into a module below.
// Where things are: Command (the verbs; flags and help are of LatchCommand), Configuration (files, environment, flags, in that order), Serve, Demo,
// Accounts, Request, Tokens and Doctor (the client on a terminal), Platform (the main thread).

import LatchCommand

@main
/// The process: its main thread waits for signals, or serves the main actor; everything else runs on others.
enum Latch {
    /// Begins the command on another thread and gives this one to the signals.
    ///
    /// It is not asynchronous on purpose: see `Command.takeOver`.
    static func main() {
        Program.command.takeOver()
        MainQueue.serveForever()
    }
}
