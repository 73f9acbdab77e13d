// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

extension String {
    /// The text in Normalization Form C (Unicode Standard Annex 15).
    var normalizedNFC: String { precomposedStringWithCanonicalMapping }
}
#endif
