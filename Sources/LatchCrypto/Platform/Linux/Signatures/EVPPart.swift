// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// OpenSSL's name for a part of a key.
///
/// OpenSSL keeps the pointer to a name and not the name, so the names are static text with an address for good. Its own
/// macros would come as Swift strings, which have none, or do not come at all.
struct EVPPart: Sendable {
    private let text: StaticString

    /// The name as C wants it, valid for as long as the program runs.
    var name: UnsafePointer<CChar> { UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self) }

    static let group = EVPPart(text: "group")
    static let point = EVPPart(text: "pub")
    static let x = EVPPart(text: "qx")
    static let y = EVPPart(text: "qy")
    static let secret = EVPPart(text: "priv")
    static let modulus = EVPPart(text: "n")
    static let exponent = EVPPart(text: "e")
    static let privateExponent = EVPPart(text: "d")
    static let firstPrime = EVPPart(text: "rsa-factor1")
    static let secondPrime = EVPPart(text: "rsa-factor2")
    static let firstExponent = EVPPart(text: "rsa-exponent1")
    static let secondExponent = EVPPart(text: "rsa-exponent2")
    static let coefficient = EVPPart(text: "rsa-coefficient1")
}
#endif
