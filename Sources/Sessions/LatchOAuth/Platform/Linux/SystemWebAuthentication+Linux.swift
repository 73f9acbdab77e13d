// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchFoundation

/// Returns a factory of sessions that do not start.
package func systemWebAuthenticationSessions(
    from anchor: PresentationAnchor, prefersEphemeral: Bool
) -> any WebAuthenticationSessionFactory { AbsentWebAuthenticationSessions() }

/// The factory for a system without sessions.
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
