// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
import LatchIdentityStorage

/// The code that a user types to sign in another device (RFC 8628 §6.1).
///
/// Eight of twenty letters: 2·10¹⁰ codes. Vowels are left out, since they form words, and digits, since they look like
/// letters.
package struct UserCode: Sendable, Hashable {
    /// The letters, without the dash.
    package let letters: String

    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    private static let count = 8

    /// Creates a random code, in which every letter is equally probable.
    package init(_ random: RandomSource) {
        var letters: [UInt8] = []
        while letters.count < Self.count {
            // 240 is the greatest multiple of twenty in a byte: higher bytes would favor some letters.
            letters += random.bytes(16).lazy.filter { $0 < 240 }.map { Self.alphabet[Int($0) % 20] }
        }
        self.letters = String(decoding: letters.prefix(Self.count), as: UTF8.self)
    }

    /// Parses a typed code.
    ///
    /// Case and characters other than letters and digits are ignored (RFC 8628 §6.1).
    package init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case 0x61...0x7A: byte - 0x20
            case 0x30...0x39, 0x41...0x5A: byte
            default: nil
            }
        }
        guard letters.count == Self.count, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.letters = String(decoding: letters, as: UTF8.self)
    }

    /// The code as it is shown: `WDJB-MJHT`.
    package var text: String {
        let bytes = Array(letters.utf8)
        return String(decoding: bytes.prefix(4) + [UInt8(ascii: "-")] + bytes.dropFirst(4), as: UTF8.self)
    }

    /// Returns the keyed digest for the store.
    ///
    /// A copy of the store does not yield the code.
    package func digest(_ pepper: SymmetricKey) -> [UInt8] {
        let key = pepper.derived(for: "latch user code")
        return Array(HMAC<SHA256>.authenticationCode(for: Array(letters.utf8), using: key))
    }
}

extension UserCode: Redacting {}
