// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto

/// The digits of crypt(5), six bits each; bcrypt and phpass order the same characters in other ways.
enum CryptAlphabet {
    static let digits = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    static func contains(_ text: [UInt8]) -> Bool { text.allSatisfy(digits.contains) }

    /// The value of a digit; nil for a foreign character.
    static func value(of digit: UInt8) -> Int? { digits.firstIndex(of: digit) }

    /// The digit of the lowest six bits.
    static func digit(_ value: Int) -> UInt8 { digits[value & 63] }

    /// Encodes bytes in groups of three, the first byte lowest.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 3).flatMap { start in
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reversed().reduce(0) { $0 << 8 | Int($1) }
            return (0...group.count).map { digit(bits >> (6 * $0)) }
        }
    }

    /// Returns a random salt that each function accepts.
    ///
    /// yescrypt decodes its salt and rejects excess bits, which are in the last digit.
    static func salt(_ count: Int) -> [UInt8] {
        SecureRandom.bytes(max(count - 1, 0)).map { digit(Int($0)) } + (count > 0 ? [digit(0)] : [])
    }
}

extension PasswordFunction {
    /// The longest password for SHA-crypt and MD5-crypt, whose time grows with it.
    private static let longestCryptPassword = 256
    /// bcrypt ignores the rest of a password.
    private static let longestBcryptPassword = 72

    static let bcrypts: [PasswordFunction] = [
        bcrypt("bcrypt", reading: longestBcryptPassword) { Array($0.prefix(longestBcryptPassword)) },
        // Django's BCryptSHA256PasswordHasher.
        bcrypt("bcrypt-sha256") { HashText.hexadecimal(Array(SHA256.hash(data: $0))) },
        // wp_hash_password of WordPress 6.8.
        bcrypt("bcrypt-wordpress") { password in
            let key = SymmetricKey(data: Array("wp-sha384".utf8))
            let code = HMAC<SHA384>.authenticationCode(for: password, using: key)
            return Base64Alphabet.standard.encode(Array(code))
        },
    ]

    /// - Parameter prepare: Returns what bcrypt hashes instead of the password.
    private static func bcrypt(
        _ name: String, reading readByteCount: Int = .max, _ prepare: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> PasswordFunction {
        PasswordFunction(
            name: name, parameters: [.init(name: "cost", range: 4...14)], saltByteCounts: 22...22,
            digestByteCounts: 31...31, hasCryptSalt: true, readByteCount: readByteCount,
            compute: { (password, input) throws(CryptoError) in
                // $2a$ and $2y$ are the same function: the letters tell of mended errors (crypt(5)).
                let cost = input[0] < 10 ? "0\(input[0])" : "\(input[0])"
                return try crypt(prepare(password), "$2b$\(cost)$", input, after: "")
            })
    }

    /// The other functions of crypt(5).
    static let crypts: [PasswordFunction] = [
        PasswordFunction(
            name: "sha256-crypt", parameters: [shaRounds], saltByteCounts: 0...16, digestByteCounts: 43...43,
            hasCryptSalt: true,
            compute: { (password, input) throws(CryptoError) in
                try crypt(bounded(password), "$5$rounds=\(input[0])$", input)
            }),
        PasswordFunction(
            name: "sha512-crypt", parameters: [shaRounds], saltByteCounts: 0...16, digestByteCounts: 86...86,
            hasCryptSalt: true,
            compute: { (password, input) throws(CryptoError) in
                try crypt(bounded(password), "$6$rounds=\(input[0])$", input)
            }),
        PasswordFunction(
            name: "md5-crypt", parameters: [], saltByteCounts: 0...8, digestByteCounts: 22...22, hasCryptSalt: true,
            compute: { (password, input) throws(CryptoError) in try crypt(bounded(password), "$1$", input) }),
        PasswordFunction(
            name: "yescrypt", parameters: [.init(name: "ln", range: 2...20), .init(name: "r", range: 1...48)],
            saltByteCounts: 1...86, digestByteCounts: 43...43, hasCryptSalt: true,
            excess: { input in
                if !isBytes(input.salt) { return "its salt is not the encoding of whole bytes" }
                return input[1] << input[0] > 1 << 21 ? "it takes more than 256 MiB of memory" : nil
            },
            compute: { (password, input) throws(CryptoError) in
                let cost = [CryptAlphabet.digit(input[0] - 1), CryptAlphabet.digit(input[1] - 1)]
                return try crypt(
                    bounded(password), "$y$j\(String(decoding: cost, as: UTF8.self))$", input)
            }),
    ]

    private static let shaRounds = Parameter(name: "rounds", range: 1_000...700_000)

    /// phpass: MD5 of salt and password, and then again of the result and the password.
    static let phpass = PasswordFunction(
        name: "phpass", parameters: [.init(name: "log2", range: 7...19)], saltByteCounts: 8...8,
        digestByteCounts: 22...22, hasCryptSalt: true,
        compute: { (password, input) throws(CryptoError) in
            var digest = Array(Insecure.MD5.hash(data: input.salt + password))
            for _ in 0..<(1 << input[0]) {
                var hash = Insecure.MD5()
                hash.update(data: digest)
                hash.update(data: password)
                digest = Array(hash.finalize())
            }
            return CryptAlphabet.encode(digest)
        })

    /// Returns nil for a password that is too long.
    private static func bounded(_ password: [UInt8]) -> [UInt8]? {
        password.count > longestCryptPassword ? nil : password
    }

    /// Computes a function of crypt(5), and returns the digest without its setting; empty without a password.
    private static func crypt(
        _ password: [UInt8]?, _ prefix: String, _ input: Input, after separator: String = "$"
    ) throws(CryptoError) -> [UInt8] {
        guard var password else { return [] }
        defer { wipe(&password) }
        let setting = prefix + String(decoding: input.salt, as: UTF8.self) + separator
        let text = try CryptFunction.text(password: password, setting: setting)
        return Array(text.suffix(input.digestByteCount))
    }

    /// Whether yescrypt can decode a salt: each four digits are three bytes, and the last digit has no excess bits.
    private static func isBytes(_ salt: [UInt8]) -> Bool {
        let rest = salt.count % 4
        guard rest != 1 else { return false }
        guard rest != 0, let last = salt.last, let value = CryptAlphabet.value(of: last) else { return true }
        return rest == 2 ? value < 4 : value < 16
    }
}
