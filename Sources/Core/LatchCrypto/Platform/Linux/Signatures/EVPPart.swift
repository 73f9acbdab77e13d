// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// OpenSSL's name for a part of a key.
///
/// OpenSSL keeps the pointer to a name and not the name, so the names are static text with an address for good. Its own
/// macros would come as Swift strings, which have none, or do not come at all.
struct EVPPart: Sendable {
    /// The name, ended by a zero byte like every static text.
    private let text: StaticString

    /// The name as C wants it, valid for as long as the program runs.
    var name: UnsafePointer<CChar> { UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self) }

    /// The curve, by name.
    static let group = EVPPart(text: "group")
    /// The public point, as SEC 1 §2.3.3 writes it.
    static let point = EVPPart(text: "pub")
    /// The point's first coordinate.
    static let x = EVPPart(text: "qx")
    /// The point's second coordinate.
    static let y = EVPPart(text: "qy")
    /// The secret number of an elliptic key.
    static let secret = EVPPart(text: "priv")
    /// The modulus n.
    static let modulus = EVPPart(text: "n")
    /// The public exponent e.
    static let exponent = EVPPart(text: "e")
    /// The private exponent d.
    static let privateExponent = EVPPart(text: "d")
    /// The prime p.
    static let firstPrime = EVPPart(text: "rsa-factor1")
    /// The prime q.
    static let secondPrime = EVPPart(text: "rsa-factor2")
    /// The third prime, which only keys have that are refused.
    static let thirdPrime = EVPPart(text: "rsa-factor3")
    /// The number d modulo p − 1.
    static let firstExponent = EVPPart(text: "rsa-exponent1")
    /// The number d modulo q − 1.
    static let secondExponent = EVPPart(text: "rsa-exponent2")
    /// The inverse of q modulo p.
    static let coefficient = EVPPart(text: "rsa-coefficient1")
}
#endif
