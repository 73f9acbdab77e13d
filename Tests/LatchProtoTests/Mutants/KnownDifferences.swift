// SPDX-License-Identifier: Apache-2.0

/// Where we are known not to do what protoc 36.2 does; everything else is a difference.
enum KnownDifferences {
    /// Why the two differ about a file; nil where nothing excuses it.
    static func excuse(for verdict: MutantBatch.Verdict) -> String? {
        let said = verdict.theirs.text
        if verdict.theirs.set != nil, verdict.ours.set != nil {
            // A description is text: bytes in comments and defaults that are no UTF-8 become U+FFFD, protoc keeps them.
            let isRepaired = verdict.ours.set?.firstRange(of: [0xEF, 0xBF, 0xBD]) != nil
            return isRepaired ? "bytes that are no UTF-8 in a comment or a default" : nil
        }
        guard verdict.theirs.set == nil, verdict.ours.set == nil else { return nil }
        // protoc has no place for what a map made, for ranges, and for what it checks at the end; we always have one.
        let isUnplaced = said.split(separator: "\n").contains { line in
            line.hasPrefix("m") && !line.contains(": warning") && !isPlaced(line)
        }
        return isUnplaced && verdict.theirs.places.isSubset(of: verdict.ours.places) ? "no place in protoc" : nil
    }

    private static func isPlaced(_ line: Substring) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 3)
        return parts.count == 4 && Int(parts[1]) != nil && Int(parts[2]) != nil
    }
}
