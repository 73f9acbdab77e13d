// SPDX-License-Identifier: Apache-2.0

#if os(tvOS)
import AuthenticationServices

/// A session of Authentication Services, which the user continues on another device.
final class SystemWebAuthenticationSession: WebAuthenticationSession {
    private var session: ASWebAuthenticationSession?

    init(_ session: ASWebAuthenticationSession, anchor: PresentationAnchor, prefersEphemeral: Bool) {
        self.session = session
    }

    func start() -> Bool { session?.start() ?? false }

    /// Releases the session: tvOS has no call that ends one.
    func cancel() { session = nil }
}
#endif
