// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
package import LatchFoundation
import Synchronization

/// A bounded cache of the access tokens that one set of keys has verified, so that each signature is verified once.
///
/// It stores a digest of each token with a key of this process, from which no token can be computed. A new set of keys
/// gets a new cache, so that tokens of a removed key are not found.
package final class VerifiedTokenCache: Sendable {
    /// The HMAC-SHA256 of a token.
    package struct Digest: Hashable {
        private let words: (UInt64, UInt64, UInt64, UInt64)

        fileprivate init(_ code: some Sequence<UInt8>) {
            var words = [UInt64](repeating: 0, count: 4)
            for (index, byte) in code.enumerated() { words[index / 8 & 3] = words[index / 8 & 3] << 8 | UInt64(byte) }
            self.words = (words[0], words[1], words[2], words[3])
        }

        package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

        package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
    }

    /// The use counts of all caches of a process, one after the other.
    package final class Counts: Sendable {
        fileprivate let hits = Atomic<Int>(0)
        fileprivate let misses = Atomic<Int>(0)

        fileprivate func add(isHit: Bool) {
            if isHit { hits.add(1, ordering: .relaxed) } else { misses.add(1, ordering: .relaxed) }
        }
    }

    /// The maximum number of entries of one generation.
    package static let defaultCapacity = 4096

    /// The prepared key, which no other process has.
    private let code: HMAC<SHA256>
    private let tokens: Mutex<RecentValues<Digest, VerifiedToken>>
    private let counts: Counts

    /// Creates an empty cache for at most twice as many tokens as `capacity`.
    package init(capacity: Int = defaultCapacity, counts: Counts = Counts()) {
        code = HMAC(key: SymmetricKey(size: .bits256))
        tokens = Mutex(RecentValues(capacity: capacity))
        self.counts = counts
    }

    /// Returns a previously verified token if it is still valid; otherwise verifies the text, and keeps a valid token.
    ///
    /// Invalid tokens are not kept: they would displace the valid ones.
    package func token(
        _ text: String, at now: Date, verifying verify: (String) -> VerifiedToken?
    ) -> VerifiedToken? {
        let digest = digest(of: text)
        if let token = find(digest) {
            if token.isValid(at: now) { return token }
            // The date may have been set back: only the verifier decides that a token has ended.
            remove(digest)
        }
        guard let token = verify(text) else { return nil }
        insert(token, digest)
        return token
    }

    /// Returns the digest of a token in this cache, which no other cache shares.
    package func digest(of text: String) -> Digest {
        var code = code
        code.update(data: text.utf8)
        return Digest(code.finalize())
    }

    /// The number of entries, and the hits and misses of this and the earlier caches.
    package var statistics: (entries: Int, hits: Int, misses: Int) {
        (tokens.withLock { $0.count }, counts.hits.load(ordering: .relaxed), counts.misses.load(ordering: .relaxed))
    }

    private func find(_ digest: Digest) -> VerifiedToken? {
        let token = tokens.withLock { $0.use(digest) }
        counts.add(isHit: token != nil)
        return token
    }

    private func insert(_ token: VerifiedToken, _ digest: Digest) {
        tokens.withLock { $0.insert(token, for: digest) }
    }

    private func remove(_ digest: Digest) { tokens.withLock { $0.remove(digest) } }
}

/// A verified access token, with its session as the store last had it.
package final class VerifiedToken: Sendable {
    /// A session, and the state of the store before it was read; a separate object, since most tokens have none.
    private final class ReadSession: Sendable {
        let session: AuthenticatedSession
        let state: SessionState

        init(_ session: AuthenticatedSession, at state: SessionState) {
            self.session = session
            self.state = state
        }
    }

    package let claims: AccessTokenIssuer.VerifiedClaims
    /// The time from which the token is valid, and the time from which it is invalid.
    private let validity: Range<Double>
    private let read = Mutex<ReadSession?>(nil)

    /// Creates a token; nil if its times leave no time at which it is valid.
    package init?(_ claims: AccessTokenIssuer.VerifiedClaims, from start: Double, until end: Double) {
        guard start < end else { return nil }
        self.claims = claims
        validity = start..<end
    }

    /// Returns whether the token is valid at a time (RFC 7519 §4.1.4 and §4.1.5).
    package func isValid(at now: Date) -> Bool { validity.contains(now.timeIntervalSince1970) }

    /// Returns the session, unless this process has changed the store since it was read, or a second has passed.
    package func session(at state: SessionState) -> AuthenticatedSession? {
        guard let read = read.withLock({ $0 }), read.state.covers(state) else { return nil }
        return read.session
    }

    /// Whether the token holds a session, for tests.
    package var hasSession: Bool { read.withLock { $0 != nil } }

    /// Keeps a session, and returns whether the token had none before.
    fileprivate func keep(_ session: AuthenticatedSession, at state: SessionState) -> Bool {
        let next = ReadSession(session, at: state)
        return read.withLock { read in
            defer { read = next }
            return read == nil
        }
    }

    /// Forgets a session that can no longer be used, and returns whether none is left.
    fileprivate func forgetSession(unlessUsableAt state: SessionState) -> Bool {
        read.withLock { read in
            guard let kept = read else { return true }
            guard !kept.state.covers(state) else { return false }
            read = nil
            return true
        }
    }
}

/// The state of the store at a time, which limits the use of a session that was read then.
package struct SessionState: Sendable {
    /// The maximum time for which a change by another process remains unseen.
    ///
    /// Changes by this process are seen immediately.
    static let sessionLifetime = Duration.seconds(1)

    /// The version of the store, which grows with each write of this process.
    package let version: Int
    package let uptime: Duration

    package init(version: Int, uptime: Duration) {
        self.version = version
        self.uptime = uptime
    }

    /// Whether a session that was read in this state can be used in a later state.
    package func covers(_ later: SessionState) -> Bool {
        version == later.version && later.uptime - uptime < Self.sessionLifetime
    }
}

/// The tokens that hold sessions, each of them once.
///
/// A session has some kilobytes of rows, including a password hash and a device's secret. It is forgotten soon after it
/// has ended, so that the cache holds only the sessions of the last second.
package final class KeptSessions: Sendable {
    private struct Content {
        var tokens: [VerifiedToken] = []
        /// The state at the last search for ended sessions.
        var swept = SessionState(version: 0, uptime: .zero)
    }

    private let content = Mutex(Content())

    package init() {}

    /// Keeps a session with its token.
    ///
    /// - Parameter state: The state before the session's rows were read, since a later write may have changed them.
    package func keep(_ session: AuthenticatedSession, with token: VerifiedToken, at state: SessionState) {
        content.withLock { content in
            if !content.swept.covers(state) {
                content.tokens.removeAll { $0.forgetSession(unlessUsableAt: state) }
                content.swept = state
            }
            if token.keep(session, at: state) { content.tokens.append(token) }
        }
    }
}
