// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchCrypto

/// A recovery code for a lost authenticator app: 80 random bits, stored as a digest and valid for one use.
package struct RecoveryCode: Sendable, Hashable {
    /// The text: four groups of four letters of base 32, in lower case.
    package let text: String

    /// The number of codes of an account.
    package static let count = 10

    /// Creates a random code.
    package init(_ random: RandomSource) {
        let letters = Array(Base32.encode(random.bytes(10)).lowercased().utf8)
        text = stride(from: 0, to: letters.count, by: 4)
            .map { String(decoding: letters[$0..<min($0 + 4, letters.count)], as: UTF8.self) }.joined(separator: "-")
    }

    /// Parses a typed code, ignoring case, spaces and dashes; nil if it is malformed.
    package init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let plain = typed.lowercased().typedCode
        guard plain.utf8.count == 16,
            plain.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) })
        else { return nil }
        text = plain
    }

    /// Returns the digest that the store keeps.
    ///
    /// SHA-256 is enough for 80 random bits. It uses no pepper, so that recovery codes still work if the pepper is
    /// lost, and the TOTP secrets with it.
    package func digest(for accountID: String) -> [UInt8] {
        let plain = String(text.unicodeScalars.filter { $0 != "-" })
        return Array(SHA256.hash(data: Array("latch recovery code\u{0}\(accountID)\u{0}\(plain)".utf8)))
    }
}

extension RecoveryCode: Redacting {}
