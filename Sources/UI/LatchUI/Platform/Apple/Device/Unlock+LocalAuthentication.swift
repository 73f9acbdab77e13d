// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS) || os(visionOS)
import LatchTexts
import LocalAuthentication

extension ScreenModel where S == UnlockScreen {
    /// Creates the lock of an app that the owner of the device opens with a face, a finger or the device's code.
    ///
    /// - Parameters:
    ///   - app: The name of the app.
    ///   - onFinish: Is called when the app is open, or the user wants to sign out.
    public convenience init(app: String, onFinish: @escaping @MainActor (UnlockScreen.Outcome) -> Void) {
        let reason = Texts.system(Phrase("unlock.explanation"))
        self.init(UnlockScreen(app: app), onFinish: onFinish) { _ in
            try await Self.authenticate(reason)
            return .authenticated
        }
    }

    private nonisolated static func authenticate(_ reason: String) async throws {
        do {
            guard try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) else {
                throw ScreenFailure(.deviceRefused)
            }
        } catch let error as LAError {
            switch error.code {
            case .userCancel, .systemCancel, .appCancel: throw ScreenFailure(.cancelled)
            // A device without a passcode protects nothing, and its owner could not unlock the app.
            case .passcodeNotSet: return
            default: throw ScreenFailure(.deviceRefused)
            }
        }
    }
}
#endif
