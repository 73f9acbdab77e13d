// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// One of NIST's prime curves, with the digest that is signed on it.
public protocol NISTCurve: Sendable {
    /// The digest that is signed.
    associatedtype Hash: HashFunction
    /// How many bytes a coordinate and a half of a signature have.
    static var coordinateByteCount: Int { get }
    /// The curve's name in FIPS 186-5, such as `P-256`.
    static var name: String { get }
}

/// NIST P-256, signed over SHA-256.
public enum P256: NISTCurve {
    /// The digest that is signed.
    public typealias Hash = SHA256
    /// Keys and signatures of ECDSA on this curve.
    public typealias Signing = NISTSigning<P256>
    /// How many bytes a coordinate has.
    public static var coordinateByteCount: Int { 32 }
    /// The curve's name.
    public static var name: String { "P-256" }
}

/// NIST P-384, signed over SHA-384.
public enum P384: NISTCurve {
    /// The digest that is signed.
    public typealias Hash = SHA384
    /// Keys and signatures of ECDSA on this curve.
    public typealias Signing = NISTSigning<P384>
    /// How many bytes a coordinate has.
    public static var coordinateByteCount: Int { 48 }
    /// The curve's name.
    public static var name: String { "P-384" }
}

/// NIST P-521, signed over SHA-512.
public enum P521: NISTCurve {
    /// The digest that is signed.
    public typealias Hash = SHA512
    /// Keys and signatures of ECDSA on this curve.
    public typealias Signing = NISTSigning<P521>
    /// How many bytes a coordinate has.
    public static var coordinateByteCount: Int { 66 }
    /// The curve's name.
    public static var name: String { "P-521" }
}

/// ECDSA on a curve (FIPS 186-5 §6): its keys and its signatures.
public enum NISTSigning<Curve: NISTCurve> {}
#endif
