// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// A report of the demonstration: a line or a JSON object for each step.
struct DemoReport: Sendable {
    let environment: Environment
    let isJSON: Bool

    /// The greatest width of a line; one column less than that of the usual terminal keeps the cursor in its line.
    private static let width = 79
    /// The columns of a step's name.
    private static let nameWidth = 50

    private var style: TextStyle { environment.style(of: environment.output) }

    /// Whether the current step is shown until it has ended.
    private var showsProgress: Bool {
        environment.error.isTerminal && !isJSON && TextStyle.movesCursor(environment.variables)
    }

    /// Prints the headline, except as JSON.
    func begin() {
        guard !isJSON else { return }
        environment.output.line("latch demo: a real server process, a real file, one user with two devices")
    }

    /// Prints the title of the next steps.
    func begin(_ chapter: DemoChapter) {
        guard !isJSON else { return }
        environment.output.line("\n" + style.heading(chapter.title))
    }

    /// Shows the current step on a terminal; `held` or `failed` removes the line.
    func playing(_ step: DemoStep) {
        guard showsProgress else { return }
        environment.error.write("  … \(step.name)")
    }

    /// Prints a step that holds, with its finding and duration.
    ///
    /// Codes and `facts` are stable between versions.
    func held(_ step: DemoStep, _ finding: DemoStep.Finding, after time: Duration) {
        report(step, true, finding.text, after: time, ("facts", .object(finding.facts)))
    }

    /// Prints a step that does not hold, with the failed expectation.
    func failed(_ step: DemoStep, _ what: String, after time: Duration) {
        report(step, false, what, after: time, ("expected", .string(what)))
    }

    private func report(
        _ step: DemoStep, _ holds: Bool, _ text: String, after time: Duration, _ detail: (String, JSONValue)
    ) {
        guard !isJSON else {
            return environment.json([
                "step": .string(step.code), "holds": .bool(holds), "milliseconds": .number(Self.milliseconds(time)),
                detail.0: detail.1,
            ])
        }
        // Removes the line of the current step (ECMA-48 EL).
        if showsProgress { environment.error.write("\r\u{1B}[2K") }
        let mark = holds ? style.success("✓") : style.failure("✗")
        environment.output.line("  \(mark) \(step.name.padded(to: Self.nameWidth)) \(Self.aligned(time))")
        for line in Self.lines(of: text, indent: 6) {
            environment.output.line("      " + (holds ? style.dim(line) : line))
        }
    }

    /// Prints the summary after all steps have held; a lost session would have failed its step.
    func end(_ stage: DemoStage, steps: Int, after time: Duration) {
        guard !isJSON else {
            return environment.json([
                "summary": true, "holds": true, "steps": .integer(Int64(steps)), "calls": .integer(Int64(stage.calls)),
                "kills": .integer(Int64(stage.kills)), "sessionsLost": 0,
                "milliseconds": .number(Self.milliseconds(time)),
            ])
        }
        let seconds = Self.milliseconds(time) / 1000
        let summary = """
            \(Self.counted(steps, "step")) \(steps == 1 ? "holds" : "hold"). \
            \(Self.counted(stage.calls, "authenticated call")), \(Self.counted(stage.kills, "kill")), \
            no session lost, \(Self.decimal(seconds)) s.
            """
        environment.output.line("")
        for line in Self.lines(of: summary, indent: 2) { environment.output.line("  " + line) }
        environment.output.line("\n" + style.heading("Next"))
        for (command, purpose) in Self.nextCommands {
            environment.output.line("  \(command)\n      " + style.dim(purpose))
        }
    }

    /// What a user can do after the demonstration.
    private static let nextCommands: KeyValuePairs = [
        "latch serve --dev": "run a server, with a demo client and the emails on pages",
        "latch login --issuer http://127.0.0.1:8080": "sign in at it, from another terminal",
        "latch examples": "see .proto files, of which 'latch generate' makes clients",
    ]

    /// Returns a text in lines of the width, without the indentation.
    private static func lines(of text: String, indent: Int) -> [String] {
        let words = text.split(separator: " ").map(String.init)
        return HelpText.wrapped(words, indent: 0, width: width - indent).split(separator: "\n").map(String.init)
    }
}

extension DemoReport {
    /// Returns the duration in milliseconds, with one decimal.
    static func milliseconds(_ time: Duration) -> Double { (time.inSeconds * 10_000).rounded() / 10 }

    static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Returns a count with a comma before each group of three digits.
    static func grouped(_ number: Int) -> String {
        guard number >= 1000 else { return String(number) }
        let rest = String(number % 1000)
        return grouped(number / 1000) + "," + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// Returns a count with its noun: "1 kill", "3 kills".
    ///
    /// - Parameter plural: The plural, if it is not the singular with an "s".
    static func counted(_ number: Int, _ singular: String, plural: String? = nil) -> String {
        grouped(number) + " " + (number == 1 ? singular : plural ?? singular + "s")
    }

    /// Returns milliseconds, right-aligned.
    private static func aligned(_ time: Duration) -> String {
        let text = "\(grouped(Int((time.inSeconds * 1000).rounded()))) ms"
        return String(repeating: " ", count: max(9 - text.count, 0)) + text
    }
}
