// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct ParallelTests {
    @Test(arguments: [0, 1, 2, 3, 1_000])
    func `Work on several threads returns the results in the order of the elements`(count: Int) {
        let inputs = (0..<count).map { "element \($0)" }
        expectEqual(Parallel.map(inputs) { $0 + "!" }, inputs.map { $0 + "!" })
    }

    @Test func `Work on several threads reports the errors of files in the order of the request`() {
        let names = (0..<50).map { "f\($0).proto" }
        func compile() -> Compilation {
            Compiler { name in
                let number = names.firstIndex(of: name) ?? 0
                let text = number % 2 == 0 ? "syntax = \"proto3\"; message M\(number) {}" : "message { \(number)"
                return Array(text.utf8)
            }.compile(names)
        }
        let first = compile()
        let wrong = names.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        var reported: [String] = []
        for one in first.diagnostics where reported.last != one.file { reported.append(one.file) }
        expectEqual(reported, wrong)
        expectEqual(first.filesToGenerate.map(\.name), names.filter { !wrong.contains($0) })
        expectEqual(compile().diagnostics, first.diagnostics)
    }

    @Test func `Work on several threads compiles an imported file once, in any order of the request`() {
        let texts = [
            "a.proto": "syntax = \"proto3\"; import \"b.proto\"; message A { B b = 1; }",
            "b.proto": "syntax = \"proto3\"; message B {}",
        ]
        for names in [["a.proto", "b.proto"], ["b.proto", "a.proto"], ["b.proto", "a.proto", "b.proto"]] {
            let compilation = Compiler { texts[$0].map { Array($0.utf8) } }.compile(names)
            #expect(compilation.isComplete)
            expectEqual(compilation.files.map(\.name), ["b.proto", "a.proto"])
            expectEqual(compilation.filesToGenerate.map(\.name), names)
        }
    }
}
