// SPDX-License-Identifier: Apache-2.0

/// A pattern as steps of a machine that is in several places at once.
struct PatternProgram: Sendable {
    enum Step: Sendable {
        case one(PatternClass)
        case assertion(PatternAssertion)
        case split(Int, Int)
        case jump(Int)
        case found
    }

    private(set) var steps: [Step] = []

    /// How many steps a pattern may have: what a text costs grows with them.
    static let limit = 20_000

    init(_ node: PatternNode) throws(PatternError) {
        try append(node)
        steps.append(.found)
    }

    private mutating func append(_ node: PatternNode) throws(PatternError) {
        guard steps.count < Self.limit else {
            throw PatternError(reason: "the pattern is too large", offset: 0)
        }
        switch node {
        case .empty: break
        case .one(let set): steps.append(.one(set))
        case .assertion(let assertion): steps.append(.assertion(assertion))
        case .sequence(let parts): for part in parts { try append(part) }
        case .choice(let options): try append(options[...])
        case .times(let inner, let least, let greatest):
            for _ in 0..<least {
                let before = steps.count
                try append(inner)
                // Nothing, a million times, is nothing.
                if steps.count == before { break }
            }
            if let greatest {
                try append(inner, upTo: greatest - least)
            } else {
                let start = steps.count
                steps.append(.split(start + 1, start + 1))
                try append(inner)
                steps.append(.jump(start))
                steps[start] = .split(start + 1, steps.count)
            }
        }
    }

    private mutating func append(_ options: ArraySlice<PatternNode>) throws(PatternError) {
        var ends: [Int] = []
        for (offset, option) in options.enumerated() {
            let start = steps.count
            let isLast = offset == options.count - 1
            if !isLast { steps.append(.split(start + 1, start + 1)) }
            try append(option)
            guard !isLast else { continue }
            ends.append(steps.count)
            steps.append(.jump(0))
            steps[start] = .split(start + 1, steps.count)
        }
        for end in ends { steps[end] = .jump(steps.count) }
    }

    private mutating func append(_ inner: PatternNode, upTo count: Int) throws(PatternError) {
        var starts: [Int] = []
        for _ in 0..<count {
            starts.append(steps.count)
            steps.append(.split(0, 0))
            try append(inner)
        }
        for start in starts { steps[start] = .split(start + 1, steps.count) }
    }
}
