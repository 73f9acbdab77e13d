// SPDX-License-Identifier: Apache-2.0

import LatchAuth

extension SessionGateModel {
    /// Whether the sheet of the step-up is shown; false hides it until a request needs it again.
    public var isStepUpPresented: Bool {
        get { gate.stepUp != nil }
        set { if newValue { raiseStepUp() } else { dismissStepUp() } }
    }

    /// Takes the outcome of a step-up's screen, whose sheet closes.
    public func endStepUp(_ outcome: StepUpScreen.Outcome) {
        switch outcome {
        // The requirement has ended, and the next one is another one, also if it says the same.
        case .authenticated: raiseStepUp()
        case .cancelled, .passwordReset: dismissStepUp()
        }
    }
}
