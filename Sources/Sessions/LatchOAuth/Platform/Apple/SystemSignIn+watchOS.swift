// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
public import LatchCore
public import LatchFoundation

extension SystemAppleIDProvider {
    /// Creates a provider, whose dialog needs no window.
    public init() { self.init(anchor: PresentationAnchor()) }
}

extension WebAuthenticationBrowser {
    /// Creates a browser over `ASWebAuthenticationSession`, whose page needs no window.
    ///
    /// - Parameters:
    ///   - redirectURI: The URL of this app if the configuration has none.
    ///   - prefersEphemeralSession: Whether the page shares no cookies with the user's browser.
    ///   - timeout: The time that a user has to sign in.
    ///   - clock: The clock for the timeout.
    public init(
        redirectURI: URL?, prefersEphemeralSession: Bool = false, timeout: Duration = .seconds(600),
        clock: WallClock = .system
    ) {
        let sessions = systemWebAuthenticationSessions(
            from: PresentationAnchor(), prefersEphemeral: prefersEphemeralSession)
        self.init(sessions: sessions, redirectURI: redirectURI, timeout: timeout, clock: clock)
    }
}
#endif
