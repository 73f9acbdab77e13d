// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A way to show a user the page of an authorization server, and to receive the URL that it redirects to.
///
/// Each way has its own redirect URI: a loopback listener its port, an app its scheme or domain. So it begins the attempt
/// once it knows.
public protocol Browser: Sendable {
    /// Shows the page of an attempt, and returns the URL that it redirects to.
    ///
    /// - Parameters:
    ///   - redirectURI: The registered redirect URI; nil where the browser has one of its own.
    ///   - begin: Begins the attempt, for the redirect URI that the browser listens on.
    /// - Throws: `OAuthError.cancelled` if the user ends it, `signInTimedOut` if nothing happens, `browserUnavailable` if no
    ///   page can be shown, `CancellationError` as soon as the task is cancelled, and the errors of `begin`.
    func authorize(
        redirectingTo redirectURI: URL?, _ begin: @Sendable (URL) async throws -> AuthorizationAttempt
    ) async throws -> URL
}
