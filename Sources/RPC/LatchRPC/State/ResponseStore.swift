// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A persistent store of a service's responses.
///
/// Responses may contain personal data: use one store per account, and empty it when the user signs out.
public protocol ResponseStore: Sendable {
    /// Returns the last response to a request; nil if there is none.
    func response(for request: ResponseCacheKey) async throws -> CachedResponse?

    /// Stores a response, replacing the previous one.
    func store(_ response: CachedResponse, for request: ResponseCacheKey) async throws

    /// Removes all responses.
    func removeAll() async throws
}

/// The cache key of a response: an action with its request.
public struct ResponseCacheKey: Sendable, Hashable {
    /// The name of the action.
    public let action: String
    /// The encoded request.
    public let request: [UInt8]

    /// Creates a key.
    public init(action: String, request: [UInt8]) {
        self.action = action
        self.request = request
    }
}

/// A response as bytes, with the time of its arrival.
public struct CachedResponse: Sendable, Hashable {
    /// The encoded response.
    public let bytes: [UInt8]
    /// The time of its arrival in seconds since 1970.
    public let time: Double

    /// Creates a cached response.
    public init(bytes: [UInt8], time: Double) {
        self.bytes = bytes
        self.time = time
    }
}

/// An in-memory cache of responses with a size limit, which evicts the least recently used ones.
final class ResponseCache: Sendable {
    private struct Content {
        var responses: [ResponseCacheKey: (response: CachedResponse, lastUse: Int)] = [:]
        var uses = 0
    }

    private let content = Mutex(Content())
    private let limit: Int

    init(limit: Int) { self.limit = max(0, limit) }

    func response(for request: ResponseCacheKey) -> CachedResponse? {
        content.withLock { content in
            content.uses += 1
            guard let found = content.responses[request]?.response else { return nil }
            content.responses[request]?.lastUse = content.uses
            return found
        }
    }

    func store(_ response: CachedResponse, for request: ResponseCacheKey) {
        guard limit > 0 else { return }
        content.withLock { content in
            content.uses += 1
            content.responses[request] = (response, content.uses)
            guard content.responses.count > limit else { return }
            if let oldest = content.responses.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                content.responses[oldest.key] = nil
            }
        }
    }

    func removeAll() { content.withLock { $0.responses = [:] } }
}
