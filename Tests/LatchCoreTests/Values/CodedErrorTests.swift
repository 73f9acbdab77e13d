// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import Testing

@Suite struct CodedErrorTests {
    private struct Fault: CodedError {
        var code: String
        var message = "The lamp is dark."
        var hint: String?

        static let dark = Fault(code: "dark")
        static let wet = Fault(code: "wet", message: "The lamp is wet.", hint: "Dry it.")
    }

    private struct OtherFault: CodedError {
        var code: String
        var message = ""
        var hint: String?
    }

    private func caught(_ error: any Error) -> String {
        do { throw error } catch Fault.dark { return "dark" } catch Fault.wet { return "wet" } catch { return "other" }
    }

    @Test func `A coded error has its message as the description that apps show`() {
        let fault: any Error = Fault(code: "timeout", message: "The server did not respond.", hint: "Try again.")
        expectEqual(fault.localizedDescription, "The server did not respond.")
        expectEqual((fault as? any LocalizedError)?.recoverySuggestion, "Try again.")
    }

    @Test func `A coded error states the event, and the remedy on its own line`() {
        expectEqual("\(Fault.dark)", "The lamp is dark.")
        expectEqual("\(Fault.wet)", "The lamp is wet.\nhint: Dry it.")
    }

    @Test func `A coded error is equal to another with its code, regardless of the messages`() {
        expectEqual(Fault(code: "dark", message: "In the hall.", hint: "Wait."), Fault.dark)
        expectNotEqual(Fault(code: "wet"), Fault.dark)
    }

    @Test func `A coded error is caught by the static member of its code, in any context`() {
        expectEqual(caught(Fault(code: "dark", message: "In the hall.")), "dark")
        expectEqual(caught(Fault.wet), "wet")
        expectEqual(caught(Fault(code: "Dark")), "other")
    }

    @Test func `A coded error is not caught by another type's member with the same code`() {
        expectEqual(caught(OtherFault(code: "dark")), "other")
        expectEqual(caught(CancellationError()), "other")
    }
}
