// SPDX-License-Identifier: Apache-2.0

/// A regular expression in RE2's syntax, whose cost is at most the length of the text times the size of the pattern.
///
/// It simulates all paths through the pattern at the same time (Thompson's construction) and never backtracks, so no
/// text makes it slow.
package struct Pattern: Sendable {
    private let program: PatternProgram

    /// Parses a pattern.
    package init(_ text: String) throws(PatternError) {
        program = try PatternProgram(PatternParser.parse(text))
    }

    /// Whether the pattern matches anywhere in a text.
    package func matches(_ text: some StringProtocol) -> Bool {
        var run = Run(program.instructions)
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if run.begin(between: before, and: scalar) { return true }
            run.take(scalar)
            before = scalar
        }
        return run.begin(between: before, and: nil)
    }

    /// The active instructions of the machine, and the next ones.
    private struct Run {
        let instructions: [PatternProgram.Instruction]
        var active: [Int] = []
        var following: [Int] = []
        /// The round in which each instruction was last reached, so that it is followed only once per round.
        var marks: [Int]
        var round = 0
        var stack: [Int] = []

        init(_ instructions: [PatternProgram.Instruction]) {
            self.instructions = instructions
            marks = Array(repeating: 0, count: instructions.count)
        }

        /// Follows the instructions up to those that consume a character; returns whether a match is complete.
        mutating func begin(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
            round += 1
            active.removeAll(keepingCapacity: true)
            // A match may begin at every character.
            following.append(0)
            for start in following {
                stack.append(start)
                while let index = stack.popLast() {
                    guard marks[index] != round else { continue }
                    marks[index] = round
                    switch instructions[index] {
                    case .character: active.append(index)
                    case .jump(let target): stack.append(target)
                    case .split(let one, let other):
                        stack.append(one)
                        stack.append(other)
                    case .assertion(let assertion):
                        if assertion.holds(between: before, and: after) { stack.append(index + 1) }
                    case .match: return true
                    }
                }
            }
            following.removeAll(keepingCapacity: true)
            return false
        }

        mutating func take(_ scalar: Unicode.Scalar) {
            for index in active {
                if case .character(let set) = instructions[index], set.contains(scalar) { following.append(index + 1) }
            }
        }
    }
}

/// A syntax error in a pattern.
package struct PatternError: Error, Hashable, CustomStringConvertible {
    /// A description of the error.
    package let reason: String
    /// The offset of the error in Unicode scalars.
    package let offset: Int

    /// The reason and the position.
    package var description: String { "\(reason) (character \(offset + 1))" }
}
