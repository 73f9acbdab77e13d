// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation
public import LatchCore
public import LatchHTTP
public import LatchJOSE

/// Decides whether the sender of a request holds the key that he says he holds (RFC 9449 §4.3).
///
/// ```swift
/// let verifier = DPoPVerifier(nonces: DPoPNonces())
/// let proof = try verifier.verify(request, accessToken: token, boundTo: claims["cnf"]?["jkt"]?.stringValue ?? "")
/// ```
///
/// It is a value to be made once and used by any number of tasks. What it remembers of proofs is shared by its copies and
/// by nobody else: where several processes answer for one origin, only `nonces` of one secret keep a proof from being
/// used once with each.
public struct DPoPVerifier: Sendable {
    private let algorithms: [SignatureAlgorithm]
    private let window: Double
    private let nonces: DPoPNonces?
    private let replays: DPoPReplays
    private let clock: WallClock

    /// Longer proofs than anybody makes: one with RSA of 4096 bits has less than 3 KiB.
    private static let longestProof = 8_192

    /// A verifier.
    ///
    /// - Parameters:
    ///   - algorithms: The only ones that are accepted; those of shared secrets never are.
    ///   - window: How far the proof's date may be from ours, into the past and into the future.
    ///   - nonces: What proofs have to hold; nil where none is asked for.
    ///   - capacity: How many proofs are remembered. Where more come within the window, the oldest are no longer taken,
    ///     rather than taken twice.
    public init(
        algorithms: [SignatureAlgorithm] = [.es256, .eddsa, .es384, .es512, .ps256], window: Duration = .seconds(60),
        nonces: DPoPNonces? = nil, capacity: Int = 100_000, clock: WallClock = .system
    ) {
        self.algorithms = algorithms.filter { DPoPKey.algorithms.contains($0) }
        self.window = max(0, window.inSeconds)
        self.nonces = nonces
        replays = DPoPReplays(window: self.window, capacity: capacity)
        self.clock = clock
    }

    /// The proof of a request with a token, for a resource.
    ///
    /// - Parameters:
    ///   - accessToken: The token as it came.
    ///   - thumbprint: What the token is bound to: its `cnf.jkt` (RFC 9449 §6.1).
    ///   - origin: Where the request was sent to, where that is not what it says, as behind a proxy.
    /// - Throws: `AuthError.refusedProof`, or `AuthError.staleProofNonce` where a client should try again.
    public func verify(
        _ request: HTTPRequest, accessToken: String, boundTo thumbprint: String, at origin: HTTPOrigin? = nil
    ) throws(AuthError) -> DPoPProof {
        let proof = try read(request, at: origin)
        guard proof.accessTokenHash == DPoPProof.hash(of: accessToken) else {
            throw .refusedProof("it was made for another token")
        }
        guard proof.thumbprint == thumbprint else { throw .refusedProof("the token is bound to another key") }
        return try spend(proof)
    }

    /// The proof of a request without a token, for a token endpoint: its thumbprint is what to bind tokens to.
    ///
    /// - Throws: As ``verify(_:accessToken:boundTo:at:)``.
    public func verify(_ request: HTTPRequest, at origin: HTTPOrigin? = nil) throws(AuthError) -> DPoPProof {
        try spend(read(request, at: origin))
    }

    /// The checks of RFC 9449 §4.3 by their numbers, those that cost little first.
    private func read(_ request: HTTPRequest, at origin: HTTPOrigin?) throws(AuthError) -> DPoPProof {
        let texts = request.fields.values(of: .dpop)
        // 1, 2: one field with one token; what could be read as a list is none.
        guard let text = texts.first, texts.count == 1, text.utf8.count <= Self.longestProof else {
            throw .refusedProof("there is none, or more than one")
        }
        let proof = try signedProof(text)
        // 8
        guard proof.method.rawValue.utf8.elementsEqual(request.method.rawValue.utf8) else {
            throw .refusedProof("it was made for another method")
        }
        // 9
        guard DPoPTarget(proof.target) == DPoPTarget(origin ?? request.origin, path: request.pathWithoutQuery) else {
            throw .refusedProof("it was made for another address")
        }
        // 11
        guard abs(proof.issued.timeIntervalSince(clock.now)) <= window else {
            throw .refusedProof("it is too old, or from the future")
        }
        return proof
    }

    /// A proof whose signature is that of the key that it carries.
    private func signedProof(_ text: String) throws(AuthError) -> DPoPProof {
        do {
            let header = try JWT(unverified: text).header
            // 4: without `application/`, and in one spelling, as all who make proofs write it.
            guard header.type == DPoPProof.type else { throw AuthError.refusedProof("its typ is not dpop+jwt") }
            let key = try publicKey(of: header)
            // 5, 6: the key verifies with the algorithm that it was read for, and only if that is accepted.
            let signed = try JWS(verifying: text, keys: KeySet([key]), algorithms: algorithms)
            let claims = Claims(try JSONValue(parsing: signed.payload).objectValue ?? [:])
            return try DPoPProof(claims, thumbprint: key.thumbprint, text: text)
        } catch let error as AuthError {
            throw error
        } catch {
            throw .refusedProof("it is no token that its key has signed")
        }
    }

    private func publicKey(of header: TokenHeader) throws -> Key {
        guard algorithms.contains(header.algorithm) else { throw AuthError.refusedProof("its alg is not accepted") }
        guard let jwk = header.members["jwk"]?.objectValue else { throw AuthError.refusedProof("it carries no key") }
        // 7: who sends the private half has lost it; a shared secret proves nothing.
        guard !jwk.keys.contains(where: Self.secretMembers.contains), jwk["kty"] != "oct" else {
            throw AuthError.refusedProof("it carries a key that is not a public one")
        }
        // A name would have to be the header's too, and is none that anybody here knows.
        let numbers = JSONObject(jwk.filter { Self.publicMembers.contains($0.key) })
        return try Key(jwk: numbers, algorithm: header.algorithm)
    }

    /// RFC 7518 §6: what a private or symmetric key has and a public one has not.
    private static let secretMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
    private static let publicMembers: Set<String> = ["kty", "crv", "x", "y", "n", "e", "alg", "use"]

    /// The last checks: only a proof that is otherwise good counts as used.
    private func spend(_ proof: DPoPProof) throws(AuthError) -> DPoPProof {
        // 10
        if let nonces, !nonces.accepts(proof.nonce) { throw .staleProofNonce }
        // §11.1
        guard replays.isNew(proof, at: clock.now) else { throw .refusedProof("it was used before") }
        return proof
    }
}
