// SPDX-License-Identifier: Apache-2.0

/// The known differences from protoc 36.2; all others are failures.
enum KnownDifferences {
    /// Returns the reason for a known difference; nil for an unknown one.
    static func excuse(for comparison: MutantBatch.Comparison) -> String? {
        let said = comparison.theirs.text
        if comparison.theirs.set != nil, comparison.ours.set != nil {
            // A description is text: bytes in comments that are no UTF-8 become U+FFFD, protoc keeps them.
            let isRepaired = comparison.ours.set?.firstRange(of: [0xEF, 0xBF, 0xBD]) != nil
            return isRepaired ? "bytes that are no UTF-8 in a comment" : nil
        }
        // protoc keeps such bytes in defaults and JSON names, which are texts for us.
        if comparison.theirs.set != nil, isRaw(comparison.ours.text) {
            return "bytes that are no UTF-8 in a default or a JSON name"
        }
        guard comparison.theirs.set == nil, comparison.ours.set == nil else { return nil }
        // protoc has no position for what a map made, for ranges, and for what it checks at the end; we always have one.
        let lacksPosition = said.split(separator: "\n").contains { line in
            line.hasPrefix("m") && !line.contains(": warning") && !hasPosition(line)
        }
        return lacksPosition && comparison.theirs.positions.isSubset(of: comparison.ours.positions)
            ? "no position in protoc" : nil
    }

    private static func isRaw(_ said: String) -> Bool {
        let errors = said.split(separator: "\n").filter { $0.contains(": error") }
        return !errors.isEmpty && errors.allSatisfy { $0.hasSuffix("is not UTF-8") || $0.hasSuffix("must be UTF-8") }
    }

    private static func hasPosition(_ line: Substring) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 3)
        return parts.count == 4 && Int(parts[1]) != nil && Int(parts[2]) != nil
    }
}
