// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices)
import AuthenticationServices
import LatchCore
import PortableFoundation

/// Sign in with Apple by the dialog of this device; the app needs the capability.
public struct SystemAppleIDProvider: AppleIDProvider {
    /// The window above which the dialog is shown.
    let anchor: PresentationAnchor

    /// Shows the system's dialog, and returns what it returns.
    public func credential(for request: AppleIDRequest) async throws -> AppleIDCredential {
        try Task.checkCancellation()
        let result = SharedResult<AppleIDCredential>()
        let dialog = await AppleIDDialog(request, anchor: anchor, result: result)
        await dialog.show()
        return try await response(in: result) { dialog.cancel() }
    }

    /// Returns whether a user still uses this app with the Apple Account of this device.
    public func state(ofUser user: String) async throws -> AppleIDState {
        let result = SharedResult<AppleIDState>()
        ASAuthorizationAppleIDProvider().getCredentialState(forUserID: user) { state, error in
            result.finish(error.map { .failure($0) } ?? .success(AppleIDState(rawValue: state.rawValue)))
        }
        return try await result.value()
    }

    /// Returns a stream of the system's reports that a user has stopped using an Apple Account.
    public func revocations() -> AsyncStream<Void> {
        AsyncStream { continuation in
            let task = Task {
                let name = ASAuthorizationAppleIDProvider.credentialRevokedNotification
                for await _ in NotificationCenter.default.notifications(named: name) { continuation.yield() }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
#endif
