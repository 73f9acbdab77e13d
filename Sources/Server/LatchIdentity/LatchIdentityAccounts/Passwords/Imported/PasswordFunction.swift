// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

/// A function that other systems hash passwords with, and its bounds.
///
/// The bounds protect a sign-in: at most 256 MiB of memory, and about two seconds of a core.
struct PasswordFunction: Sendable {
    /// A number that the function takes, and its bounds.
    struct Parameter: Sendable {
        let name: String
        let range: ClosedRange<Int>
    }

    /// Everything that a computation depends on except the password.
    struct Input: Sendable {
        var numbers: [Int]
        var salt: [UInt8]
        var digestByteCount: Int
        /// The key that Firebase's scrypt encrypts; empty for other functions.
        var signerKey: [UInt8]

        /// The number at an index; zero if there is none, which no function accepts.
        subscript(index: Int) -> Int { numbers.indices.contains(index) ? numbers[index] : 0 }
    }

    let name: String
    let parameters: [Parameter]
    let saltByteCounts: ClosedRange<Int>
    let digestByteCounts: ClosedRange<Int>
    /// Whether the salt is text in the alphabet of crypt(5).
    var hasCryptSalt = false
    var signerKeyByteCounts: ClosedRange<Int> = 0...0
    /// The bytes of a password that the function reads; it ignores the others.
    var readByteCount = Int.max
    /// Returns which bound of memory or time the numbers exceed together; nil if none.
    var excess: @Sendable (Input) -> String? = { _ in nil }
    let compute: @Sendable (_ password: [UInt8], _ input: Input) throws(CryptoError) -> [UInt8]

    /// The function with a name.
    static func named(_ name: some StringProtocol) -> PasswordFunction? { all.first { $0.name == name } }

    /// Returns which bound an input exceeds; nil if none.
    func violation(_ input: Input) -> String? {
        guard input.numbers.count == parameters.count else { return "a parameter is missing" }
        for (parameter, number) in zip(parameters, input.numbers) where !parameter.range.contains(number) {
            return "\(parameter.name) is not within \(parameter.range.lowerBound) to \(parameter.range.upperBound)"
        }
        if !saltByteCounts.contains(input.salt.count) {
            return "its salt has not \(Self.text(saltByteCounts)) bytes"
        }
        if !digestByteCounts.contains(input.digestByteCount) {
            return "its digest has not \(Self.text(digestByteCounts)) bytes"
        }
        if !signerKeyByteCounts.contains(input.signerKey.count) {
            return "its signer key has not \(Self.text(signerKeyByteCounts)) bytes"
        }
        if hasCryptSalt, !CryptAlphabet.contains(input.salt) { return "its salt has a foreign character" }
        return excess(input)
    }

    private static func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}

extension PasswordFunction {
    /// The functions; a stored hash names one of them.
    static let all: [PasswordFunction] = [
        [argon2(.i), argon2(.d), argon2(.id), scrypt, firebaseScrypt, phpass], bcrypts, crypts, pbkdf2s, saltedDigests,
    ].flatMap { $0 }

    private static let pbkdf2s = [
        pbkdf2("sha1", .sha1, digest: 20, iterations: 3_000_000),
        pbkdf2("sha256", .sha256, digest: 32, iterations: 3_000_000),
        pbkdf2("sha512", .sha512, digest: 64, iterations: 1_400_000),
    ]

    /// At most 256 MiB, and the work of one pass over 2 GiB.
    private static func argon2(_ variant: Argon2Variant) -> PasswordFunction {
        PasswordFunction(
            name: variant.rawValue,
            parameters: [
                .init(name: "v", range: 16...19), .init(name: "m", range: 8...(256 << 10)),
                .init(name: "t", range: 1...256), .init(name: "p", range: 1...16),
            ],
            saltByteCounts: 8...64, digestByteCounts: 10...128,
            excess: { input in
                // RFC 9106 §3.1: at least 8 blocks of 1 KiB for each lane.
                if input[0] != 16 && input[0] != 19 { return "v is neither 16 nor 19" }
                if input[1] < 8 * input[3] { return "m is less than 8 KiB for each lane" }
                return input[1] * input[2] > 2 << 20 ? "m times t is more than 2 GiB" : nil
            },
            compute: { (password, input) throws(CryptoError) in
                try Argon2id.hash(
                    password: password, salt: input.salt, variant: variant, version: input[0], memoryKiB: input[1],
                    passes: input[2], lanes: input[3], outputByteCount: input.digestByteCount)
            })
    }

    /// The bounds of scrypt: 128 · N · r bytes of memory.
    @Sendable private static func scryptExcess(_ input: Input) -> String? {
        let (blocks, parallelism) = (input[1] << input[0], input[2])
        if blocks > 1 << 21 { return "it takes more than 256 MiB of memory" }
        return blocks * parallelism > 3 << 20 ? "N times r times p is more than \(3 << 20)" : nil
    }

    private static let scryptParameters = [
        Parameter(name: "ln", range: 1...20), .init(name: "r", range: 1...64), .init(name: "p", range: 1...64),
    ]

    private static let scrypt = PasswordFunction(
        name: "scrypt", parameters: scryptParameters, saltByteCounts: 1...256, digestByteCounts: 10...128,
        excess: scryptExcess,
        compute: { (password, input) throws(CryptoError) in
            try Scrypt.deriveKey(
                password: password, salt: input.salt, log2Cost: input[0], blockSize: input[1], parallelism: input[2],
                outputByteCount: input.digestByteCount)
        })

    /// Firebase encrypts the key of the project, its signer key, by a key that is derived from the password.
    private static let firebaseScrypt = PasswordFunction(
        name: "firebase-scrypt", parameters: scryptParameters, saltByteCounts: 1...256, digestByteCounts: 16...128,
        signerKeyByteCounts: 16...128,
        excess: { input in
            input.signerKey.count == input.digestByteCount
                ? scryptExcess(input) : "its signer key is not as long as its digest"
        },
        compute: { (password, input) throws(CryptoError) in
            var derived = try Scrypt.deriveKey(
                password: password, salt: input.salt, log2Cost: input[0], blockSize: input[1], parallelism: input[2],
                outputByteCount: 32)
            defer { wipe(&derived) }
            return try AES.CTR.encrypt(input.signerKey, using: SymmetricKey(data: derived))
        })

    /// - Parameter digest: The length of one block of output, which longer digests are cut to.
    private static func pbkdf2(
        _ name: String, _ hash: PBKDF2.Hash, digest: Int, iterations: Int
    ) -> PasswordFunction {
        PasswordFunction(
            name: "pbkdf2-\(name)", parameters: [.init(name: "i", range: 1...iterations)], saltByteCounts: 0...256,
            digestByteCounts: 10...digest,
            compute: { (password, input) throws(CryptoError) in
                let key = try PBKDF2.deriveKey(
                    password: SymmetricKey(data: password), salt: input.salt, iterations: input[0], hash: hash,
                    outputByteCount: input.digestByteCount)
                return key.withUnsafeBytes { Array($0) }
            })
    }

    /// `{SSHA}` and its kin of LDAP: the digest of the password and then the salt.
    private static let saltedDigests: [PasswordFunction] = [
        salted("ssha1", Insecure.SHA1.self), salted("ssha256", SHA256.self), salted("ssha512", SHA512.self),
    ]

    private static func salted<Hash: HashFunction>(_ name: String, _: Hash.Type) -> PasswordFunction {
        let count = Hash().finalize().map { $0 }.count
        return PasswordFunction(
            name: name, parameters: [], saltByteCounts: 0...64, digestByteCounts: count...count,
            compute: { (password, input) throws(CryptoError) in Array(Hash.hash(data: password + input.salt)) })
    }
}
