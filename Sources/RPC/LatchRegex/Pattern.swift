// SPDX-License-Identifier: Apache-2.0

/// A regular expression in the syntax of RE2, whose cost is bounded: at most the text's length times the pattern's.
///
/// It follows all ways through the pattern at once (Thompson's construction) and never goes back, so that no text makes
/// it slow, whoever sends it.
package struct Pattern: Sendable {
    private let program: PatternProgram

    /// Reads a pattern.
    package init(_ text: String) throws(PatternError) {
        program = try PatternProgram(PatternParser.parse(text))
    }

    /// Whether the pattern is found anywhere in a text.
    package func matches(_ text: some StringProtocol) -> Bool {
        var run = Run(program.steps)
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if run.begin(between: before, and: scalar) { return true }
            run.take(scalar)
            before = scalar
        }
        return run.begin(between: before, and: nil)
    }

    /// The places of the machine, and those where it comes to next.
    private struct Run {
        let steps: [PatternProgram.Step]
        var places: [Int] = []
        var following: [Int] = []
        /// In which round a step was reached last, so that it is followed once in each.
        var marks: [Int]
        var round = 0
        var stack: [Int] = []

        init(_ steps: [PatternProgram.Step]) {
            self.steps = steps
            marks = Array(repeating: 0, count: steps.count)
        }

        /// Goes on to the steps that take a character; answers whether the end is among them.
        mutating func begin(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
            round += 1
            places.removeAll(keepingCapacity: true)
            // A match may begin at every character.
            following.append(0)
            for start in following {
                stack.append(start)
                while let place = stack.popLast() {
                    guard marks[place] != round else { continue }
                    marks[place] = round
                    switch steps[place] {
                    case .one: places.append(place)
                    case .jump(let target): stack.append(target)
                    case .split(let one, let other):
                        stack.append(one)
                        stack.append(other)
                    case .assertion(let assertion):
                        if assertion.holds(between: before, and: after) { stack.append(place + 1) }
                    case .found: return true
                    }
                }
            }
            following.removeAll(keepingCapacity: true)
            return false
        }

        mutating func take(_ scalar: Unicode.Scalar) {
            for place in places {
                if case .one(let set) = steps[place], set.contains(scalar) { following.append(place + 1) }
            }
        }
    }
}

/// Why a text is no pattern.
package struct PatternError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    package let reason: String
    /// At which character.
    package let offset: Int

    /// The reason and the place.
    package var description: String { "\(reason) (character \(offset + 1))" }
}
