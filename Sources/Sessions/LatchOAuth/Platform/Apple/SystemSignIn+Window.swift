// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(watchOS)
public import AuthenticationServices
public import LatchCore
public import LatchFoundation

extension SystemAppleIDProvider {
    /// Creates a provider.
    ///
    /// - Parameter anchor: The window above which the dialog is shown.
    public init(from anchor: PresentationAnchor) { self.init(anchor: anchor) }
}

extension WebAuthenticationBrowser {
    /// Creates a browser over `ASWebAuthenticationSession`.
    ///
    /// - Parameters:
    ///   - anchor: The window above which the page is shown; tvOS chooses the place itself.
    ///   - redirectURI: The URL of this app if the configuration has none.
    ///   - prefersEphemeralSession: Whether the page shares no cookies with the user's browser. The user then types the
    ///     password each time, but the system does not ask for consent. tvOS has no such choice.
    ///   - timeout: The time that a user has to sign in.
    ///   - clock: The clock for the timeout.
    public init(
        from anchor: PresentationAnchor, redirectURI: URL? = nil, prefersEphemeralSession: Bool = false,
        timeout: Duration = .seconds(600), clock: WallClock = .system
    ) {
        self.init(
            sessions: systemWebAuthenticationSessions(from: anchor, prefersEphemeral: prefersEphemeralSession),
            redirectURI: redirectURI, timeout: timeout, clock: clock)
    }
}
#endif
