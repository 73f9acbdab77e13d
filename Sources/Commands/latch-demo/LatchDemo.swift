// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// The program that `latch demo` starts.
@main
enum LatchDemo {
    /// The command, whose errors begin like those of `latch`.
    private static let command = Command(
        Subcommand(
            name: "latch", summary: "runs the main use cases against a real server and checks each step",
            options: [.json("one JSON object for each step, and one with the summary")],
            examples: ["latch demo": "see it work"],
            body: { invocation, environment in
                try await DemoRun(report: DemoReport(environment: environment, isJSON: invocation.wantsJSON)).run()
            }), version: packageVersion)

    /// Runs the demonstration on another thread, because some steps use the main actor.
    static func main() { command.runMain(mainThread: MainQueue.serveForever) }
}
