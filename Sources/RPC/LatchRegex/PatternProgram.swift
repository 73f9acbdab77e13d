// SPDX-License-Identifier: Apache-2.0

/// A pattern compiled to the instructions of a nondeterministic machine.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        case character(PatternClass)
        case assertion(PatternAssertion)
        case split(Int, Int)
        case jump(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []

    /// The maximum number of instructions, because the cost of a match grows with it.
    static let limit = 20_000

    init(_ node: PatternNode) throws(PatternError) {
        try append(node)
        instructions.append(.match)
    }

    private mutating func append(_ node: PatternNode) throws(PatternError) {
        guard instructions.count < Self.limit else {
            throw PatternError(reason: "the pattern is too large", offset: 0)
        }
        switch node {
        case .empty: break
        case .one(let set): instructions.append(.character(set))
        case .assertion(let assertion): instructions.append(.assertion(assertion))
        case .sequence(let parts): for part in parts { try append(part) }
        case .choice(let options): try append(options[...])
        case .times(let inner, let least, let greatest):
            for _ in 0..<least {
                let before = instructions.count
                try append(inner)
                // A repetition of an empty pattern is empty.
                if instructions.count == before { break }
            }
            if let greatest {
                try append(inner, upTo: greatest - least)
            } else {
                let start = instructions.count
                instructions.append(.split(start + 1, start + 1))
                try append(inner)
                instructions.append(.jump(start))
                instructions[start] = .split(start + 1, instructions.count)
            }
        }
    }

    private mutating func append(_ options: ArraySlice<PatternNode>) throws(PatternError) {
        var ends: [Int] = []
        for (offset, option) in options.enumerated() {
            let start = instructions.count
            let isLast = offset == options.count - 1
            if !isLast { instructions.append(.split(start + 1, start + 1)) }
            try append(option)
            guard !isLast else { continue }
            ends.append(instructions.count)
            instructions.append(.jump(0))
            instructions[start] = .split(start + 1, instructions.count)
        }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    private mutating func append(_ inner: PatternNode, upTo count: Int) throws(PatternError) {
        var starts: [Int] = []
        for _ in 0..<count {
            starts.append(instructions.count)
            instructions.append(.split(0, 0))
            try append(inner)
        }
        for start in starts { instructions[start] = .split(start + 1, instructions.count) }
    }
}
