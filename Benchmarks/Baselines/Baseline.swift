// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Figures that were written down before, one `name value` on each line.
package struct Baseline {
    private var values: [String: Double] = [:]

    /// Reads a file; without one there is nothing to compare with.
    package init(_ path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            if words.count == 2 { values[String(words[0])] = Double(words[1]) }
        }
    }

    /// The figure of a name.
    package subscript(name: String) -> Double? { values[name] }
}
