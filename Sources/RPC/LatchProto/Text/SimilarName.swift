// SPDX-License-Identifier: Apache-2.0

/// Finds the name that somebody may have meant.
enum SimilarName {
    /// The name from which a written one differs least, by one or two letters; nil where all differ more.
    static func nearest(to written: String, in names: [String]) -> String? {
        let bytes = Array(written.utf8)
        // Of short names nearly all are near each other.
        let limit = bytes.count < 3 ? 0 : bytes.count < 6 ? 1 : 2
        var best: (name: String, distance: Int)?
        for name in names where abs(name.utf8.count - bytes.count) <= limit {
            let distance = distance(bytes, Array(name.utf8))
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// How many letters must be put in, left out or exchanged (Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, letter) in other.enumerated() {
                let exchanged = diagonal + (byte == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(exchanged, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
