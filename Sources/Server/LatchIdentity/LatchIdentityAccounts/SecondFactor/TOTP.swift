// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
package import LatchFoundation

/// Time-based one-time passwords (RFC 6238), with the parameters that every authenticator app supports.
package enum TOTP {
    /// The time step in seconds, as RFC 6238 §5.2 recommends.
    static let period: Int64 = 30
    /// The number of digits.
    ///
    /// RFC 4226 §5.3 requires at least six.
    package static let digits = 6
    /// The length of a secret in bytes.
    ///
    /// RFC 4226 §4, R6 recommends 160 bits.
    static let secretByteCount = 20
    /// The number of accepted steps on each side.
    ///
    /// RFC 6238 §5.2 recommends at most one.
    package static let skew: Int64 = 1

    /// Returns the number of the time step of a date, counted from 1970.
    package static func step(of date: Date) -> Int64 {
        let seconds = min(max(date.timeIntervalSince1970, 0), 1e15).rounded(.down)
        return (Int64(exactly: seconds) ?? 0) / period
    }

    /// Returns the code of a time step (RFC 4226 §5.3).
    package static func code(_ secret: [UInt8], at step: Int64, digits: Int = digits) -> String {
        let message = (0..<8).reversed().map { UInt8(truncatingIfNeeded: step >> (8 * Int64($0))) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
        // RFC 4226 §5.3: dynamic truncation. The offset is at most 15, and 15 + 3 is still within 20 bytes.
        let offset = Int((mac.last ?? 0) & 0x0F)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt64(1)) { product, _ in product * 10 }
        let text = String(UInt64(number) % modulus)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }

    /// Returns the time step around `now` that has this code; nil if there is none.
    ///
    /// It compares the code with every step, each in constant time.
    package static func matchingStep(_ code: String, _ secret: [UInt8], at now: Date) -> Int64? {
        let typed = Array(code.utf8)
        var found: Int64?
        for step in (step(of: now) - skew)...(step(of: now) + skew) where step >= 0 {
            if constantTimeEquals(typed, Array(Self.code(secret, at: step).utf8)) { found = step }
        }
        return found
    }
}
