// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
internal import LatchCore
internal import LatchCrypto
public import LatchHTTP
internal import LatchJOSE

/// The proof that the sender of one message holds a key (RFC 9449 §4.2).
///
/// ``DPoPKey`` makes it, and ``DPoPVerifier`` reads it.
public struct DPoPProof: Sendable, Hashable {
    /// Its own name, different for each proof (`jti`).
    public let id: String
    /// The method of the message (`htm`).
    public let method: HTTPMethod
    /// Where the message goes, without query and fragment (`htu`).
    public let target: String
    /// When it was made, by the clock of who made it (`iat`).
    public let issued: Date
    /// The hash of the access token that the message carries (`ath`); nil where it carries none.
    public let accessTokenHash: String?
    /// What the server asked for (`nonce`); nil where it did not.
    public let nonce: String?
    /// The thumbprint of the key that signed (RFC 7638): what a token that is bound to it says as `cnf.jkt`.
    public let thumbprint: String
    /// The proof as it is sent.
    ///
    /// It lets nobody in a second time, where servers look closely; keep it out of logs all the same.
    public let text: String

    /// The type of such a token, which no other kind of token has (RFC 9449 §4.2).
    static let type = "dpop+jwt"

    /// The claims of a proof that is signed with the key of this thumbprint.
    ///
    /// - Throws: `AuthError.refusedProof` where a claim is missing or has another type (RFC 9449 §4.3, 3).
    init(_ claims: Claims, thumbprint: String, text: String) throws(AuthError) {
        guard let id = claims.id, !id.isEmpty, let method = claims.string("htm"), let target = claims.string("htu"),
            let issued = claims.issuedAt, issued.timeIntervalSince1970.isFinite
        else { throw .refusedProof("it lacks jti, htm, htu or iat") }
        for name in ["ath", "nonce"] where claims[name] != nil && claims.string(name) == nil {
            throw .refusedProof("its \(name) is no string")
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

    /// The target of a request as a proof names it: the origin in one spelling, and the path.
    static func target(of request: HTTPRequest) -> String { "\(request.origin)\(request.pathWithoutQuery)" }

    /// RFC 9449 §4.2: base64url of SHA-256 over the token's ASCII.
    static func hash(of accessToken: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array(accessToken.utf8)).map(\.self))
    }

    /// Whether a text can be a nonce (RFC 9449 §8.1: 1*NQCHAR), and is none that would burst the fields of a message.
    static func isNonce(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x21, 0x23...0x5B, 0x5D...0x7E: true
                default: false
                }
            }
    }
}

extension DPoPProof: Redacting {
    /// The method and the target, which say nothing that the message does not.
    public var description: String { "DPoPProof(\(method), redacted)" }
}
