// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchOAuth

/// A browser of the system, in which a user goes through the pages of a server.
public struct VisitingPages: WebAuthenticationSessionFactory {
    private let visit: @Sendable (URL) async throws -> URL?

    /// Creates a browser whose user goes from a URL to the app's, or closes the page: nil.
    public init(_ visit: @escaping @Sendable (URL) async throws -> URL?) { self.visit = visit }

    public func session(
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
