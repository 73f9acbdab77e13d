// SPDX-License-Identifier: Apache-2.0

public import Foundation
import FoundationBridge
import LatchCore
import Synchronization

/// Sends a request, as a URL session does; a test returns a response of its own.
public protocol URLSessionProtocol: Sendable {
    /// Returns the content and the head of the response.
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

/// A cache of the program's URL sessions, each with a copy that handles no redirects, cookies or passwords.
final class GuardedSessions: Sendable {
    private struct Known {
        /// Kept, so that no other session takes its place in memory.
        let original: URLSession
        let guarded: GuardedSession
    }

    /// More than a program keeps; beyond it, it makes a new one for each request.
    private static let most = 16

    private let known = Mutex<[ObjectIdentifier: Known]>([:])

    /// Sends by `session`.
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
