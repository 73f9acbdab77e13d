// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices)
import AuthenticationServices
import LatchFoundation

package func systemWebAuthenticationSessions(
    from anchor: PresentationAnchor, prefersEphemeral: Bool
) -> any WebAuthenticationSessionFactory {
    SystemWebAuthenticationSessions(anchor: anchor, prefersEphemeral: prefersEphemeral)
}

/// The sessions of Authentication Services.
private struct SystemWebAuthenticationSessions: WebAuthenticationSessionFactory {
    let anchor: PresentationAnchor
    let prefersEphemeral: Bool

    func session(
        for url: URL, callback: WebAuthenticationCallback,
        completion: @escaping @Sendable (Result<URL, OAuthError>) -> Void
    ) -> any WebAuthenticationSession {
        // The system calls it on any thread, so it must not inherit the isolation of this function.
        let session = ASWebAuthenticationSession(url: url, callback: callback.systemCallback) { @Sendable url, error in
            let code = (error as? ASWebAuthenticationSessionError)?.code.rawValue
            completion(webAuthenticationResult(url, errorCode: code))
        }
        return SystemWebAuthenticationSession(session, anchor: anchor, prefersEphemeral: prefersEphemeral)
    }
}

extension WebAuthenticationCallback {
    /// The callback in the system's form.
    fileprivate var systemCallback: ASWebAuthenticationSession.Callback {
        switch self {
        case .customScheme(let scheme): .customScheme(scheme)
        case .https(let host, let path): .https(host: host, path: path)
        }
    }
}
#endif
