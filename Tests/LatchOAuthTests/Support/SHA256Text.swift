// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

/// Digests of texts as a configuration writes them.
enum SHA256Text {
    static func of(_ text: String) -> String {
        Array(SHA256.hash(data: Array(text.utf8))).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
