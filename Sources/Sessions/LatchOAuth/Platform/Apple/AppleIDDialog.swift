// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices)
import AuthenticationServices
import LatchCore
import PortableFoundation

/// One dialog of Sign in with Apple.
@MainActor
final class AppleIDDialog: NSObject {
    let controller: ASAuthorizationController
    let anchor: PresentationAnchor
    private let result: SharedResult<AppleIDCredential>

    init(_ request: AppleIDRequest, anchor: PresentationAnchor, result: SharedResult<AppleIDCredential>) {
        let system = ASAuthorizationAppleIDProvider().createRequest()
        system.requestedScopes =
            (request.requestsName ? [.fullName] : []) + (request.requestsEmail ? [.email] : [])
        system.nonce = request.nonce
        system.state = request.state
        controller = ASAuthorizationController(authorizationRequests: [system])
        self.anchor = anchor
        self.result = result
        super.init()
        controller.delegate = self
    }

    /// Shows the dialog; the result is there once the user has decided.
    func show() {
        place()
        controller.performRequests()
    }
}

extension AppleIDDialog: ASAuthorizationControllerDelegate {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential else {
            return result.finish(.failure(OAuthError(appleIDErrorCode: nil)))
        }
        result.finish(.success(AppleIDCredential(credential)))
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        // An error of another domain has no code that is known here.
        let code = (error as? ASAuthorizationError)?.code.rawValue ?? 0
        result.finish(.failure(OAuthError(appleIDErrorCode: code)))
    }
}

extension AppleIDCredential {
    /// Copies the credential of the system.
    init(_ credential: ASAuthorizationAppleIDCredential) {
        self.init(
            user: credential.user, identityToken: credential.identityToken.map { String(decoding: $0, as: UTF8.self) },
            authorizationCode: credential.authorizationCode.map { String(decoding: $0, as: UTF8.self) },
            state: credential.state,
            name: AppleUserName(given: credential.fullName?.givenName, family: credential.fullName?.familyName),
            email: credential.email, isLikelyReal: credential.realUserStatus == .likelyReal ? true : nil)
    }
}
#endif
