// SPDX-License-Identifier: Apache-2.0

#if (os(iOS) || os(visionOS)) && !targetEnvironment(macCatalyst)
import AuthenticationServices
import LatchOAuth

extension AuthorizationDialog {
    /// True: the keyboard suggests passkeys.
    nonisolated static var hasConditionalMediation: Bool { true }

    /// Shows the dialog, or suggestions at the text field of the user name.
    func show(_ mediation: PasskeyMediation) {
        switch mediation {
        case .modal: show()
        case .immediate: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
        case .conditional: controller.performAutoFillAssistedRequests()
        }
    }
}
#endif
