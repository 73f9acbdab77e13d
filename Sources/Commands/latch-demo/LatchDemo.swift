// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// The program that `latch demo` starts.
@main
enum LatchDemo {
    private static let json = Option.flag("json", "one JSON object for each step, and one with the sum")

    /// The command, whose errors begin like those of `latch`.
    private static let command = Command(
        Subcommand(
            name: "latch", summary: "plays the main job against a real server and checks every step",
            options: [json], examples: [.init(command: "latch demo", purpose: "see it work")],
            body: { invocation, environment in
                try await DemoRun(DemoReport(environment, isJSON: invocation.has(json)), environment).run()
            }), version: packageVersion)

    /// Runs the demonstration on another thread and gives the main one to signals, later to the main actor.
    static func main() {
        command.runMain()
        MainQueue.serveForever()
    }
}
