// SPDX-License-Identifier: Apache-2.0

/// A signature algorithm, by its registered name (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// There is no `none`. Names other than the static members are valid values, but no key has them.
public struct SignatureAlgorithm: RawRepresentable, Sendable, Hashable {
    /// The registered name.
    public let rawValue: String

    /// Creates an algorithm from its registered name.
    ///
    /// Names are case-sensitive (RFC 7515 §4.1.1): no key has the algorithm `es256`. `Ed25519` (RFC 9864 §2.2) becomes
    /// ``eddsa``, the algorithm of all keys of this library on that curve. A name that is not ASCII becomes the empty
    /// name, which no key has: RFC 7515 §5.3 compares code points, but String considers some signs equal to letters.
    public init(rawValue: String) {
        self.rawValue = rawValue.utf8.elementsEqual("Ed25519".utf8) ? "EdDSA" : rawValue.registeredName
    }

    /// ECDSA on P-256 over SHA-256.
    public static let es256 = SignatureAlgorithm(rawValue: "ES256")

    /// ECDSA on P-384 over SHA-384.
    public static let es384 = SignatureAlgorithm(rawValue: "ES384")

    /// ECDSA on P-521 over SHA-512.
    public static let es512 = SignatureAlgorithm(rawValue: "ES512")

    /// Ed25519.
    public static let eddsa = SignatureAlgorithm(rawValue: "EdDSA")

    /// RSASSA-PKCS1-v1_5 over SHA-256.
    public static let rs256 = SignatureAlgorithm(rawValue: "RS256")

    /// RSASSA-PKCS1-v1_5 over SHA-384.
    public static let rs384 = SignatureAlgorithm(rawValue: "RS384")

    /// RSASSA-PKCS1-v1_5 over SHA-512.
    public static let rs512 = SignatureAlgorithm(rawValue: "RS512")

    /// RSASSA-PSS over SHA-256.
    public static let ps256 = SignatureAlgorithm(rawValue: "PS256")

    /// RSASSA-PSS over SHA-384.
    public static let ps384 = SignatureAlgorithm(rawValue: "PS384")

    /// RSASSA-PSS over SHA-512.
    public static let ps512 = SignatureAlgorithm(rawValue: "PS512")

    /// HMAC with SHA-256.
    public static let hs256 = SignatureAlgorithm(rawValue: "HS256")

    /// HMAC with SHA-384.
    public static let hs384 = SignatureAlgorithm(rawValue: "HS384")

    /// HMAC with SHA-512.
    public static let hs512 = SignatureAlgorithm(rawValue: "HS512")
}

extension SignatureAlgorithm: CustomStringConvertible {
    /// The registered name.
    public var description: String { rawValue }
}

extension String {
    /// The text if it can be a registered name, which is ASCII (RFC 7515 §4.1.1); otherwise empty.
    ///
    /// Names are compared by code points, but String considers the Kelvin sign equal to a K.
    var registeredName: String { utf8.allSatisfy { $0 < 0x80 } ? self : "" }
}
