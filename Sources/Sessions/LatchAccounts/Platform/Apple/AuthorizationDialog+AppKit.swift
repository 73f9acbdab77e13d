// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || targetEnvironment(macCatalyst)
import AuthenticationServices
import LatchOAuth

extension AuthorizationDialog {
    /// False: macOS has no such requests for apps.
    nonisolated static var hasConditionalMediation: Bool { false }

    /// Shows the dialog.
    func show(_ mediation: PasskeyMediation) {
        switch mediation {
        case .modal: show()
        case .immediate, .conditional: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
        }
    }
}
#endif
