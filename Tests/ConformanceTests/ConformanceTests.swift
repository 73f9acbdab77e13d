// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchFoundation
import LatchRPC
import TestVectors
import Testing

@Suite(.enabled(if: VectorFile.protobufConformance.isPresent, "\(VectorSet.hint)"))
struct ConformanceRequestTests {
    @Test func `A request of protobuf's conformance runner is answered with the recorded meaning`() throws {
        let cases = try RecordedCase.all()
        expectEqual(cases.count, 6540)
        var agreed = 0
        for (index, recorded) in cases.enumerated() where !recorded.namesAFieldTwice {
            let ours = LatchConformanceTestee.answer(recorded.request)
            if let difference = Meaning.difference(ours, recorded) {
                Issue.record(
                    "\(index) \(recorded.category): \(difference)\n\(recorded.request)\n\(ours)\n\(recorded.answer)")
            } else {
                agreed += 1
            }
        }
        expectEqual(agreed, 6528)
    }

    /// The runner wants these refused; the testee that was recorded merges the two, as the runner allows it for now.
    @Test func `A request of protobuf's conformance runner is refused if its JSON names a field twice`() throws {
        let cases = try RecordedCase.all().filter(\.namesAFieldTwice)
        expectEqual(cases.count, 12)
        for recorded in cases {
            guard case .parseError = LatchConformanceTestee.answer(recorded.request).result else {
                Issue.record("accepted: \(recorded.request.payload.debugDescription)")
                continue
            }
        }
    }

    @Test func `A request of protobuf's conformance runner yields messages that JSON and text can represent`() throws {
        let (types, extensions) = (LatchConformanceTestee.types, LatchConformanceTestee.extensions)
        var count = 0
        for recorded in try RecordedCase.all() {
            guard case .protobufPayload(let bytes) = recorded.answer.result else { continue }
            guard recorded.request.messageType == TestAllTypesProto3.name else { continue }
            var message = try TestAllTypesProto3(serialized: Array(bytes), extensions: extensions)
            message.unknownFields.removeAll()
            let json = try message.jsonBytes(JSONEncodingOptions(types: types, extensions: extensions))
            let reading = JSONDecodingOptions(types: types, extensions: extensions)
            let back = try TestAllTypesProto3(json: json, options: reading)
            try expectEqual(back.serialized(deterministic: true), message.serialized(deterministic: true), "\(message)")
            let text = message.text(TextFormatEncodingOptions(types: types, extensions: extensions))
            let read = try TestAllTypesProto3(
                text: text, options: TextFormatDecodingOptions(types: types, extensions: extensions))
            try expectEqual(read.serialized(deterministic: true), message.serialized(deterministic: true), "\(text)")
            count += 1
        }
        #expect(count > 500)
    }
}
