// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchOAuth

/// A browser of the system, in which a user goes through the pages of a server.
struct VisitingPages: WebAuthenticationSessionFactory {
    let visit: @Sendable (URL) async throws -> URL?

    func session(
        for url: URL, callback: WebAuthenticationCallback,
        completion: @escaping @Sendable (Result<URL, OAuthError>) -> Void
    ) -> any WebAuthenticationSession {
        Page { [visit] in
            do {
                completion(try await visit(url).map { .success($0) } ?? .failure(.cancelled))
            } catch {
                completion(.failure(.browserUnavailable))
            }
        }
    }

    private final class Page: WebAuthenticationSession {
        let visit: @Sendable () async -> Void

        init(_ visit: @escaping @Sendable () async -> Void) { self.visit = visit }

        func start() -> Bool {
            Task { await visit() }
            return true
        }

        func cancel() {}
    }
}
