// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS) || os(visionOS)
import LatchTexts
import LocalAuthentication

extension ScreenModel where S == UnlockScreen {
    /// Creates the lock of an app that the owner of the device opens with a face, a finger or the device's code.
    ///
    /// - Parameters:
    ///   - app: The name of the app.
    ///   - signOut: Signs the user out.
    ///   - onFinish: Is called when the app is open, or the user has signed out.
    public convenience init(
        app: String, signOut: @escaping @Sendable () async throws -> Void,
        onFinish: @escaping @MainActor (UnlockScreen.Outcome) -> Void = { _ in }
    ) {
        let reason = Texts.system(Phrase("unlock.explanation"))
        self.init(UnlockScreen(app: app), onFinish: onFinish) { request in
            switch request {
            case .authenticate:
                try await Self.authenticate(reason)
                return .authenticated
            case .signOut:
                try await signOut()
                return .signedOut
            }
        }
    }

    private nonisolated static func authenticate(_ reason: String) async throws {
        do {
            guard try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) else {
                throw ScreenFailure(.refused)
            }
        } catch let error as LAError {
            switch error.code {
            case .userCancel, .systemCancel, .appCancel: throw ScreenFailure(.cancelled)
            default: throw ScreenFailure(.refused)
            }
        }
    }
}
#endif
