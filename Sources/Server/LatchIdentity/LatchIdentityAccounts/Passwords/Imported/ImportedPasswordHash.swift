// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto

/// A password hash that another system has made, which is verified until its owner first signs in.
///
/// The hash is parsed and checked when an account is imported. ``stored`` is what the account's row gets. Verifying
/// blocks for as long as the hash requires, at most about two seconds. The description is redacted, since a hash can
/// be attacked offline.
package struct ImportedPasswordHash: Sendable {
    /// The name of the format, one word for reports.
    package let format: String
    /// The text for the column of the account.
    ///
    /// An argon2id hash within the bounds of ``PasswordHash`` stays as it is. Others become
    /// `$imported$v=1$FUNCTION,PARAMETERS$SALT$DIGEST`, whose fourth field is the cost, as in a PHC string. So the
    /// store counts the costs of all hashes by one expression (``PasswordCosts``).
    package let stored: String
    private let function: PasswordFunction
    private let input: PasswordFunction.Input
    private let digest: [UInt8]

    /// The beginning of a stored text, as long as `$argon2id$`, which SQLite's triggers skip.
    private static let prefix = "$imported$v=1$"
    /// A length that no hash within the bounds reaches.
    private static let longestText = 2_048

    /// Parses a hash as its system has written it.
    ///
    /// - Throws: ``ImportedHashError``, whose text contains nothing of the hash.
    package init(parsing text: String) throws(ImportedHashError) {
        guard text.utf8.count <= Self.longestText, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let format = HashFormat.of(Substring(text))
        else { throw .unknownFormat }
        let content = try format.parse(Substring(text))
        guard let function = PasswordFunction.named(content.function) else { throw .unknownFormat }
        let input = PasswordFunction.Input(
            numbers: content.numbers, salt: content.salt, digestByteCount: content.digest.count,
            signerKey: content.signerKey)
        if let violation = function.violation(input) { throw .outOfBounds(format.name, violation) }
        self.init(format: format.name, function, input, content.digest)
    }

    /// Whether the function reads a password to its end.
    func readsAll(of password: String) -> Bool { password.utf8.count <= function.readByteCount }

    /// Whether an account can be imported with a hash, as another system or another server has written it.
    package static func canImport(_ text: String) -> Bool {
        if ImportedPasswordHash(stored: text) != nil { return true }
        do throws(ImportedHashError) { _ = try ImportedPasswordHash(parsing: text) } catch { return false }
        return true
    }

    /// Parses a stored text; nil if it is malformed or exceeds the bounds.
    ///
    /// The format is the name of the function, since the store does not keep the former text.
    package init?(stored text: String) {
        guard Substring(text).begins(with: Self.prefix), text.utf8.count <= 2 * Self.longestText else { return nil }
        let fields = Substring(text.utf8.dropFirst(Self.prefix.utf8.count)).split(at: "$")
        let secrets = fields.dropFirst().map { Base64Alphabet.standard.decode($0.utf8) }
        guard secrets.count == 3, let salt = secrets[0], let digest = secrets[1], let signerKey = secrets[2],
            let (function, numbers) = Self.parse(fields[0])
        else { return nil }
        let input = PasswordFunction.Input(
            numbers: numbers, salt: salt, digestByteCount: digest.count, signerKey: signerKey)
        guard function.violation(input) == nil, Self.cost(function, input) == fields[0] else { return nil }
        self.init(format: function.name, function, input, digest)
    }

    /// Creates a random hash with the cost of a stored hash, for a name without an account; nil for another cost.
    ///
    /// - Parameter cost: The fourth field of a stored text: the function, its numbers and the lengths.
    package init?(decoyFor cost: String) {
        guard let (function, numbers) = Self.parse(Substring(cost)) else { return nil }
        let lengths = Self.pairs(Substring(cost)).suffix(3).map(\.value)
        guard lengths.count == 3, lengths.allSatisfy({ $0 <= Self.longestText }) else { return nil }
        let salt = function.hasCryptSalt ? CryptAlphabet.salt(lengths[0]) : SecureRandom.bytes(lengths[0])
        let input = PasswordFunction.Input(
            numbers: numbers, salt: salt, digestByteCount: lengths[1], signerKey: SecureRandom.bytes(lengths[2]))
        guard function.violation(input) == nil, Self.cost(function, input) == cost else { return nil }
        self.init(format: function.name, function, input, SecureRandom.bytes(lengths[1]))
    }

    private init(
        format: String, _ function: PasswordFunction, _ input: PasswordFunction.Input, _ digest: [UInt8]
    ) {
        self.format = format
        self.function = function
        self.input = input
        self.digest = digest
        stored = Self.native(function, input, digest) ?? Self.text(function, input, digest)
    }

    /// Whether the hash belongs to a password; one with a zero byte belongs to none.
    ///
    /// A zero byte ends a password in crypt(3), and those at its end make no difference to HMAC, which pads its keys
    /// (RFC 2104 §2). So they would let other passwords in.
    ///
    /// - Throws: `CryptoError.engineFailure` when memory runs out, and `.unavailable` on Apple's platforms.
    package func verifies(_ password: some StringProtocol) throws(CryptoError) -> Bool {
        var bytes = Array(password.utf8)
        defer { wipe(&bytes) }
        guard !bytes.contains(0) else { return false }
        return constantTimeEquals(try function.compute(bytes, input), digest)
    }

    /// The PHC string of argon2id, if this server's own hashes have such parameters.
    private static func native(
        _ function: PasswordFunction, _ input: PasswordFunction.Input, _ digest: [UInt8]
    ) -> String? {
        guard function.name == Argon2Variant.id.rawValue, input[0] == 19 else { return nil }
        let text = "$argon2id$v=19$m=\(input[1]),t=\(input[2]),p=\(input[3])$\(encode(input.salt))$\(encode(digest))"
        return (try? PasswordHash(parsing: text)) == nil ? nil : text
    }

    private static func text(
        _ function: PasswordFunction, _ input: PasswordFunction.Input, _ digest: [UInt8]
    ) -> String {
        prefix
            + [cost(function, input), encode(input.salt), encode(digest), encode(input.signerKey)]
            .joined(separator: "$")
    }

    /// The function, its numbers, and the lengths of salt, digest and signer key: `scrypt,ln=14,r=8,p=1,s=16,d=64,k=0`.
    private static func cost(_ function: PasswordFunction, _ input: PasswordFunction.Input) -> String {
        let numbers = zip(function.parameters, input.numbers).map { "\($0.name)=\($1)" }
        let lengths = ["s=\(input.salt.count)", "d=\(input.digestByteCount)", "k=\(input.signerKey.count)"]
        return ([function.name] + numbers + lengths).joined(separator: ",")
    }

    private static func parse(_ cost: Substring) -> (PasswordFunction, numbers: [Int])? {
        guard let name = cost.split(at: ",").first, let function = PasswordFunction.named(name) else {
            return nil
        }
        return (function, pairs(cost).dropLast(3).map(\.value))
    }

    /// The numbers of a cost with their names; what is not a number is left out, and the cost then differs.
    private static func pairs(_ cost: Substring) -> [(name: Substring, value: Int)] {
        cost.split(at: ",").dropFirst().compactMap { pair in
            let parts = pair.split(at: "=")
            guard parts.count == 2, parts[1].utf8.count < 10, let value = Int(parts[1]), value >= 0 else { return nil }
            return (parts[0], value)
        }
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: Base64Alphabet.standard.encode(bytes), as: UTF8.self)
    }
}

extension ImportedPasswordHash: CustomStringConvertible, CustomReflectable {
    /// The format and the function; salt and digest are redacted.
    package var description: String { "ImportedPasswordHash(\(format), \(function.name), redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the hash.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
