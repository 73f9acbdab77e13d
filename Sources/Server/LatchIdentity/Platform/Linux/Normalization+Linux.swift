// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// FoundationEssentials has no normalization. The one of the standard library, which compares texts, is not public there.
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
