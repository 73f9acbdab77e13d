// SPDX-License-Identifier: Apache-2.0

/// Returns the byte in lower case if it is an ASCII letter.
@inlinable package func asciiLowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

/// Returns eight bytes with their ASCII letters in lower case.
@inlinable package func asciiLowercased(_ word: UInt64) -> UInt64 {
    // The sums have the high bit of each byte from A on, and of each after Z. The high bits are cleared first, so that
    // no sum carries into the next byte. `~word` leaves out bytes that are not ASCII.
    let low = word & 0x7F7F_7F7F_7F7F_7F7F
    let letters = (low &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(low &+ 0x2525_2525_2525_2525) & ~word & 0x8080_8080_8080_8080
    return word | letters >> 2
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Changes the ASCII letters to lower case.
    @inlinable package func lowercaseASCII() {
        let bytes = UnsafeMutableRawBufferPointer(self)
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: asciiLowercased(word), toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] = asciiLowercased(bytes[index])
            index += 1
        }
    }
}

extension Collection<UInt8> {
    /// The bytes after a byte order mark of UTF-8, which does not belong to a text (Unicode 16, §23.8).
    package var withoutByteOrderMark: SubSequence { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}

extension StringProtocol {
    /// Returns the text with its ASCII letters in lower case, as protocols compare names.
    ///
    /// `lowercased()` would also fold other letters, such as the Kelvin sign (U+212A) into `k`. Two programs could then
    /// disagree about a name.
    @inlinable package func lowercasedASCII() -> String { String(decoding: utf8.map(asciiLowercased), as: UTF8.self) }
}
