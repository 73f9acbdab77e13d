// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore
import LatchFoundationBridge
import Synchronization

/// A URL session, or a replacement for tests.
public protocol URLSessionProtocol: Sendable {
    /// Returns the content and the head of the response.
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

/// A cache of guarded copies of the program's URL sessions.
final class GuardedSessions: Sendable {
    private struct Known {
        /// Retained, so that no other session receives the same identity.
        let original: URLSession
        let guarded: GuardedSession
    }

    /// The maximum number of sessions; a program with more creates a new one for each request.
    private static let most = 16

    private let known = Mutex<[ObjectIdentifier: Known]>([:])

    /// Sends a request through `session`.
    func send(_ request: URLRequest, by session: any URLSessionProtocol) async throws -> (Data, URLResponse) {
        guard let original = session as? URLSession else { return try await session.data(for: request) }
        return try await guarded(original).exchange(request)
    }

    private func guarded(_ original: URLSession) -> GuardedSession {
        known.withLock { known in
            if let found = known[ObjectIdentifier(original)] { return found.guarded }
            if known.count == Self.most { known = [:] }
            let guarded = GuardedSession(original)
            known[ObjectIdentifier(original)] = Known(original: original, guarded: guarded)
            return guarded
        }
    }
}
