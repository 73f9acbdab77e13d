// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation

extension RandomSource {
    /// Returns a UUID of version 7 (RFC 9562 §5.7), so that new rows are the last ones and no ID can be guessed.
    package func newID(at now: Date) -> String {
        let time = UInt64(max(now.storedMilliseconds, 0))
        var bytes = [40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + self.bytes(10)
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.encode(bytes).utf8)
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }
}
