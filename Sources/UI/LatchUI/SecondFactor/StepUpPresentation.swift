// SPDX-License-Identifier: Apache-2.0

import LatchAuth

extension SessionGateModel {
    /// Whether the sheet of the step-up is shown; false hides it until the next request requires it.
    public var isStepUpPresented: Bool {
        get { gate.stepUp != nil }
        set { if !newValue { dismissStepUp() } }
    }

    /// Handles the outcome of a step-up's screen, and closes its sheet.
    public func endStepUp(_ outcome: StepUpScreen.Outcome) {
        switch outcome {
        case .authenticated: break
        case .cancelled, .passwordReset: dismissStepUp()
        }
    }
}
