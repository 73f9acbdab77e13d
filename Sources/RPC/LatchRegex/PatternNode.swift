// SPDX-License-Identifier: Apache-2.0

/// A part of a pattern.
indirect enum PatternNode: Sendable {
    case empty
    /// One character of a class.
    case one(PatternClass)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// Between a least and a greatest number of times; nil is any number.
    case times(PatternNode, least: Int, greatest: Int?)
}

/// What holds between two characters.
enum PatternAssertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    func holds(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
        switch self {
        case .textStart: before == nil
        case .textEnd: after == nil
        case .lineStart: before == nil || before == "\n"
        case .lineEnd: after == nil || after == "\n"
        case .wordBoundary: (before?.isPatternWord ?? false) != (after?.isPatternWord ?? false)
        case .noWordBoundary: (before?.isPatternWord ?? false) == (after?.isPatternWord ?? false)
        }
    }
}

/// A set of characters.
struct PatternClass: Sendable {
    /// A part of the set.
    indirect enum Part: Sendable {
        case range(ClosedRange<UInt32>)
        case categories(Set<Unicode.GeneralCategory>)
        case except(PatternClass)
    }

    var parts: [Part] = []
    var isNegated = false
    var ignoresCase = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        if has(scalar) { return !isNegated }
        if ignoresCase, let other = scalar.otherCase, has(other) { return !isNegated }
        return isNegated
    }

    private func has(_ scalar: Unicode.Scalar) -> Bool {
        parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar.value)
            case .categories(let categories): categories.contains(scalar.properties.generalCategory)
            case .except(let inner): !inner.contains(scalar)
            }
        }
    }

    static func scalar(_ scalar: Unicode.Scalar) -> PatternClass {
        PatternClass(parts: [.range(scalar.value...scalar.value)])
    }

    static func ranges(_ ranges: ClosedRange<Unicode.Scalar>...) -> PatternClass {
        PatternClass(parts: ranges.map { .range($0.lowerBound.value...$0.upperBound.value) })
    }
}

extension Unicode.Scalar {
    var isPatternWord: Bool {
        switch self {
        case "0"..."9", "A"..."Z", "a"..."z", "_": true
        default: false
        }
    }

    /// The character in the other case, where that is one character.
    fileprivate var otherCase: Unicode.Scalar? {
        let (lower, upper) = (properties.lowercaseMapping.unicodeScalars, properties.uppercaseMapping.unicodeScalars)
        if let one = lower.first, lower.count == 1, one != self { return one }
        if let one = upper.first, upper.count == 1, one != self { return one }
        return nil
    }
}
