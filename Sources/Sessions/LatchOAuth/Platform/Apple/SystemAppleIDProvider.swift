// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices)
import AuthenticationServices
import LatchCore
import LatchFoundation

/// Sign in with Apple through this device's dialog; the app needs the capability.
public struct SystemAppleIDProvider: AppleIDProvider {
    /// The window above which the dialog is shown.
    let anchor: PresentationAnchor

    /// Shows the system's dialog, and returns its credential.
    public func credential(for request: AppleIDRequest) async throws -> AppleIDCredential {
        try Task.checkCancellation()
        let result = SharedResult<AppleIDCredential>()
        let dialog = await dialog(for: request, result: result)
        await dialog.show()
        return try await response(in: result) { dialog.cancel() }
    }

    @MainActor
    private func dialog(for request: AppleIDRequest, result: SharedResult<AppleIDCredential>) -> AuthorizationDialog {
        let system = ASAuthorizationAppleIDProvider().createRequest()
        system.requestedScopes =
            (request.requestsName ? [.fullName] : []) + (request.requestsEmail ? [.email] : [])
        system.nonce = request.nonce
        system.state = request.state
        return AuthorizationDialog(system, anchor: anchor) { end in
            switch end {
            case .success(let credential):
                let known = (credential as? ASAuthorizationAppleIDCredential).map { AppleIDCredential($0) }
                result.finish(known.map { .success($0) } ?? .failure(OAuthError(appleIDErrorCode: nil)))
            case .failure(let error):
                // Codes of other error domains are not known here.
                let code = (error as? ASAuthorizationError)?.code.rawValue ?? 0
                result.finish(.failure(OAuthError(appleIDErrorCode: code)))
            }
        }
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

extension AppleIDCredential {
    /// Copies the credential of the system.
    fileprivate init(_ credential: ASAuthorizationAppleIDCredential) {
        self.init(
            user: credential.user, identityToken: credential.identityToken.map { String(decoding: $0, as: UTF8.self) },
            authorizationCode: credential.authorizationCode.map { String(decoding: $0, as: UTF8.self) },
            state: credential.state,
            name: AppleUserName(given: credential.fullName?.givenName, family: credential.fullName?.familyName),
            email: credential.email, isLikelyReal: credential.realUserStatus == .likelyReal ? true : nil)
    }
}
#endif
