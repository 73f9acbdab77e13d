// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchJOSE
import Synchronization

/// A verifier of JSON Web Tokens with keys that their issuer publishes.
///
/// It is a `JWTVerifier` over a ``RemoteKeySet``. A token with a known key is verified without waiting, on the caller's
/// task and actor. A token with an unknown key or a wrong signature causes another request to the issuer, as rarely as
/// the policy allows.
public final class RemoteJWTVerifier: Sendable {
    private let keys: RemoteKeySet
    private let makeVerifier: @Sendable (KeySet, IssuerMetadata?) -> JWTVerifier
    /// The verifier of the last used version of the keys.
    private let prepared = Mutex<(snapshot: KeySetSnapshot, verifier: JWTVerifier)?>(nil)

    /// Creates a verifier; the parameters are those of `JWTVerifier`.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - algorithms: The accepted algorithms.
    ///   - issuer: The required `iss`.
    ///   - audience: The required `aud`, or an element of it.
    ///   - type: The required `typ`; nil accepts any.
    ///   - leeway: The tolerated difference between the clocks.
    ///   - requiresExpiry: Whether a token without `exp` is refused.
    ///   - limit: The maximum size of a token, in bytes.
    ///   - clock: The clock for the tokens' times.
    public init(
        keys: RemoteKeySet, algorithms: [SignatureAlgorithm], issuer: String?, audience: String? = nil,
        type: String? = nil, leeway: Duration = .seconds(30), requiresExpiry: Bool = true,
        limit: Int = JWS.defaultLimit, clock: WallClock = .system
    ) {
        self.keys = keys
        makeVerifier = { keys, _ in
            JWTVerifier(
                keys: keys, algorithms: algorithms, issuer: issuer, audience: audience, type: type, leeway: leeway,
                requiresExpiry: requiresExpiry, limit: limit, clock: clock)
        }
    }

    /// Creates a verifier that calls `makeVerifier` for each version of the keys, with the metadata that named them.
    package init(
        keys: RemoteKeySet, makeVerifier: @escaping @Sendable (KeySet, IssuerMetadata?) -> JWTVerifier
    ) {
        (self.keys, self.makeVerifier) = (keys, makeVerifier)
    }

    /// Returns the claims of a valid token.
    ///
    /// - Throws: `JOSEError` for the first failed check, `AuthError.keysUnavailable` if the keys cannot be fetched, and
    ///   `CancellationError`.
    nonisolated(nonsending) public func verify(_ text: String) async throws -> Claims {
        try await verifiedToken(text).claims
    }

    /// Verifies a token, and returns it with its header; throws as ``verify(_:)``.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - clockOffset: The seconds by which the issuer's clock is ahead of this verifier's.
    ///   - requests: `RemoteKeySet.requestsSoFar` when the token arrived over a connection to the issuer; nil for a
    ///     token of a stranger, who must not cause requests.
    nonisolated(nonsending) package func verifiedToken(
        _ text: String, clockOffset: Double = 0, after requests: Int? = nil
    ) async throws -> JWT {
        var snapshot = try await keys.current()
        var result = result(of: text, snapshot, clockOffset: clockOffset)
        while case .failure(let error) = result, Self.mayBeOfNewerKey(error),
            let newer = try await newer(than: snapshot, after: requests, for: text, error)
        {
            result = self.result(of: text, newer, clockOffset: clockOffset)
            // The newer keys may also have been requested before the token arrived.
            guard requests != nil else { break }
            snapshot = newer
        }
        return try result.get()
    }

    private func result(of text: String, _ snapshot: KeySetSnapshot, clockOffset: Double) -> Result<JWT, JOSEError> {
        do { return .success(try verifier(of: snapshot).verifiedToken(text, clockOffset: clockOffset)) } catch {
            return .failure(error)
        }
    }

    /// Verifies a token with the keys that were already fetched, without a request.
    ///
    /// - Throws: As ``verify(_:)``; `AuthError.keysUnavailable` if no keys were fetched.
    package func verifiedTokenWithKnownKeys(_ text: String, clockOffset: Double = 0) throws -> JWT {
        guard let snapshot = keys.known else { throw AuthError.keysUnavailable }
        return try verifier(of: snapshot).verifiedToken(text, clockOffset: clockOffset)
    }

    /// Returns the verifier of a version of the keys, which is created once.
    private func verifier(of snapshot: KeySetSnapshot) -> JWTVerifier {
        prepared.withLock { prepared in
            if let prepared, prepared.snapshot === snapshot { return prepared.verifier }
            let verifier = makeVerifier(snapshot.keys, snapshot.metadata)
            prepared = (snapshot, verifier)
            return verifier
        }
    }

    /// Returns newer keys; nil if there are none.
    ///
    /// - Throws: `AuthError.keysUnavailable` if they cannot be fetched, unless the token has a wrong signature under a
    ///   known key ID.
    nonisolated(nonsending) private func newer(
        than snapshot: KeySetSnapshot, after requests: Int?, for text: String, _ error: JOSEError
    ) async throws -> KeySetSnapshot? {
        do {
            return try await keys.newer(than: snapshot, after: requests)
        } catch let failure as AuthError where failure == .keysUnavailable {
            if error == .badSignature, try JWT(unverified: text).header.keyID != nil { return nil }
            throw failure
        }
    }

    /// Whether newer keys may change the result.
    ///
    /// An issuer that was restored without its keys has a new key under an old ID.
    private static func mayBeOfNewerKey(_ error: JOSEError) -> Bool { error == .unknownKey || error == .badSignature }
}

extension RemoteJWTVerifier: ScopeInterpreter {
    /// The implications among the issuer's scopes, as its metadata shows them; nil without metadata.
    package var scopeHierarchy: ScopeHierarchy? { keys.known?.metadata?.scopeHierarchy }
}
