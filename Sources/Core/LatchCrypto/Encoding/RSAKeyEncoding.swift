// SPDX-License-Identifier: Apache-2.0

/// The encodings of RSA keys in DER: SubjectPublicKeyInfo (RFC 5280 §4.1), PKCS #8 (RFC 5958) and PKCS #1
/// (RFC 8017 appendix A.1).
enum RSAKeyEncoding {
    /// The content of the algorithm's identifier: rsaEncryption, with NULL for its parameters (RFC 8017 appendix A.1).
    private static let algorithm: [UInt8] =
        DER.element(DER.identifier, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]) + DER.element(DER.null)

    /// Encodes a public key as SubjectPublicKeyInfo.
    static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        DER.element(
            DER.sequence, DER.element(DER.sequence, algorithm), DER.bits(DER.numbers([modulus, exponent])))
    }

    /// Returns the modulus and the exponent of a SubjectPublicKeyInfo.
    static func publicNumbers(_ der: some Collection<UInt8>) throws(DERError) -> (modulus: [UInt8], exponent: [UInt8]) {
        var whole = DERReader(der)
        var content = try whole.enter()
        try whole.end()
        guard try content.take(DER.sequence).elementsEqual(algorithm) else { throw DERError() }
        var key = DERReader(try content.bits())
        try content.end()
        let numbers = try key.numbers()
        try key.end()
        guard numbers.count == 2 else { throw DERError() }
        return (numbers[0], numbers[1])
    }

    /// Encodes a private key as PKCS #8.
    static func privateKey(_ numbers: RSA.Signing.PrivateNumbers) -> [UInt8] {
        DER.element(
            DER.sequence, DER.number([]), DER.element(DER.sequence, algorithm),
            DER.element(DER.octetString, DER.numbers(list(numbers))))
    }

    /// Returns the numbers of a private key in PKCS #8.
    static func privateNumbers(pkcs8 der: some Collection<UInt8>) throws(DERError) -> RSA.Signing.PrivateNumbers {
        var whole = DERReader(der)
        var content = try whole.enter()
        try whole.end()
        // RFC 5958 §2: version 1 adds the public key.
        guard try content.number().count <= 1, try content.take(DER.sequence).elementsEqual(algorithm) else {
            throw DERError()
        }
        let key = try content.take(DER.octetString)
        // The attributes [0] and the public key [1] add nothing to the numbers.
        while let tag = content.tag, [0xA0, 0xA1, 0x81].contains(tag) { _ = try content.take(tag) }
        try content.end()
        return try privateNumbers(pkcs1: key)
    }

    /// Returns the numbers of a private key in PKCS #1, which has two primes.
    static func privateNumbers(pkcs1 der: some Collection<UInt8>) throws(DERError) -> RSA.Signing.PrivateNumbers {
        var reader = DERReader(der)
        let list = try reader.numbers()
        // RFC 8017 appendix A.1.2: version 0 has two primes.
        guard list.count == 9, list[0].isEmpty else { throw DERError() }
        return RSA.Signing.PrivateNumbers(
            modulus: list[1], exponent: list[2], privateExponent: list[3], firstPrime: list[4], secondPrime: list[5],
            firstExponent: list[6], secondExponent: list[7], coefficient: list[8])
    }

    /// Returns the numbers in the order of PKCS #1, after the version.
    static func list(_ numbers: RSA.Signing.PrivateNumbers) -> [[UInt8]] {
        [
            [0], numbers.modulus, numbers.exponent, numbers.privateExponent, numbers.firstPrime, numbers.secondPrime,
            numbers.firstExponent, numbers.secondExponent, numbers.coefficient,
        ]
    }
}
