// SPDX-License-Identifier: Apache-2.0

import Expectations
import GeneratedModels
import LatchRPC
import Testing

@Suite(.enabled("\(PythonDecoder.hint)") { await PythonDecoder.install() })
struct DecoderTests {
    private func check(_ inputs: [Input], _ seed: UInt64) async throws {
        let outcome = try await Comparison.run(inputs)
        // Both ways must be gone often enough for the comparison to say something.
        #expect(outcome.accepted > inputs.count / 5 && outcome.refused > inputs.count / 20)
        let count = outcome.differences.count
        expectEqual(
            count, 0,
            "seed \(seed), for example:\n\(list(outcome.differences))")
        guard Comparison.wish != nil else { return }
        print("seed \(seed): \(outcome.accepted) accepted, \(outcome.refused) refused by both; \(outcome.excused)")
    }

    private func list(_ differences: [Comparison.Difference]) -> String {
        differences.prefix(40).map(\.description).joined(separator: "\n")
    }

    /// Messages inside of each other, around the depth of 100 at which both stop.
    private func nested(isJSON: Bool) -> [Input] {
        (95...105).map { depth in
            if isJSON {
                let text = String(repeating: #"{"next":"#, count: depth) + "{}" + String(repeating: "}", count: depth)
                return Input(type: Outer.self, isJSON: true, bytes: Array(text.utf8))
            }
            let bytes = (0..<depth).reduce([UInt8]()) { inside, _ in
                let length = inside.count
                return [0x22] + (length < 128 ? [UInt8(length)] : [UInt8(length & 127) | 128, UInt8(length >> 7)])
                    + inside
            }
            return Input(type: Outer.self, isJSON: false, bytes: bytes)
        }
    }

    @Test(arguments: [false, true])
    func `Our decoders and Google's protobuf for Python read nested messages to the same depth`(isJSON: Bool)
        async throws
    {
        let outcome = try await Comparison.run(nested(isJSON: isJSON))
        #expect(outcome.differences.isEmpty && outcome.accepted > 0 && outcome.refused > 0, "\(outcome)")
    }

    @Test func `Our decoders and Google's protobuf for Python accept and refuse the same bytes`() async throws {
        let (seed, count) = Comparison.wish ?? (seed: 5, count: 4_000)
        var inputs = WireInputs(seed: seed)
        try await check((0..<count).map { _ in inputs.make() }, seed)
    }

    @Test func `Our decoders and Google's protobuf for Python accept and refuse the same JSON`() async throws {
        let (seed, count) = Comparison.wish ?? (seed: 5, count: 4_000)
        var inputs = JSONInputs(seed: seed)
        try await check((0..<count).map { _ in inputs.make() }, seed)
    }
}
