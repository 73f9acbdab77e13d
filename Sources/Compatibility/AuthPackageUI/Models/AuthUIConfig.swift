// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
public import LatchFoundation
public import LatchHTTP

/// The address of the backend, the providers and the style of the screens.
public struct AuthUIConfig: Sendable {
    /// The base URL of the backend.
    public var baseURL: URL
    /// The scheme of the app's own URLs, with which an email's link opens the app.
    public var appScheme: String
    /// Whether sign-in with Microsoft is offered.
    public var microsoftEnabled: Bool
    /// Whether sign-in with Google is offered.
    public var googleEnabled: Bool
    /// Whether sign-in with Facebook is offered.
    public var facebookEnabled: Bool
    /// The colors and fonts of all screens.
    public var style: AuthUIStyleSheet
    /// The URL that is opened after a sign-in; nil to show the profile.
    public var postLoginDeeplink: URL?
    /// A function that returns the window above which a provider's page is shown; nil if there is none.
    public var presentationAnchor: @MainActor @Sendable () -> PresentationAnchor?

    /// Creates a configuration with a style.
    public init(
        baseURL: URL, appScheme: String, microsoftEnabled: Bool = false, googleEnabled: Bool = false,
        facebookEnabled: Bool = false, style: AuthUIStyleSheet = AuthUIStyleSheet(), postLoginDeeplink: URL? = nil,
        presentationAnchor: @escaping @MainActor @Sendable () -> PresentationAnchor? = { nil }
    ) {
        self.baseURL = baseURL
        self.appScheme = appScheme
        self.microsoftEnabled = microsoftEnabled
        self.googleEnabled = googleEnabled
        self.facebookEnabled = facebookEnabled
        self.style = style
        self.postLoginDeeplink = postLoginDeeplink
        self.presentationAnchor = presentationAnchor
    }

    /// Creates a configuration with the variables of a style sheet.
    public init(
        baseURL: URL, appScheme: String, microsoftEnabled: Bool = false, googleEnabled: Bool = false,
        facebookEnabled: Bool = false, cssVariables: String, postLoginDeeplink: URL? = nil,
        presentationAnchor: @escaping @MainActor @Sendable () -> PresentationAnchor? = { nil }
    ) {
        self.init(
            baseURL: baseURL, appScheme: appScheme, microsoftEnabled: microsoftEnabled, googleEnabled: googleEnabled,
            facebookEnabled: facebookEnabled, style: AuthUIStyleSheet(css: cssVariables),
            postLoginDeeplink: postLoginDeeplink, presentationAnchor: presentationAnchor)
    }

    /// Whether the refresh token may be stored as a cookie, like `AuthConfiguration.refreshUsesCookie`.
    public var refreshUsesCookie = true
    /// Whether a provider's page shares no cookies with the user's browser.
    public var ephemeralWebSession = true
    /// Whether the deep link may carry the tokens themselves, like `AuthConfiguration.acceptsTokensInURL`.
    public var acceptsTokensInURL = true
    /// The hosts to which plain http is allowed, like `AuthConfiguration.allowingInsecureHTTP`.
    public var allowingInsecureHTTP = InsecureHTTP.loopbackOnly
    /// A function that receives messages for developers, like `AuthConfiguration.log`.
    public var log: @Sendable (String) -> Void = { AuthConfiguration.printToStandardError($0) }

    /// The configuration of a client for the same backend.
    public var clientConfiguration: AuthConfiguration {
        AuthConfiguration(
            baseURL: baseURL, refreshUsesCookie: refreshUsesCookie, redirectScheme: appScheme,
            microsoftEnabled: microsoftEnabled, googleEnabled: googleEnabled, facebookEnabled: facebookEnabled,
            ephemeralWebSession: ephemeralWebSession, acceptsTokensInURL: acceptsTokensInURL,
            allowingInsecureHTTP: allowingInsecureHTTP, log: log)
    }
}
