// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// Tells how the demonstration goes: a line for each step, or a JSON object for each.
struct DemoReport: Sendable {
    private let shell: Shell
    private let isJSON: Bool

    init(_ shell: Shell, isJSON: Bool) {
        self.shell = shell
        self.isJSON = isJSON
    }

    /// Says what will be played; a script gets nothing that is no step.
    func begin() {
        guard !isJSON else { return }
        shell.output.line("latch demo: a real server process, a real file, one person with two devices\n")
    }

    /// Shows which step is being played, to a person who is looking.
    ///
    /// Without a line break: `held` or `failed` removes it again.
    func playing(_ step: DemoStep) {
        guard shell.error.isTerminal, !isJSON else { return }
        shell.error.write("  … \(step.name)")
    }

    /// A step that holds, with what it saw and how long it took.
    ///
    /// The time is that of the step alone, in milliseconds; `facts` are kept between versions as the codes are.
    func held(_ step: DemoStep, _ finding: DemoStep.Finding, after time: Duration) {
        guard !isJSON else {
            return shell.json([
                "step": .string(step.code), "holds": true, "milliseconds": .number(Self.milliseconds(time)),
                "facts": .object(finding.facts),
            ])
        }
        clearProgress()
        let mark = styled("✓", "32")
        shell.output.line("  \(mark) \(Self.padded(step.name, 50))\(Self.aligned(time))   \(styled(finding.text, "2"))")
    }

    /// The step that does not hold, with what was expected.
    ///
    /// Nothing comes after it; the exit code and standard error tell the rest.
    func failed(_ step: DemoStep, _ what: String, after time: Duration) {
        guard !isJSON else {
            return shell.json([
                "step": .string(step.code), "holds": false, "milliseconds": .number(Self.milliseconds(time)),
                "expected": .string(what),
            ])
        }
        clearProgress()
        shell.output.line("  \(styled("✗", "31")) \(Self.padded(step.name, 50))\(Self.aligned(time))   \(what)")
    }

    /// The sum, once every step has held.
    ///
    /// Called only where every step held, which is what makes "no session lost" true: a lost one fails its step.
    func end(_ stage: DemoStage, steps: Int, after time: Duration) {
        guard !isJSON else {
            return shell.json([
                "summary": true, "holds": true, "steps": .integer(Int64(steps)), "calls": .integer(Int64(stage.calls)),
                "kills": .integer(Int64(stage.kills)), "sessionsLost": 0,
                "milliseconds": .number(Self.milliseconds(time)),
            ])
        }
        let seconds = Self.milliseconds(time) / 1000
        shell.output.line(
            """

              \(Self.counted(steps, "step")) \(steps == 1 ? "holds" : "hold"). \
            \(Self.counted(stage.calls, "authenticated call")), \(Self.counted(stage.kills, "kill")), \
            no session lost, \(Self.decimal(seconds)) s.
            """)
    }

    /// Removes the line of the step that was being played (ECMA-48 EL), on a terminal only.
    private func clearProgress() { if shell.error.isTerminal { shell.error.write("\r\u{1B}[2K") } }

    /// With a colour (ECMA-48 SGR) on a terminal, plain in a file.
    private func styled(_ text: String, _ code: String) -> String {
        shell.output.isTerminal ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension DemoReport {
    /// The duration in milliseconds, with one decimal.
    static func milliseconds(_ time: Duration) -> Double { (time.inSeconds * 10_000).rounded() / 10 }

    /// A number with one decimal.
    static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// A number with a comma before each three digits.
    ///
    /// Negative numbers, which no count is, stay as they are.
    static func grouped(_ number: Int) -> String {
        guard number >= 1000 else { return String(number) }
        let rest = String(number % 1000)
        return grouped(number / 1000) + "," + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// A number with what it counts, in the plural unless it is one: "1 kill", "3 kills".
    ///
    /// - Parameter plural: The plural, where an "s" behind the singular does not make it.
    static func counted(_ number: Int, _ singular: String, plural: String? = nil) -> String {
        grouped(number) + " " + (number == 1 ? singular : plural ?? singular + "s")
    }

    /// With spaces up to a width, and one at least.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 1))
    }

    /// Milliseconds, right-aligned.
    private static func aligned(_ time: Duration) -> String {
        let text = "\(grouped(Int((time.inSeconds * 1000).rounded()))) ms"
        return String(repeating: " ", count: max(9 - text.count, 0)) + text
    }
}
