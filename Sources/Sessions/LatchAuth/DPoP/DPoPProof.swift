// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchCrypto
package import LatchFoundation
package import LatchHTTP
internal import LatchJOSE

/// The proof that the sender of one message holds a key (RFC 9449 §4.2).
///
/// ``DPoPKey`` creates it, and ``DPoPVerifier`` verifies it.
package struct DPoPProof: Sendable, Hashable {
    /// The identifier (`jti`), which is unique for each proof.
    package let id: String
    /// The method of the message (`htm`).
    package let method: HTTPMethod
    /// The URL of the message without query and fragment (`htu`).
    package let target: String
    /// The date of the proof by the sender's clock (`iat`).
    package let issued: Date
    /// The hash of the access token in the message (`ath`); nil without a token.
    package let accessTokenHash: String?
    /// The nonce that the server requires (`nonce`); nil if it requires none.
    package let nonce: String?
    /// The thumbprint of the signing key (RFC 7638): the `cnf.jkt` of a bound token.
    package let thumbprint: String
    /// The proof in the form that is sent.
    ///
    /// A careful server accepts it only once; nevertheless, do not log it.
    package let text: String

    /// The `typ` of a proof, which no other kind of token has (RFC 9449 §4.2).
    static let type = "dpop+jwt"

    /// Creates a proof from its claims, which the key with this thumbprint has signed.
    ///
    /// - Throws: `AuthError.refusedProof` if a claim is missing or has another type (RFC 9449 §4.3, 3).
    init(_ claims: Claims, thumbprint: String, text: String) throws(AuthError) {
        guard let id = claims.id, !id.isEmpty, let method = claims.string("htm"), let target = claims.string("htu"),
            let issued = claims.issuedAt, issued.timeIntervalSince1970.isFinite
        else { throw .refusedProof("it lacks jti, htm, htu or iat") }
        for name in ["ath", "nonce"] where claims[name] != nil && claims.string(name) == nil {
            throw .refusedProof("its \(name) is not a string")
        }
        self.id = id
        self.method = HTTPMethod(rawValue: method)
        self.target = target
        self.issued = issued
        accessTokenHash = claims.string("ath")
        nonce = claims.string("nonce")
        self.thumbprint = thumbprint
        self.text = text
    }

    /// Returns the base64url of the SHA-256 digest of the token's ASCII (RFC 9449 §4.2).
    static func hash(of accessToken: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array(accessToken.utf8)).map(\.self))
    }

    /// Whether a string is a valid nonce (RFC 9449 §8.1: 1*NQCHAR), and short enough for a header field.
    static func isNonce(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count) && text.utf8.allSatisfy(Scope.isAllowed)
    }
}

extension DPoPProof: Redacting {
    /// The method, which the message shows anyway.
    package var description: String { "DPoPProof(\(method), redacted)" }
}
