// SPDX-License-Identifier: Apache-2.0

#if os(tvOS)
import LatchOAuth

extension AuthorizationDialog {
    /// False: tvOS has no conditional requests.
    nonisolated static var hasConditionalMediation: Bool { false }

    /// Shows the dialog, which asks a phone for the passkey.
    func show(_ mediation: PasskeyMediation) { show() }
}
#endif
