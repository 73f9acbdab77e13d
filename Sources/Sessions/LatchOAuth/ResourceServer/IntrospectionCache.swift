// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

/// The limits of a cache of introspection responses.
public struct IntrospectionPolicy: Sendable, Hashable {
    /// The maximum time for which an active token is accepted without another question; at most 30 seconds.
    ///
    /// A revocation has no effect during this time.
    let lifetime: Duration
    /// The time for which a refused token is refused without another question; at most 30 seconds.
    let refusedLifetime: Duration
    /// The number of cached tokens of each kind.
    let capacity: Int

    /// The maximum size of a cached response, in bytes.
    static let greatestCachedSize = 16 << 10
    /// The maximum number of concurrent questions to the issuer; further requests get 503.
    static let mostQuestions = 32
    private static let longest = Duration.seconds(30)

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - lifetime: The maximum time for which an active token is accepted without another question. A revocation has
    ///     no effect during this time. More than 30 seconds count as 30; zero asks for each request.
    ///   - refusedLifetime: The time for which a refused token is refused without another question; also at most 30
    ///     seconds.
    ///   - capacity: The number of cached tokens. A response of more than 16 KiB is not cached.
    public init(
        lifetime: Duration = .seconds(30), refusedLifetime: Duration = .seconds(5), capacity: Int = 4_096
    ) {
        self.lifetime = min(max(.zero, lifetime), Self.longest)
        self.refusedLifetime = min(max(.zero, refusedLifetime), Self.longest)
        self.capacity = max(2, capacity)
    }
}

/// The SHA-256 digest of a token, which represents the token in memory.
struct TokenDigest: Hashable {
    private let bytes: [UInt8]

    init(_ token: String) { bytes = Array(SHA256.hash(data: Array(token.utf8))) }
}

/// A dictionary with a limited capacity: when the newer half is full, the older half is removed.
struct BoundedCache<Value: Sendable>: Sendable {
    private var newer: [TokenDigest: Value] = [:]
    private var older: [TokenDigest: Value] = [:]
    private let half: Int

    init(capacity: Int) { half = max(1, capacity / 2) }

    subscript(digest: TokenDigest) -> Value? {
        get { newer[digest] ?? older[digest] }
        set {
            older[digest] = nil
            newer[digest] = newValue
            guard newer.count > half else { return }
            (older, newer) = (newer, [:])
        }
    }
}
