// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE

/// The check of the assertions that clients sign (RFC 7523 §3), each of which counts once.
package struct ClientAssertions: Sendable {
    private let keys: ClientKeySource
    private let store: IdentityStore
    private let clock: WallClock
    private let dates: DateCheck
    private let accessTokens: AccessTokenIssuer
    private let certificateURL: String?

    /// The maximum time until an assertion expires, for which the store remembers it.
    static let longestLife: TimeInterval = 3600
    /// The tolerated difference of the clocks, as FAPI 2.0 §5.3.2.1 requires it for `iat` and `nbf`.
    private static let leeway = Duration.seconds(10)

    /// - Parameter certificateURL: The base URL of the endpoints for clients with certificates; nil for none.
    package init(
        keys: ClientKeySource, store: IdentityStore, clock: WallClock, dates: DateCheck,
        accessTokens: AccessTokenIssuer, certificateURL: String? = nil
    ) {
        self.keys = keys
        self.store = store
        self.clock = clock
        self.dates = dates
        self.accessTokens = accessTokens
        self.certificateURL = certificateURL
    }

    /// The purpose of an assertion.
    enum Purpose {
        /// The client authenticates with it (RFC 7523 §2.2).
        case authentication
        /// The client exchanges it for a token (RFC 7523 §2.1).
        case grant

        /// The accepted values of `typ`.
        ///
        /// A client's keys also sign request objects and DPoP proofs, which have other types (RFC 8725 §3.11).
        fileprivate var types: [String] {
            self == .authentication ? ["JWT", "client-authentication+jwt"] : ["JWT", "authorization-grant+jwt"]
        }
    }

    /// Uses up an assertion of a client.
    ///
    /// - Parameters:
    ///   - registered: The client; nil for an unknown one.
    ///   - path: The path of the endpoint that received it.
    /// - Throws: `IdentityError.unreadableKeys`, `.notReady`, and a store's error.
    /// - Returns: The reason why it is refused, for the operator of the client; nil if it is accepted. A caller without
    ///   a key of the client always gets the same reason.
    func use(
        _ text: String, of registered: VerifiableClient?, for purpose: Purpose, at path: String
    ) async throws(IdentityError) -> String? {
        // An assertion may seem expired.
        try dates.require()
        guard let issuer = accessTokens.issuer else { throw .notReady }
        guard let registered else { return Self.unsigned }
        let client = registered.client
        // FAPI 2.0 Security Profile §5.3.2.1: only the issuer, as a string.
        let isProfiled = client.securityProfile != nil
        var audiences = [issuer]
        if !isProfiled {
            // RFC 7523 §3 permits the URL of the token endpoint, and many libraries take the one that they call.
            for base in [issuer, certificateURL].compactMap({ $0?.withoutFinalSlash }) {
                audiences += ["\(base)/oauth/token", base + path]
            }
        }
        let verified = try await keys.verified(by: client, among: registered.keys) { keys throws(JOSEError) in
            try JWTVerifier(
                keys: keys, algorithms: client.assertionAlgorithms, issuer: client.id, leeway: Self.leeway,
                clock: clock
            ).verifiedToken(text, for: audiences)
        }
        let token: JWT
        switch verified {
        case .success(let found): token = found
        case .failure(let error): return Self.reason(error, issuer: issuer)
        case nil: return Self.unsigned
        }
        guard !isProfiled || token.claims["aud"]?.stringValue != nil else { return "its 'aud' is not one string" }
        guard token.header.type == nil || purpose.types.contains(where: token.header.isOfType) else {
            return "its 'typ' is that of another kind of token"
        }
        guard token.claims.subject?.utf8.elementsEqual(client.id.utf8) == true else {
            return "its 'sub' is not the client_id, as 'iss' and 'sub' both must be"
        }
        guard let name = token.claims.id, !name.isEmpty else { return "it lacks the claim 'jti'" }
        let leeway = Self.leeway.inSeconds
        guard let end = token.claims.expiry, end <= clock.now.addingTimeInterval(Self.longestLife + leeway) else {
            return "its 'exp' is more than an hour ahead"
        }
        let isFirst = try await store.spend(
            assertion: "assertion \(client.id) \(name)".digest, until: end.addingTimeInterval(60))
        return isFirst ? nil : "its 'jti' was used before: sign a new assertion for each request"
    }

    /// The reason for a caller that has not proved to be the client.
    private static let unsigned =
        "it is not signed by a key of a client that is registered for it, with an algorithm of the metadata"

    /// Returns the reason of a failed verification.
    private static func reason(_ error: JOSEError, issuer: String) -> String {
        switch error.code {
        case JOSEError.expired.code: "it has expired"
        case JOSEError.notYetValid.code: "its 'nbf' or 'iat' is in the future: compare the clocks"
        case JOSEError.wrongIssuer.code: "its 'iss' is not the client_id, as 'iss' and 'sub' both must be"
        case JOSEError.wrongAudience.code:
            "its 'aud' is not \(issuer), nor the URL of the endpoint where no 'security_profile' forbids that"
        case JOSEError.missingClaim.code: "it lacks the claim 'exp'"
        default: unsigned
        }
    }
}
