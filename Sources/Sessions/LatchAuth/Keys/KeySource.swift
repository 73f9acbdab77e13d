// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import LatchHTTP
package import LatchJOSE

/// The metadata of an issuer that a verifier of its tokens needs (RFC 8414 §2).
package struct IssuerMetadata: Sendable {
    /// The URL of the keys (`jwks_uri`).
    package let keySetURL: URL
    /// The algorithms that the issuer names for its ID tokens, without those of shared secrets.
    package let algorithms: [SignatureAlgorithm]
    /// The implications among the issuer's scopes; nil if they are not known.
    package let scopeHierarchy: ScopeHierarchy?

    package init(keySetURL: URL, algorithms: [SignatureAlgorithm], scopeHierarchy: ScopeHierarchy?) {
        (self.keySetURL, self.algorithms, self.scopeHierarchy) = (keySetURL, algorithms, scopeHierarchy)
    }
}

/// The source of an issuer's keys: their URL, or the issuer's metadata, which names it.
enum KeySource: Sendable {
    /// The metadata is fetched before each fetch of the keys, and is used as long as they are.
    typealias Discovery = @Sendable () async throws -> IssuerMetadata

    case url(KeySetRequest)
    case issuer(String, Discovery, request: @Sendable (URL) throws -> KeySetRequest)

    /// The URL of the keys, or the issuer, for messages.
    var location: String {
        switch self {
        case .url(let request): request.location
        case .issuer(let issuer, _, _): issuer
        }
    }

    /// Fetches the keys; any failure is `AuthError.keysUnavailable`.
    ///
    /// - Parameters:
    ///   - known: The keys that the issuer may confirm without sending them again.
    ///   - passingCaches: Whether caches must ask the issuer (RFC 9111 §5.2.1.4).
    ///   - number: The number of the request.
    ///   - clock: The clock that measures the keys' lifetimes.
    func snapshot(
        after known: KeySetSnapshot?, passingCaches: Bool, number: Int, clock: WallClock
    ) async -> Result<KeySetSnapshot, AuthError> {
        do {
            switch self {
            case .url(let request):
                return await request.snapshot(
                    after: known, passingCaches: passingCaches, number: number, clock: clock)
            case .issuer(_, let discover, let request):
                let metadata = try await discover()
                // An entity tag is one of its URL (RFC 9110 §8.8.3).
                let known = known.flatMap { $0.metadata?.keySetURL == metadata.keySetURL ? $0 : nil }
                return try await request(metadata.keySetURL).snapshot(
                    after: known, passingCaches: passingCaches, number: number, clock: clock, metadata: metadata)
            }
        } catch {
            return .failure(AuthError.keysUnavailable(at: location).caused(by: error))
        }
    }
}
