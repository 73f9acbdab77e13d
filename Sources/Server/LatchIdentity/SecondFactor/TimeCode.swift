// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCrypto

/// Codes of six digits by the time of day (RFC 6238), with the parameters that every authenticator app knows.
enum TimeCode {
    /// In seconds; RFC 6238 §5.2 recommends it.
    static let step: Int64 = 30
    /// How many digits a code has; RFC 4226 §5.3 asks for six at least.
    static let digits = 6
    /// RFC 4226 §4, R6 recommends 160 bits.
    static let secretByteCount = 20
    /// One step on each side: RFC 6238 §5.2 recommends at most that for a clock that is off or a code that was late.
    static let skew: Int64 = 1

    /// The number of the step that a moment lies in; the first began in 1970.
    static func step(of moment: Date) -> Int64 {
        let seconds = min(max(moment.timeIntervalSince1970, 0), 1e15).rounded(.down)
        return (Int64(exactly: seconds) ?? 0) / step
    }

    /// The code of one step (RFC 4226 §5.3).
    static func code(_ secret: [UInt8], at step: Int64, digits: Int = digits) -> String {
        let message = (0..<8).reversed().map { UInt8(truncatingIfNeeded: step >> (8 * Int64($0))) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
        // The low four bits of the last byte say where the four bytes of the code begin; 15 + 3 is still inside of 20.
        let offset = Int((mac.last ?? 0) & 0x0F)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt64(1)) { product, _ in product * 10 }
        let text = String(UInt64(number) % modulus)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }

    /// The step around `now` whose code this is; nil where it is none of them.
    ///
    /// All of them are looked at, each in constant time, whichever it is.
    static func matchingStep(_ code: String, _ secret: [UInt8], at now: Date) -> Int64? {
        let typed = Array(code.utf8)
        var found: Int64?
        for step in (step(of: now) - skew)...(step(of: now) + skew) where step >= 0 {
            if constantTimeEquals(typed, Array(Self.code(secret, at: step).utf8)) { found = step }
        }
        return found
    }
}
