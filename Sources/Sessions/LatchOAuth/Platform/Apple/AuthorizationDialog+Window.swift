// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(watchOS)
package import AuthenticationServices

extension AuthorizationDialog: ASAuthorizationControllerPresentationContextProviding {
    /// Sets the provider of the window above which the dialog is shown.
    func place() { controller.presentationContextProvider = self }

    package func cancel() { controller.cancel() }

    /// Returns the window above which the dialog is shown.
    package func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }
}
#endif
