// SPDX-License-Identifier: Apache-2.0

public import LatchCore
package import LatchCrypto
public import LatchFoundation
package import LatchHTTP
public import LatchJOSE
import Synchronization

/// A verifier of the proofs that the senders of requests hold their keys (RFC 9449 §4.3).
///
/// ```swift
/// let resource = try ProtectedResource(
///     url: url, authorizationServers: [], proofs: .required(DPoPVerifier(nonces: DPoPNonces())))
/// ```
///
/// Create one value and use it from any number of tasks. Its copies share a cache of used proofs, which belongs to one
/// process. If several processes serve one origin, each accepts a proof once, even with nonces. To prevent that, let
/// them share a memory, such as a table of a database (RFC 9449 §11.1).
///
/// A process may have accepted a proof before its restart, even one with a later date. A verifier with neither nonces
/// nor a memory therefore requires a nonce in proofs dated up to `window` after its creation. Clients repeat the
/// request with the nonce of the response. A verifier with nonces but without a memory refuses proofs that are older
/// than itself.
///
/// ```swift no-check
/// DPoPVerifier { proof, end in
///     try await database.run("INSERT INTO used_proof VALUES (?, ?) ON CONFLICT DO NOTHING", proof, end) == 1
/// }
/// ```
public struct DPoPVerifier: Sendable {
    /// The accepted algorithms.
    package let algorithms: [SignatureAlgorithm]
    private let window: Double
    private let nonces: DPoPNonces?
    /// The nonces of this process for proofs that an earlier process may have accepted; nil if `nonces` or `memory`
    /// replace them.
    private let startNonces: DPoPNonces?
    /// The latest possible date of such a proof.
    private let startEnd: Date
    private let replays: DPoPReplayCache
    private let memory: (@Sendable (String, Date) async throws -> Bool)?
    private let clock: WallClock

    /// The maximum size of a proof; one with RSA of 4096 bits has less than 3 KiB.
    private static let longestProof = 8_192

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - algorithms: The accepted algorithms; those of shared secrets are never accepted.
    ///   - window: The maximum difference between the proof's date and the local clock, in both directions.
    ///   - nonces: The nonces that proofs need; nil if none are required.
    ///   - capacity: The number of remembered proofs. If more arrive within the window, some proofs of the key with the
    ///     most proofs are refused. Proofs of other keys are refused only if no key has a sixteenth of all.
    ///   - clock: The clock that proofs are checked against.
    ///   - memory: A closure that marks a proof as used until a time, for all processes that serve the origin. It
    ///     returns whether the proof was unused; nil if there is one process. Test and mark must be one step: of two
    ///     processes with the same proof, only one gets true. `proof` is the SHA-256 of the proof's key and `jti` as 64
    ///     hexadecimal digits. An error refuses the request with 503.
    public init(
        algorithms: [SignatureAlgorithm] = [.es256, .eddsa, .es384, .es512, .ps256], window: Duration = .seconds(60),
        nonces: DPoPNonces? = nil, capacity: Int = 100_000, clock: WallClock = .system,
        memory: (@Sendable (_ proof: String, _ end: Date) async throws -> Bool)? = nil
    ) {
        self.algorithms = algorithms.filter { DPoPKey.algorithms.contains($0) }
        self.window = max(0, window.inSeconds)
        self.nonces = nonces
        let start = clock.now
        startNonces = nonces == nil && memory == nil ? DPoPNonces(clock: clock) : nil
        startEnd = start.addingTimeInterval(self.window)
        // This process may have accepted a proof with a nonce of the shared secret before its restart.
        let floor = nonces != nil && memory == nil ? start : .distantPast
        replays = DPoPReplayCache(window: self.window, capacity: capacity, start: floor)
        self.memory = memory
        self.clock = clock
    }

    /// The nonce for the next proof; nil if none is required.
    package var currentNonce: String? {
        if let nonces { return nonces.current }
        guard let startNonces, clock.now <= startEnd.addingTimeInterval(window) else { return nil }
        return startNonces.current
    }

    /// Verifies the proof of a request with a token, for a resource.
    ///
    /// - Parameters:
    ///   - accessToken: The token as received.
    ///   - thumbprint: The `cnf.jkt` of the token (RFC 9449 §6.1).
    ///   - origin: The origin that the client used, if the request does not show it, as behind a proxy.
    /// - Throws: `AuthError.refusedProof`, or `AuthError.staleProofNonce` if a client should try again.
    package func verify(
        _ request: HTTPRequest, accessToken: String, boundTo thumbprint: String, at origin: HTTPOrigin? = nil
    ) throws(AuthError) -> DPoPProof {
        let target = DPoPTarget(origin ?? request.origin, path: request.pathWithoutQuery)
        return try spend(checked(try read(request, at: target), (accessToken, thumbprint)))
    }

    /// Verifies the proof of a request without a token, for a token endpoint, which binds new tokens to its thumbprint.
    ///
    /// - Throws: As ``verify(_:accessToken:boundTo:at:)``.
    package func verify(_ request: HTTPRequest, at origin: HTTPOrigin? = nil) throws(AuthError) -> DPoPProof {
        try spend(read(request, at: DPoPTarget(origin ?? request.origin, path: request.pathWithoutQuery)))
    }

    /// Verifies the proof of a request at a URL that the request does not show, as behind a proxy that strips a path.
    ///
    /// - Parameters:
    ///   - url: The URL that the client used, without the query.
    ///   - token: The token of the request and the `cnf.jkt` of it; nil at an endpoint without a token.
    /// - Throws: As ``verify(_:accessToken:boundTo:at:)``.
    package func verify(
        _ request: HTTPRequest, at url: String, token: (text: String, thumbprint: String)? = nil
    ) throws(AuthError) -> DPoPProof {
        try spend(checked(try read(request, at: DPoPTarget(url)), token))
    }

    /// Marks a verified proof as used in the memory that several processes share, if there is one.
    ///
    /// - Throws: `AuthError.refusedProof` if another process has accepted it, and the error of the memory.
    package func share(_ proof: DPoPProof) async throws {
        guard let memory else { return }
        // A proof is accepted until its date leaves the window, by the clock that is furthest behind.
        let end = proof.issued.addingTimeInterval(2 * window + 1)
        guard try await memory(DPoPReplayCache.fingerprint(of: proof), end) else {
            throw AuthError.refusedProof("it was used before")
        }
    }

    /// Runs the checks of RFC 9449 §4.3 by their numbers; the fast ones come first.
    private func read(_ request: HTTPRequest, at target: DPoPTarget?) throws(AuthError) -> DPoPProof {
        let texts = request.fields.values(of: .dpop)
        // 1, 2: one field with one token. A list is refused.
        guard let text = texts.first, texts.count == 1, text.utf8.count <= Self.longestProof else {
            throw .refusedProof("it is missing, or there is more than one")
        }
        let proof = try signedProof(text)
        // 8
        guard proof.method.rawValue.utf8.elementsEqual(request.method.rawValue.utf8) else {
            throw .refusedProof("it is for another method")
        }
        // 9
        guard let target, DPoPTarget(proof.target) == target else {
            throw .refusedProof("it is for another address")
        }
        // 11
        guard abs(proof.issued.timeIntervalSince(clock.now)) <= window else {
            throw .refusedProof("it is too old, or from the future")
        }
        return proof
    }

    /// Requires that a proof is for the token of its request, and by the key of that token.
    private func checked(
        _ proof: DPoPProof, _ token: (text: String, thumbprint: String)?
    ) throws(AuthError) -> DPoPProof {
        guard let token else { return proof }
        guard proof.accessTokenHash == DPoPProof.hash(of: token.text) else {
            throw .refusedProof("it is for another token")
        }
        guard proof.thumbprint == token.thumbprint else { throw .refusedProof("the token is bound to another key") }
        return proof
    }

    /// Verifies the signature of a proof with the key that it carries.
    private func signedProof(_ text: String) throws(AuthError) -> DPoPProof {
        do {
            let header = try JWT(unverified: text).header
            // 4: without `application/` and in one spelling, as all clients write it.
            guard header.type == DPoPProof.type else { throw AuthError.refusedProof("its typ is not dpop+jwt") }
            let key = try publicKey(of: header)
            // 5, 6: the key verifies only with the algorithm of the header, which must be accepted.
            let signed = try JWS(verifying: text, keys: KeySet([key]), algorithms: algorithms)
            let claims = Claims(try JSONValue(parsing: signed.payload).objectValue ?? [:])
            // RFC 7519 §4.1.4 and §4.1.5: a proof needs neither claim, but must obey those that it has.
            guard !claims.isExpired(at: clock.now) else { throw AuthError.refusedProof("it has expired") }
            if claims["nbf"] != nil {
                // The client's clock may be as fast as for the date of the proof.
                guard let start = claims.notBefore, start.timeIntervalSince(clock.now) <= window else {
                    throw AuthError.refusedProof("it is not valid yet")
                }
            }
            return try DPoPProof(claims, thumbprint: key.thumbprint, text: text)
        } catch let error as AuthError {
            throw error
        } catch {
            throw .refusedProof("its key has not signed it")
        }
    }

    private func publicKey(of header: JOSEHeader) throws -> Key {
        guard algorithms.contains(header.algorithm) else { throw AuthError.refusedProof("its alg is not accepted") }
        guard let jwk = header.members["jwk"]?.objectValue else { throw AuthError.refusedProof("it carries no key") }
        // 7: a private key that was sent is compromised, and a shared secret proves nothing.
        guard !jwk.keys.contains(where: Self.secretMembers.contains), jwk["kty"] != "oct" else {
            throw AuthError.refusedProof("it carries a key that is not a public one")
        }
        // A key ID would have to match the header's, and has no meaning here.
        let numbers = JSONObject(jwk.filter { Self.publicMembers.contains($0.key) })
        return try Key(jwk: numbers, algorithm: header.algorithm)
    }

    /// The members of private and symmetric keys that public keys lack (RFC 7518 §6).
    private static let secretMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
    private static let publicMembers: Set<String> = ["kty", "crv", "x", "y", "n", "e", "alg", "use"]

    /// Runs the last checks, so that only an otherwise valid proof counts as used.
    private func spend(_ proof: DPoPProof) throws(AuthError) -> DPoPProof {
        // 10
        let required = nonces ?? (proof.issued <= startEnd ? startNonces : nil)
        if let required, !required.accepts(proof.nonce) { throw .staleProofNonce }
        // §11.1
        guard replays.isNew(proof, at: clock.now) else { throw .refusedProof("it was used before") }
        return proof
    }
}

/// The nonces that a server requires in proofs (RFC 9449 §8).
///
/// They are derived from the time and a secret, and are not stored.
///
/// A nonce shows that a proof is recent and was not made in advance, independently of the client's clock. Servers that
/// share the secret accept each other's nonces.
public struct DPoPNonces: Sendable {
    private let secret: SymmetricKey
    private let step: Double
    private let clock: WallClock

    /// Creates nonces from a random secret, which no other process accepts.
    ///
    /// - Parameters:
    ///   - lifetime: The maximum time for which a nonce is accepted; the minimum is half of it.
    ///   - clock: The clock that determines the current nonce.
    public init(lifetime: Duration = .seconds(300), clock: WallClock = .system) {
        self.init(SymmetricKey(size: .bits256), lifetime, clock)
    }

    /// Creates nonces from a secret that servers share.
    ///
    /// - Parameters:
    ///   - secret: The secret of all servers that accept the same nonces; at least 16 bytes.
    ///   - lifetime: The maximum time for which a nonce is accepted; the minimum is half of it.
    ///   - clock: The clock that determines the current nonce.
    /// - Throws: `CryptoError.unacceptableParameter` if the secret has fewer than 128 bits, for example if it is not
    ///   set.
    public init(secret: [UInt8], lifetime: Duration = .seconds(300), clock: WallClock = .system) throws {
        self.init(try SymmetricKey(secret: secret), lifetime, clock)
    }

    /// Creates nonces from a key that servers share.
    package init(_ secret: SymmetricKey, _ lifetime: Duration = .seconds(300), _ clock: WallClock) {
        self.secret = secret
        step = max(1, lifetime.inSeconds / 2)
        self.clock = clock
    }

    /// The nonce to send as `DPoP-Nonce`.
    package var current: String { nonce(of: number) }

    /// Whether a proof may hold this nonce.
    ///
    /// The current and the previous nonce are valid, because a client may have received the previous one just before
    /// the change.
    package func accepts(_ nonce: String?) -> Bool {
        guard let nonce else { return false }
        let number = number
        return constantTimeEquals(nonce.utf8, self.nonce(of: number).utf8)
            || constantTimeEquals(nonce.utf8, self.nonce(of: number - 1).utf8)
    }

    /// The number of the current time step; no server's clock is so wrong that the number would not fit.
    private var number: Int64 {
        Int64(exactly: (clock.now.timeIntervalSince1970 / step).rounded(.down)) ?? 0
    }

    private func nonce(of number: Int64) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("dpop-nonce \(number)".utf8), using: secret)
        return Base64URL.encode(Array(code).prefix(18))
    }
}

/// The used proofs, which are kept as long as they could be used again (RFC 9449 §11.1).
///
/// When the cache is full, it evicts proofs of the key with the most: those of its fullest second. From then on it
/// refuses other proofs of that key and second. The holder of one key therefore cannot exclude others, and each proof
/// is accepted once. If many keys fill the cache evenly, it evicts and refuses all proofs of the fullest second.
final class DPoPReplayCache: Sendable {
    private struct Entry: Hashable {
        /// The hash of the key's thumbprint with this process's seed.
        ///
        /// If two keys have the same hash, a full cache treats them as one.
        let key: Int
        /// The hash of the proof's key and identifier, so that long identifiers cost no memory.
        let digest: [UInt8]
    }

    private struct KeySecond: Hashable {
        let key: Int
        let second: Int64
    }

    private struct Entries {
        /// The entries by the second of their proofs' dates.
        var used: [Int64: Set<Entry>] = [:]
        /// The number of entries of each key.
        var counts: [Int: Int] = [:]
        var count = 0
        /// The second before which proofs are refused: the start of the window, even if the clock was set back.
        var floor = Int64.min
        /// The seconds within the window whose proofs are refused.
        var refused: Set<Int64> = []
        /// The refused seconds of single keys.
        var refusedOfKeys: Set<KeySecond> = []

        /// Inserts an entry and returns whether it is new.
        mutating func insert(_ entry: Entry, at second: Int64) -> Bool {
            guard used[second, default: []].insert(entry).inserted else { return false }
            counts[entry.key, default: 0] += 1
            count += 1
            return true
        }

        /// Removes the proofs that are too old to be used again.
        mutating func forget(before oldest: Int64) {
            floor = oldest
            for second in used.keys where second < oldest { remove(second) }
            if !refused.isEmpty { refused = refused.filter { $0 >= oldest } }
            if !refusedOfKeys.isEmpty { refusedOfKeys = refusedOfKeys.filter { $0.second >= oldest } }
        }

        /// Removes the fullest second of the key with the most proofs if it has `share` of them, or else the fullest
        /// second of all keys.
        mutating func evict(share: Int) {
            guard let (key, count) = counts.max(by: { $0.value < $1.value }), count >= share else {
                return evictFullestSecond()
            }
            let numbers = used.mapValues { entries in entries.count { $0.key == key } }
            guard let second = Self.fullest(numbers) else { return }
            for entry in used[second, default: []] where entry.key == key { remove(entry, at: second) }
            refusedOfKeys.insert(KeySecond(key: key, second: second))
        }

        private mutating func evictFullestSecond() {
            guard let second = Self.fullest(used.mapValues(\.count)) else { return }
            remove(second)
            refused.insert(second)
        }

        /// Returns the second with the most entries; the earliest of several.
        private static func fullest(_ numbers: [Int64: Int]) -> Int64? {
            numbers.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
        }

        private mutating func remove(_ second: Int64) {
            for entry in used.removeValue(forKey: second) ?? [] { uncount(entry) }
        }

        private mutating func remove(_ entry: Entry, at second: Int64) {
            guard used[second]?.remove(entry) != nil else { return }
            uncount(entry)
        }

        private mutating func uncount(_ entry: Entry) {
            count -= 1
            let left = (counts[entry.key] ?? 1) - 1
            counts[entry.key] = left > 0 ? left : nil
        }
    }

    private let entries = Mutex(Entries())
    private let window: Double
    private let capacity: Int

    /// - Parameter start: The date before which proofs are refused.
    init(window: Double, capacity: Int, start: Date = .distantPast) {
        self.window = window
        self.capacity = max(1, capacity)
        let floor = Int64(exactly: start.timeIntervalSince1970.rounded(.down)) ?? .min
        entries.withLock { $0.floor = floor }
    }

    /// Returns the hash of a proof's key and identifier, in hexadecimal for the shared memory.
    static func fingerprint(of proof: DPoPProof) -> String { Hex.encode(digest(of: proof)) }

    private static func digest(of proof: DPoPProof) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(proof.thumbprint) \(proof.id)".utf8)))
    }

    /// Returns whether a proof with a date in the window was not used before, and marks it as used.
    func isNew(_ proof: DPoPProof, at now: Date) -> Bool {
        let entry = Entry(key: proof.thumbprint.hashValue, digest: Self.digest(of: proof))
        let second = Int64(proof.issued.timeIntervalSince1970.rounded(.down))
        let oldest = Int64((now.timeIntervalSince1970 - window).rounded(.down))
        return entries.withLock { entries in
            if oldest > entries.floor { entries.forget(before: oldest) }
            while entries.count >= capacity { entries.evict(share: max(1, capacity / 16)) }
            guard second >= entries.floor, !entries.refused.contains(second),
                !entries.refusedOfKeys.contains(KeySecond(key: entry.key, second: second))
            else { return false }
            return entries.insert(entry, at: second)
        }
    }
}

/// A URL without query and fragment, normalized for comparison (RFC 9449 §4.3).
struct DPoPTarget: Equatable {
    let origin: HTTPOrigin
    let path: [UInt8]

    init(_ origin: HTTPOrigin, path: String) {
        self.origin = origin
        self.path = Self.normalized(path)
    }

    /// Returns nil for a string that is not the URL of a request.
    init?(_ text: String) {
        do {
            let parts = try HTTPOrigin.split(text)
            self.init(parts.origin, path: String(Substring(parts.path.utf8.prefix { $0 != 0x3F })))
        } catch {
            return nil
        }
    }

    /// Normalizes the percent-encoding (RFC 3986 §6.2.2): in uppercase, and only for characters that need it.
    ///
    /// Dot segments stay: a URL with dot segments is compared as written, which may refuse a valid proof.
    private static func normalized(_ path: String) -> [UInt8] {
        var normalized: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard byte == 0x25, digits.count == 2 else {
                normalized.append(byte)
                continue
            }
            rest.removeFirst(2)
            let encoded = UInt8(digits[0] << 4 | digits[1])
            normalized += PercentEncoding.encode([encoded]).utf8
        }
        return normalized
    }
}
