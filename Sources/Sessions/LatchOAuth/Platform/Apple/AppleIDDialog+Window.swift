// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(watchOS)
import AuthenticationServices

extension AppleIDDialog: ASAuthorizationControllerPresentationContextProviding {
    /// Sets the place of the dialog.
    func place() { controller.presentationContextProvider = self }

    /// Closes the dialog.
    func cancel() { controller.cancel() }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }
}
#endif
