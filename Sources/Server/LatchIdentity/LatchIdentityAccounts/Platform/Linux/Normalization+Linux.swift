// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// FoundationEssentials has no normalization. The standard library normalizes texts to compare them, but only as SPI.
@_spi(_Unicode) import Swift

extension String {
    /// The text in Normalization Form C (Unicode Standard Annex 15).
    var normalizedNFC: String {
        var scalars = UnicodeScalarView()
        for scalar in _nfc { scalars.append(scalar) }
        return String(scalars)
    }
}
#endif
