// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchProtoCompiler

@Suite struct SimilarNameTests {
    @Test(
        arguments: [
            ("Sting", ["Other", "String"], "String"), ("Strnig", ["String"], "String"),
            ("user_nam", ["user_name"], "user_name"),
            ("ab", ["ac"], nil), ("abc", ["abd"], "abd"), ("abc", ["axy"], nil), ("abcdef", ["abcdxy"], "abcdxy"),
            ("abcdef", ["abcxyz"], nil), ("nearer", ["neaxex", "nearex"], "nearex"), ("", ["a"], nil), ("abc", [], nil),
        ] as [(String, [String], String?)])
    func `A similar name differs in two letters at most, and in fewer if it is short`(
        written: String, names: [String], nearest: String?
    ) {
        expectEqual(SimilarName.nearest(to: written, in: names), nearest)
    }

    @Test func `A similar name is not searched for a name of more than 100 bytes`() {
        let name = String(repeating: "n", count: 99)
        expectEqual(SimilarName.nearest(to: name + "x", in: [name + "y"]), name + "y")
        expectNil(SimilarName.nearest(to: name + "xx", in: [name + "xy"]))
        expectNil(SimilarName.nearest(to: String(repeating: "é", count: 51), in: [String(repeating: "é", count: 51)]))
    }

    @Test func `A similar name is among the first 1000 names of a similar length`() {
        let others = (0..<1_000).map { "z\($0 + 10_000)" }
        expectEqual(SimilarName.nearest(to: "string", in: others.dropLast() + ["sting"]), "sting")
        expectNil(SimilarName.nearest(to: "string", in: others + ["sting"]))
        let longer = (0..<5_000).map { "a much longer name \($0)" }
        expectEqual(SimilarName.nearest(to: "string", in: longer + ["sting"]), "sting")
    }
}
