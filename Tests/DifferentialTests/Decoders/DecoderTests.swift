// SPDX-License-Identifier: Apache-2.0

import LatchRPC
import Testing

@Suite(.enabled("\(PythonDecoder.hint)") { await PythonDecoder.install() })
struct `Our decoders beside Google's protobuf for Python` {
    private func check(_ inputs: [Input], _ seed: UInt64) async throws {
        let outcome = try await Comparison.run(inputs)
        // Both ways must be gone often enough for the comparison to say something.
        #expect(outcome.accepted > inputs.count / 5 && outcome.refused > inputs.count / 20)
        let count = outcome.differences.count
        #expect(
            count == 0,
            "seed \(seed), for example:\n\(list(outcome.differences))")
        print("seed \(seed): \(outcome.accepted) accepted, \(outcome.refused) refused by both; \(outcome.excused)")
    }

    private func list(_ differences: [Comparison.Difference]) -> String {
        differences.prefix(400).map(\.description).joined(separator: "\n")
    }

    @Test func `read and refuse the same bytes, and read the same of them`() async throws {
        let (seed, count) = Comparison.plan(count: 4_000)
        var inputs = WireInputs(seed: seed)
        try await check((0..<count).map { _ in inputs.make() }, seed)
    }

    @Test func `read and refuse the same JSON, and read the same of it`() async throws {
        let (seed, count) = Comparison.plan(count: 4_000)
        var inputs = JSONInputs(seed: seed)
        try await check((0..<count).map { _ in inputs.make() }, seed)
    }
}
