// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import LatchCore
public import LatchJOSE

/// Decides whether a token may be believed, by keys that its issuer publishes.
///
/// It is `JWTVerifier` over a ``RemoteKeySet``. A token whose key is known is judged without waiting, on the task and the
/// actor that asks; one whose key is not known has the issuer asked again, as seldom as the policy of the key set wants.
public final class RemoteVerifier: Sendable {
    /// The verifier of one version of the keys.
    private struct Prepared {
        let snapshot: KeySnapshot
        let verifier: JWTVerifier
    }

    private let keys: RemoteKeySet
    private let makeVerifier: @Sendable (KeySet) -> JWTVerifier
    private let prepared = Mutex<Prepared?>(nil)

    /// A verifier; the parameters mean what they mean for `JWTVerifier`.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - algorithms: The only ones that are accepted.
    ///   - issuer: What `iss` has to be.
    ///   - audience: What `aud` has to be or to hold.
    ///   - type: What `typ` has to be; nil takes any.
    ///   - leeway: How far the clocks may differ.
    ///   - requiresExpiry: Whether a token without `exp` is refused.
    ///   - limit: How many bytes a token may have.
    ///   - clock: The time.
    public init(
        keys: RemoteKeySet, algorithms: [SignatureAlgorithm], issuer: String?, audience: String? = nil,
        type: String? = nil, leeway: Duration = .seconds(30), requiresExpiry: Bool = true,
        limit: Int = JWS.defaultLimit, clock: WallClock = .system
    ) {
        self.keys = keys
        makeVerifier = { keys in
            JWTVerifier(
                keys: keys, algorithms: algorithms, issuer: issuer, audience: audience, type: type, leeway: leeway,
                requiresExpiry: requiresExpiry, limit: limit, clock: clock)
        }
    }

    /// The claims of a token that may be believed.
    ///
    /// - Throws: `JOSEError` with the first reason why not, `AuthError.keysUnavailable` where the keys are not to be had,
    ///   and `CancellationError`.
    nonisolated(nonsending) public func verify(_ text: String) async throws -> Claims {
        try await verifiedToken(text).claims
    }

    /// A token that may be believed, with its header.
    ///
    /// - Throws: As ``verify(_:)``.
    nonisolated(nonsending) public func verifiedToken(_ text: String) async throws -> JWT {
        let snapshot = try await keys.current()
        do {
            return try verifier(of: snapshot).verifiedToken(text)
        } catch  where Self.mayBeOfNewerKey(text, error) {
            guard let newer = try await keys.newer(than: snapshot) else { throw error }
            return try verifier(of: newer).verifiedToken(text)
        }
    }

    /// The verifier of a version of the keys, made once for each.
    private func verifier(of snapshot: KeySnapshot) -> JWTVerifier {
        prepared.withLock { prepared in
            if let prepared, prepared.snapshot === snapshot { return prepared.verifier }
            let verifier = makeVerifier(snapshot.keys)
            prepared = Prepared(snapshot: snapshot, verifier: verifier)
            return verifier
        }
    }

    /// Whether newer keys may change the answer: the key is not known, or is not named and none of those known fits.
    private static func mayBeOfNewerKey(_ text: String, _ error: JOSEError) -> Bool {
        if error == .unknownKey { return true }
        guard error == .badSignature else { return false }
        do { return try JWT(unverified: text).header.keyID == nil } catch { return false }
    }
}
