// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import PortableFoundation
import Synchronization

/// A bounded cache of the access tokens that one set of keys has verified, so that each signature is verified once.
///
/// It knows tokens by a digest under a key of this process, from which no token can be computed. Other keys have another
/// cache: what a removed key has signed is not found any more.
///
/// Two generations of entries bound the memory. A token that is used moves to the newer one; when that is full, the older
/// one is dropped with all tokens that were not used meanwhile.
final class VerifiedTokenCache: Sendable {
    /// The HMAC-SHA256 of a token.
    fileprivate struct Digest: Hashable {
        private let words: (UInt64, UInt64, UInt64, UInt64)

        init(_ code: some Sequence<UInt8>) {
            var words = [UInt64](repeating: 0, count: 4)
            for (index, byte) in code.enumerated() { words[index / 8 & 3] = words[index / 8 & 3] << 8 | UInt64(byte) }
            self.words = (words[0], words[1], words[2], words[3])
        }

        static func == (left: Self, right: Self) -> Bool { left.words == right.words }

        func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
    }

    /// The entries and the uses so far.
    fileprivate struct State {
        var newer: [Digest: VerifiedToken] = [:]
        var older: [Digest: VerifiedToken] = [:]
        var hits = 0
        var misses = 0
    }

    /// The maximum number of entries of one generation.
    static let defaultCapacity = 4096

    /// The prepared key, which no other process has.
    private let digest: HMAC<SHA256>
    /// The maximum number of entries of one generation.
    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty cache.
    init(capacity: Int = defaultCapacity) {
        digest = HMAC(key: SymmetricKey(size: .bits256))
        self.capacity = max(capacity, 1)
    }

    /// Returns a token that was verified before, if it is valid now; else verifies it, and keeps it if it is valid.
    ///
    /// Invalid tokens are not kept: they would push out the valid ones.
    func token(
        _ text: String, at now: Date, verifying verify: (String) -> VerifiedToken?
    ) -> VerifiedToken? {
        var code = digest
        code.update(data: text.utf8)
        let digest = Digest(code.finalize())
        if let token = find(digest) {
            if token.isValid(at: now) { return token }
            // The date may have been set back: only the verifier decides that a token has ended.
            remove(digest)
        }
        guard let token = verify(text) else { return nil }
        insert(token, digest)
        return token
    }

    /// The number of entries, of uses of an entry, and of verifications, for the metrics.
    var statistics: (entries: Int, hits: Int, misses: Int) {
        state.withLock { ($0.newer.count + $0.older.count, $0.hits, $0.misses) }
    }

    private func find(_ digest: Digest) -> VerifiedToken? {
        state.withLock { state in
            guard let token = state.newer[digest] else {
                guard let token = state.older.removeValue(forKey: digest) else {
                    state.misses += 1
                    return nil
                }
                state.insert(token, digest, capacity: capacity)
                state.hits += 1
                return token
            }
            state.hits += 1
            return token
        }
    }

    private func insert(_ token: VerifiedToken, _ digest: Digest) {
        state.withLock { $0.insert(token, digest, capacity: capacity) }
    }

    private func remove(_ digest: Digest) { state.withLock { $0.newer[digest] = nil } }
}

extension VerifiedTokenCache.State {
    /// Adds an entry to the newer generation, which becomes the older one when it is full.
    fileprivate mutating func insert(_ token: VerifiedToken, _ digest: VerifiedTokenCache.Digest, capacity: Int) {
        if newer.count >= capacity {
            older = newer
            newer = Dictionary(minimumCapacity: capacity)
        }
        newer[digest] = token
    }
}

/// An access token whose signature, type, issuer and audience are right, with its session as the store last had it.
final class VerifiedToken: Sendable {
    /// A session and the state of the store from which it was read.
    private struct ReadSession: Sendable {
        let session: AuthenticatedSession
        let version: Int
        let uptime: Duration
    }

    /// The longest time for which a change by another process is not seen.
    ///
    /// Changes by this process are seen at once.
    static let sessionLifetime = Duration.seconds(1)

    let claims: AccessTokenIssuer.VerifiedClaims
    /// The time from which the token is valid, and the time from which it is not any more.
    private let validity: Range<Double>
    private let read = Mutex<ReadSession?>(nil)

    /// Creates a token; nil if its times leave no time at which it is valid.
    init?(_ claims: AccessTokenIssuer.VerifiedClaims, from start: Double, until end: Double) {
        guard start < end else { return nil }
        self.claims = claims
        validity = start..<end
    }

    /// Returns whether the token's times include a time (RFC 7519 §4.1.4 and §4.1.5).
    func isValid(at now: Date) -> Bool { validity.contains(now.timeIntervalSince1970) }

    /// Returns the session, unless the store of this process has changed since it was read, or a second has passed.
    ///
    /// - Parameter version: The version of the store, which grows with each write.
    func session(version: Int, uptime: Duration) -> AuthenticatedSession? {
        read.withLock { read in
            guard let read, read.version == version, uptime - read.uptime < Self.sessionLifetime else { return nil }
            return read.session
        }
    }

    /// Keeps a session.
    ///
    /// - Parameter version: The version of the store before it was read: a later write may have changed it.
    func keep(_ session: AuthenticatedSession, version: Int, uptime: Duration) {
        let next = ReadSession(session: session, version: version, uptime: uptime)
        read.withLock { $0 = next }
    }
}
