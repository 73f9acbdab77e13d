// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
import AuthenticationServices

/// A session of Authentication Services, which needs no window on a watch.
final class SystemWebAuthenticationSession: WebAuthenticationSession {
    private let session: ASWebAuthenticationSession

    init(_ session: ASWebAuthenticationSession, anchor: PresentationAnchor, prefersEphemeral: Bool) {
        self.session = session
        session.prefersEphemeralWebBrowserSession = prefersEphemeral
    }

    func start() -> Bool { session.start() }

    func cancel() { session.cancel() }
}
#endif
