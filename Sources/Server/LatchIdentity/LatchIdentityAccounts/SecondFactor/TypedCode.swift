// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The intended code, without the blanks, dashes and invisible characters that users, keyboards and password apps
    /// insert.
    ///
    /// Digits of other scripts become ASCII digits.
    package var typedCode: String {
        String(
            UnicodeScalarView(
                unicodeScalars.compactMap { scalar in
                    let properties = scalar.properties
                    if properties.isWhitespace || scalar == "\u{2212}" { return nil }
                    switch properties.generalCategory {
                    case .dashPunctuation, .format: return nil
                    case .decimalNumber:
                        guard let value = properties.numericValue else { return scalar }
                        return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
                    default: return scalar
                    }
                }))
    }
}
