// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices)
package import AuthenticationServices
package import LatchFoundation

/// A dialog of the system for a credential, such as that of Sign in with Apple.
@MainActor
package final class AuthorizationDialog: NSObject {
    /// The system's controller of the dialog.
    package let controller: ASAuthorizationController
    let anchor: PresentationAnchor
    private let end: @MainActor (Result<any ASAuthorizationCredential, any Error>) -> Void

    /// Creates a dialog that is not shown yet.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - anchor: The window above which the dialog is shown.
    ///   - end: The closure that is called when the user has decided.
    package init(
        _ request: ASAuthorizationRequest, anchor: PresentationAnchor,
        end: @escaping @MainActor (Result<any ASAuthorizationCredential, any Error>) -> Void
    ) {
        controller = ASAuthorizationController(authorizationRequests: [request])
        self.anchor = anchor
        self.end = end
        super.init()
        controller.delegate = self
        place()
    }

    /// Shows the dialog.
    package func show() { controller.performRequests() }
}

extension AuthorizationDialog: ASAuthorizationControllerDelegate {
    /// Receives the user's credential.
    package func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        end(.success(authorization.credential))
    }

    /// Receives an error, which ends the dialog without a credential.
    package func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        end(.failure(error))
    }
}
#endif
