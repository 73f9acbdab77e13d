// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto

/// A code for the day on which the authenticator app is lost: 80 random bits, kept as a digest and good for one use.
struct RecoveryCode: Sendable, Hashable {
    /// As it is shown: four groups of four letters of base 32, in lower case.
    let text: String

    /// How many an account gets at once.
    static let count = 10

    /// A new one.
    init(_ random: RandomSource) {
        let letters = Array(Base32.encode(random.bytes(10)).lowercased())
        text = stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: "-")
    }

    /// What somebody typed, in any case and with any spaces and dashes; nil where it cannot be one.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let plain = typed.lowercased().filter { $0 != "-" && $0 != " " }
        guard plain.utf8.count == 16,
            plain.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) })
        else { return nil }
        text = plain
    }

    /// What the store keeps.
    ///
    /// SHA-256 is enough where a password needs argon2id: nobody tries 2^80 codes. No pepper goes in, so that these codes
    /// still work on the day on which the pepper was lost, and the secrets of the apps with it.
    func digest(for accountID: String) -> [UInt8] {
        let plain = text.filter { $0 != "-" }
        return Array(SHA256.hash(data: Array("latch recovery code\u{0}\(accountID)\u{0}\(plain)".utf8)))
    }
}

extension RecoveryCode: CustomStringConvertible, CustomReflectable {
    var description: String { "RecoveryCode(redacted)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
