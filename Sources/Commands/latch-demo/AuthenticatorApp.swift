// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import PortableFoundation

/// An authenticator app: time-based one-time passwords of six digits (TOTP, RFC 6238).
struct AuthenticatorApp {
    private let secret: [UInt8]

    /// - Throws: `DemoFailure` if the text is not base 32 (RFC 4648 §6).
    init(secret text: String) throws(DemoFailure) {
        var (bits, count, bytes) = (UInt32(0), 0, [UInt8]())
        for letter in text.utf8 where letter != UInt8(ascii: "=") {
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bits = bits << 5 | UInt32(letter - UInt8(ascii: "A"))
            case UInt8(ascii: "2")...UInt8(ascii: "7"): bits = bits << 5 | UInt32(letter - UInt8(ascii: "2") + 26)
            default: throw DemoFailure("the secret of the second factor is not base 32")
            }
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        secret = bytes
    }

    /// Returns the code of the current time step, or of a later one.
    func code(stepsAhead: Int64 = 0) -> String {
        let step = Int64(Date.now.timeIntervalSince1970) / 30 + stepsAhead
        let message = (0..<8).reversed().map { UInt8(truncatingIfNeeded: step >> (8 * Int64($0))) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
        // RFC 4226 §5.3.
        let offset = Int((mac.last ?? 0) & 0x0F)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
