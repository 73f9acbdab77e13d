// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PortableFoundation

/// Returns the sessions of the system, none of which starts.
package func systemWebAuthenticationSessions(
    from anchor: PresentationAnchor, prefersEphemeral: Bool
) -> any WebAuthenticationSessionFactory { AbsentWebAuthenticationSessions() }

/// The sessions of a system without any.
private struct AbsentWebAuthenticationSessions: WebAuthenticationSessionFactory {
    func session(
        for url: URL, callback: WebAuthenticationCallback,
        completion: @escaping @Sendable (Result<URL, OAuthError>) -> Void
    ) -> any WebAuthenticationSession { AbsentWebAuthenticationSession() }
}

private final class AbsentWebAuthenticationSession: WebAuthenticationSession {
    func start() -> Bool { false }
    func cancel() {}
}
#endif
