// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// A preference of a request for values such as languages or media types (RFC 9110 §12.4.2).
///
/// A malformed element is left out, since a request must not fail because of it.
package struct Preferences: Sendable {
    /// The values in lower case with their weights in thousandths, in the order of the field.
    private let weights: [(value: Substring, weight: Int)]

    /// The maximum number of parsed elements; browsers send fewer than ten.
    private static let maximumCount = 32

    /// Parses a field such as Accept-Language or Accept.
    package init(_ field: String) {
        weights = field.lowercasedASCII().utf8.split(separator: UInt8(ascii: ","), maxSplits: Self.maximumCount)
            .prefix(Self.maximumCount).compactMap { element in
                let parts = element.split(separator: UInt8(ascii: ";")).map { Substring(trimmed($0)) }
                guard let value = parts.first, !value.isEmpty else { return nil }
                let weight = parts.dropFirst().first { $0.utf8.starts(with: "q=".utf8) }
                guard let weight else { return (value, 1000) }
                return Self.thousandths(Substring(weight.utf8.dropFirst(2))).map { (value, $0) }
            }
    }

    /// The values with a weight above zero, the preferred one first.
    package var accepted: [String] {
        weights.enumerated().filter { $0.element.weight > 0 }
            .sorted { ($0.element.weight, $1.offset) > ($1.element.weight, $0.offset) }.map { String($0.element.value) }
    }

    /// Returns the weight of a value in thousandths; nil if the field does not contain it.
    package func weight(of value: String) -> Int? { weights.first { $0.value.utf8.elementsEqual(value.utf8) }?.weight }

    /// Parses `0`, `0.5` or `1.000`; nil for any other text (RFC 9110 §12.4.2).
    private static func thousandths(_ text: Substring) -> Int? {
        let digits = text.utf8
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else { return nil }
        let fraction = digits.dropFirst(2)
        guard digits.count == 1 || digits.dropFirst().first == UInt8(ascii: "."), fraction.count <= 3,
            fraction.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        var value = Int(first - 0x30)
        for place in 0..<3 { value = value * 10 + Int(fraction.dropFirst(place).first.map { $0 - 0x30 } ?? 0) }
        return value <= 1000 ? value : nil
    }
}
