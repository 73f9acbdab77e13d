// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
import AuthenticationServices
import LatchFoundation

/// A session of Authentication Services, above a window.
final class SystemWebAuthenticationSession: NSObject, WebAuthenticationSession {
    private let session: ASWebAuthenticationSession
    private let anchor: PresentationAnchor

    init(_ session: ASWebAuthenticationSession, anchor: PresentationAnchor, prefersEphemeral: Bool) {
        self.session = session
        self.anchor = anchor
        super.init()
        session.prefersEphemeralWebBrowserSession = prefersEphemeral
        // The session does not retain it.
        session.presentationContextProvider = self
    }

    func start() -> Bool { session.start() }

    func cancel() { session.cancel() }
}

extension SystemWebAuthenticationSession: ASWebAuthenticationPresentationContextProviding {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
}
#endif
