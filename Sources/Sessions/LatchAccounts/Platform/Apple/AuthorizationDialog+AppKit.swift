// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || targetEnvironment(macCatalyst)
import AuthenticationServices
import LatchOAuth

extension AuthorizationDialog {
    /// False: macOS has no conditional requests for apps.
    nonisolated static var hasConditionalMediation: Bool { false }

    func show(_ mediation: PasskeyMediation) {
        switch mediation {
        case .modal: show()
        case .immediate, .conditional: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
        }
    }
}
#endif
