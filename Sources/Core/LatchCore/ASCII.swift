// SPDX-License-Identifier: Apache-2.0

/// Returns the byte in lower case if it is an ASCII letter.
@inlinable package func asciiLowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

extension StringProtocol {
    /// Returns the text with its ASCII letters in lower case, as protocols compare names.
    ///
    /// `lowercased()` would fold other letters into those, such as the Kelvin sign (U+212A) into `k`: a name that one program
    /// knows and the next does not.
    @inlinable package func lowercasedASCII() -> String { String(decoding: utf8.map(asciiLowercased), as: UTF8.self) }
}
