// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchIdentity
import LatchServer
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct EnvironmentTests {
    @Test func `A message to a person has one line for the event and one for the hint`() {
        let kept = RecordingEnvironment()
        kept.environment.report(.failed("first\nsecond\r\nthird", hint: "do\n\nthis"))
        expectEqual(kept.error, "latch: first second third\nhint: do this\n")
        #expect(kept.output.isEmpty)
    }

    @Test func `A message to a person has no hint if there is none`() {
        let kept = RecordingEnvironment()
        kept.environment.report(.failed("it does not work"))
        expectEqual(kept.error, "latch: it does not work\n")
    }

    @Test func `A message to a person that is not a failure begins with "warning"`() {
        let kept = RecordingEnvironment()
        kept.environment.warn("careful", hint: "look twice")
        expectEqual(kept.error, "latch: warning: careful\nhint: look twice\n")
    }

    @Test func `A message to a person in JSON is one line on standard output`() {
        let kept = RecordingEnvironment()
        kept.environment.json(["a": [1, "b\n"]])
        expectEqual(kept.output, #"{"a":[1,"b\n"]}"# + "\n")
    }
}

@Suite struct ExitCodeTests {
    private struct Strange: Error {}

    @Test func `The exit code is 2 for a usage error, and 1 for everything else`() {
        expectEqual(CommandError.usage("x", hint: "y").exitCode, .usage)
        expectEqual(CommandError.failed("x").exitCode, .failure)
        expectEqual(CommandError(describing: CommandError.usage("x", hint: "y")).exitCode, .usage)
        expectEqual(CommandError(describing: IdentityError.storeFull).exitCode, .failure)
        expectEqual(CommandError(describing: Strange()).exitCode, .failure)
        expectEqual([ExitCode.success, .failure, .usage].map(\.rawValue), [0, 1, 2])
    }

    @Test func `The exit code comes with the message and the hint of the module that failed`() {
        let told = CommandError(describing: IdentityError.storeFull)
        expectEqual(told.code, "storeFull")
        expectEqual(told.message, IdentityError.storeFull.message)
        expectEqual(told.hint, IdentityError.storeFull.hint)
        #expect(CommandError(describing: Strange()).message.contains("Strange"))
    }

    @Test(
        arguments: [
            (["help"], 0), (["help", "serve"], 0), (["serve", "-h"], 0), (["demo", "--help"], 0), (["--version"], 0),
            ([], 2), (["help", "nothing"], 2), (["serve", "--json"], 2), (["demo", "word"], 2), (["-x"], 2),
            (["serve", "--config", "/no/such/file.toml", "--print-config"], 1),
            (["serve", "--store", "mysql://a", "--print-config"], 2), (["serve", "--listen=x", "--print-config"], 2),
            (["serve", "--print-config", "--print-config"], 2), (["serve", "--print-config=yes"], 2),
        ] as [([String], Int32)])
    func `The exit code and the stream tell a script the outcome`(arguments: [String], code: Int32) async {
        let kept = RecordingEnvironment()
        await expectEqual(Program.command.run(arguments, in: kept.environment).rawValue, code)
        expectEqual(kept.output.isEmpty, code != 0)
        expectEqual(kept.error.isEmpty, code == 0)
        if code != 0, !arguments.isEmpty {
            expectEqual(kept.error.split(separator: "\n").last?.hasPrefix("hint: "), true)
        }
    }
}
