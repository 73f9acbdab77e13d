// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A browser that shows a user the page of an authorization server, and receives the URL that the server redirects to.
///
/// Each kind has a different redirect URI: a loopback listener has its port, an app its scheme or domain. The browser
/// therefore begins the attempt when it knows the URI.
public protocol Browser: Sendable {
    /// Shows the page of an attempt, and returns the URL that the server redirects to.
    ///
    /// - Parameters:
    ///   - redirectURI: The registered redirect URI; nil if the browser supplies it.
    ///   - begin: Begins the attempt with the redirect URI that the browser listens on.
    /// - Throws: `OAuthError.cancelled` if the user ends it, `signInTimedOut` after the timeout, and
    ///   `browserUnavailable` if no page can be shown. `CancellationError` as soon as the task is canceled, and the
    ///   errors of `begin`.
    func authorize(
        redirectingTo redirectURI: URL?, _ begin: @Sendable (URL) async throws -> AuthorizationAttempt
    ) async throws -> URL
}
