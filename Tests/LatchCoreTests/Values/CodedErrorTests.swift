// SPDX-License-Identifier: Apache-2.0

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
        #expect(fault.localizedDescription == "The server did not respond.")
        #expect((fault as? any LocalizedError)?.recoverySuggestion == "Try again.")
    }

    @Test func `A coded error states the event, and the remedy on its own line`() {
        #expect("\(Fault.dark)" == "The lamp is dark.")
        #expect("\(Fault.wet)" == "The lamp is wet.\nhint: Dry it.")
    }

    @Test func `A coded error is equal to another with its code, regardless of the messages`() {
        #expect(Fault(code: "dark", message: "In the hall.", hint: "Wait.") == Fault.dark)
        #expect(Fault(code: "wet") != Fault.dark)
    }

    @Test func `A coded error is caught by the static member of its code, in any context`() {
        #expect(caught(Fault(code: "dark", message: "In the hall.")) == "dark")
        #expect(caught(Fault.wet) == "wet")
        #expect(caught(Fault(code: "Dark")) == "other")
    }

    @Test func `A coded error is not caught by another type's member with the same code`() {
        #expect(caught(OtherFault(code: "dark")) == "other")
        #expect(caught(CancellationError()) == "other")
    }
}
