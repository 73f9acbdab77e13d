// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// A signer of JWTs with one key and one type, which encodes the header once.
package struct JWTSigner: Sendable {
    /// The private key or shared secret.
    package let key: Key
    /// The encoded header and the dot after it.
    private let head: [UInt8]

    /// Creates a signer.
    ///
    /// - Parameter type: The type of the tokens, as in ``JWT/sign(_:with:type:)``.
    /// - Throws: `JOSEError.unsignable` if every verifier would reject the header.
    package init(_ key: Key, type: String?) throws(JOSEError) {
        self.key = key
        head = try JWS.head(type.map { ["typ": .string($0)] } ?? [:], of: key, .base64url)
    }

    /// Signs claims, and returns the token in compact form.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the key only verifies.
    package func sign(_ claims: Claims) throws(JOSEError) -> String {
        let payload = Base64Alphabet.url.encode(JSONValue.object(claims.members).serialized())
        return try JWS.signed(payload, after: head, with: key)
    }
}
