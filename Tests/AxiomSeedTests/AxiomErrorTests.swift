// SPDX-License-Identifier: Apache-2.0

import AxiomCore
import Expectations
import Foundation
import LatchRPC
import Testing

@Suite struct AxiomErrorTests {
    @Test(arguments: [
        (AxiomError.networkError("offline"), AxiomRecoveryStrategy.retry, true),
        (.clientError(.timeout(0.05)), .retry, true), (.clientError(.invalidAction("bad")), .userInput, true),
        (.clientError(.initializationError("closed")), .restart, false), (.stateError("no field"), .reset, true),
        (.actionError(code: "unauthenticated", message: "no"), .userInput, true),
        (.actionError(code: "aborted", message: "no"), .retry, true), (.validationError("bad"), .userInput, true),
        (.frameworkError("broken"), .restart, false),
    ])
    func `An error of seed 000's clients has a recovery strategy`(
        error: AxiomError, strategy: AxiomRecoveryStrategy, isRecoverable: Bool
    ) {
        expectEqual(error.recoveryStrategy, strategy)
        expectEqual(error.isRecoverable, isRecoverable)
        expectEqual(error.isRetryable, strategy == .retry)
        expectEqual(error.recoverySuggestion == nil, strategy == .ignore)
    }

    @Test func `An error of seed 000's clients has the same text in Foundation's properties`() {
        let error: any Error = AxiomError.clientError(.timeout(0.05))
        expectEqual(error.localizedDescription, "The action took longer than 0.05 s.")
        expectEqual((error as? any LocalizedError)?.errorDescription, error.localizedDescription)
    }

    @Test(arguments: [
        (RPCError(.unauthenticated, "who?"), AxiomError.actionError(code: "unauthenticated", message: "who?")),
        (RPCError(.invalidArgument, "no"), .validationError("no")),
    ])
    func `An error of seed 000's clients is created from the error of the service`(call: RPCError, error: AxiomError) {
        let failed = ActionError(
            code: ActionError.callFailed.code, message: call.message, isRetryable: call.isRetryable, cause: call)
        expectEqual(AxiomError(failed), error)
    }

    @Test func `An error of seed 000's clients differs from an error with another text`() {
        expectNotEqual(AxiomError.networkError("one"), .networkError("other"))
    }
}
