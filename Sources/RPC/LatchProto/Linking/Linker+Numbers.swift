// SPDX-License-Identifier: Apache-2.0

// Numbers and names that may not be used.

extension Linker {
    func checkNumbers(of message: MessageDescriptor) {
        let extensionRanges = message.extensionRanges.map(\.numbers)
        checkOverlaps(of: message.reservedRanges, "reserved ranges have")
        let names = checkRepetition(of: message.reservedNames, at: message.place)
        let (extensions, reserved) = (RangeIndex(extensionRanges), RangeIndex(message.reservedRanges))
        for field in message.fields {
            extensions.each(with: field.number) {
                fail("the number of '\(field.name)' is one of extensions", at: $0.place)
            }
            reserved.each(with: field.number) {
                fail("'\(field.name)' has the reserved number \(field.number)", at: $0.place)
            }
            if names.contains(field.name) { fail("'\(field.name)' is a reserved name", at: field.places.name) }
        }
        if RangeIndex(extensionRanges + message.reservedRanges).isDisjoint { return }
        for range in extensionRanges {
            for other in message.reservedRanges where range.overlaps(other) {
                fail("numbers of extensions are reserved as well", at: range.place)
            }
        }
        checkOverlaps(of: extensionRanges, "ranges of extensions have")
    }

    func checkNumbers(of one: EnumDescriptor) {
        checkOverlaps(of: one.reservedRanges, "reserved ranges have")
        let names = checkRepetition(of: one.reservedNames, at: one.place)
        let reserved = RangeIndex(one.reservedRanges)
        for value in one.values {
            reserved.each(with: value.number) {
                fail("'\(value.name)' has the reserved number \(value.number)", at: $0.place)
            }
            if names.contains(value.name) { fail("'\(value.name)' is a reserved name", at: value.place) }
        }
    }

    private func checkOverlaps(of ranges: [NumberRange], _ kind: String) {
        if RangeIndex(ranges).isDisjoint { return }
        for (index, range) in ranges.enumerated() {
            for other in ranges[(index + 1)...] where range.overlaps(other) {
                fail("two \(kind) numbers in common", at: range.place)
            }
        }
    }

    private func checkRepetition(of names: [ReservedName], at place: Place) -> Set<String> {
        var seen: Set<String> = []
        for reserved in names where !seen.insert(reserved.name).inserted {
            fail("the name '\(reserved.name)' is reserved twice", at: place)
        }
        return seen
    }
}

/// Finds the ranges that a number is in; quickly, where no two of them have numbers in common.
private struct RangeIndex {
    private let sorted: [NumberRange]
    let isDisjoint: Bool

    init(_ ranges: [NumberRange]) {
        sorted = ranges.sorted { $0.first < $1.first }
        isDisjoint =
            zip(sorted, sorted.dropFirst()).allSatisfy { $0.last < $1.first }
            && ranges.allSatisfy { $0.first <= $0.last }
    }

    func each(with number: Int32, _ body: (NumberRange) -> Void) {
        guard isDisjoint else { return sorted.filter { $0.holds(number) }.forEach(body) }
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].last < number { low = middle + 1 } else { high = middle }
        }
        if low < sorted.count, sorted[low].holds(number) { body(sorted[low]) }
    }
}

extension NumberRange {
    func holds(_ number: Int32) -> Bool { first <= number && number <= last }

    func overlaps(_ other: NumberRange) -> Bool { first <= other.last && other.first <= last }
}
