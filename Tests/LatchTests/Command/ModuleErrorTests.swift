// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchServer
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ModuleErrorTests {
    private struct Lines: CodedError {
        let code = "lines"
        let message = "one\u{2028}two\u{85}three\r\nfour"
        let hint: String? = "do\u{B}this\u{C}now"
    }

    static let errors: [any CodedError] = [
        HTTPError.timeout, AuthError.missingToken, AccountError.wrongCredentials, IdentityError.overloaded,
        IdentityError.invalidToken, IdentityError.newerSchema(found: 2, known: 1), IdentityError.storeMoved,
    ]

    @Test(arguments: errors.indices)
    func `An error of a module below is shown in its own words, with exit 1`(index: Int) {
        let error = Self.errors[index]
        let told = CommandError(describing: error)
        expectEqual(told.exitCode, .failure)
        expectEqual(told.code, error.code)
        expectEqual(told.message, error.message)
        expectEqual(told.hint, error.hint)
        #expect(!told.message.isEmpty)
    }

    @Test(arguments: errors.indices)
    func `An error of a module below takes one line, and a second one for its hint`(index: Int) {
        let kept = RecordingEnvironment()
        kept.environment.report(CommandError(describing: Self.errors[index]))
        let lines = kept.error.split(separator: "\n", omittingEmptySubsequences: false)
        expectEqual(lines.first?.hasPrefix("latch: "), true)
        expectEqual(lines.last, "")
        expectEqual(lines.count, Self.errors[index].hint == nil ? 2 : 3)
    }

    @Test func `An error of a module below takes one line, despite any line breaks in it`() {
        let kept = RecordingEnvironment()
        kept.environment.report(CommandError(describing: Lines()))
        expectEqual(kept.error, "latch: one two three four\nhint: do this now\n")
    }

    @Test func `An error of a module below is shown once`() {
        for error in Self.errors {
            let once = CommandError(describing: error)
            let twice = CommandError(describing: once)
            #expect((twice.code, twice.message) == (once.code, once.message))
            expectEqual(twice.exitCode, once.exitCode)
        }
    }
}
