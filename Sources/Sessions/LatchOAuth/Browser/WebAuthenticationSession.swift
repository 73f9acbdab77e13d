// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A page in a window of the system, such as an `ASWebAuthenticationSession`.
@MainActor
public protocol WebAuthenticationSession: AnyObject, Sendable {
    /// Shows the page.
    ///
    /// - Returns: Whether the page can be shown.
    func start() -> Bool

    /// Closes the page; a closed page stays closed.
    func cancel()
}

/// A factory of sessions, which tests replace.
public protocol WebAuthenticationSessionFactory: Sendable {
    /// Creates a session that has not started.
    ///
    /// - Parameters:
    ///   - url: The page.
    ///   - callback: The URLs that end the session.
    ///   - completion: Receives the URL that ended the session, or the reason for its absence, on any thread. Only the
    ///     first call counts.
    @MainActor
    func session(
        for url: URL, callback: WebAuthenticationCallback,
        completion: @escaping @Sendable (Result<URL, OAuthError>) -> Void
    ) -> any WebAuthenticationSession
}

/// Returns the result of a session of the system, from the arguments of its completion handler.
package func webAuthenticationResult(_ url: URL?, errorCode: Int?) -> Result<URL, OAuthError> {
    if let url { return .success(url) }
    return .failure(OAuthError(webAuthenticationErrorCode: errorCode))
}

extension OAuthError {
    /// Creates the error for a code of `ASWebAuthenticationSessionError`.
    init(webAuthenticationErrorCode code: Int?) {
        self =
            switch code {
            // `canceledLogin`: the user, or the program itself.
            case 1: .cancelled
            // `presentationContextNotProvided` and `presentationContextInvalid`.
            case 2, 3: .browserUnavailable("there is no window to show the page in")
            case let code?: .browserUnavailable("the system's session failed with the code \(code)")
            case nil: .browserUnavailable("the system's session ended without a URL")
            }
    }
}
