// SPDX-License-Identifier: Apache-2.0

extension String {
    /// A code as it was meant: without the blanks, dashes and invisible characters that people, keyboards and password apps put into
    /// it, and with ASCII digits for those of other scripts.
    var typedCode: String {
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
