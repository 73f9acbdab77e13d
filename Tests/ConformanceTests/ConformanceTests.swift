// SPDX-License-Identifier: Apache-2.0

import ConformanceTestee
import LatchRPC
import TestVectors
import Testing

@Suite(.enabled(if: VectorFile.protobufConformance.isPresent, "\(VectorSet.hint)"))
struct `What protobuf's conformance runner asks` {
    @Test func `each recorded request is answered with the same meaning`() throws {
        let cases = try RecordedCase.all()
        #expect(cases.count == 6540)
        var agreed: [String: Int] = [:]
        for (index, recorded) in cases.enumerated() {
            let ours = ConformanceTestee.answer(recorded.request)
            guard let difference = Meaning.difference(ours, recorded) else {
                agreed[recorded.category, default: 0] += 1
                continue
            }
            Issue.record(
                "\(index) \(recorded.category): \(difference)\nasked \(recorded.request.payload.debugDescription)\nours \(ours.result.debugDescription)\nrecorded \(recorded.answer.result.debugDescription)"
            )
        }
        for (category, count) in agreed.sorted(by: { $0.key < $1.key }) { print(count, category) }
    }
}
