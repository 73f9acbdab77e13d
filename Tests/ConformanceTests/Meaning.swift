// SPDX-License-Identifier: Apache-2.0

import LatchConformanceTestee
import LatchCore
import LatchRPC

/// Compares answers by what they mean: of several right spellings the runner takes each.
enum Meaning {
    /// Nil where both mean the same; else how they differ.
    static func difference(_ ours: ConformanceResponse, _ recorded: RecordedCase) -> String? {
        switch (ours.result, recorded.answer.result) {
        case (.parseError, .parseError), (.serializeError, .serializeError): nil
        case (.protobufPayload(let ours), .protobufPayload(let theirs)):
            // Maps are written in any order, but what says the same has the same length.
            ours == theirs
                || (ours.count == theirs.count && same(.protobufPayload(ours), .protobufPayload(theirs), recorded))
                ? nil : "bytes differ"
        case (.jsonPayload(let ours), .jsonPayload(let theirs)):
            equal(ours, theirs) || same(.jsonPayload(ours), .jsonPayload(theirs), recorded) ? nil : "JSON differs"
        case (.textPayload(let ours), .textPayload(let theirs)):
            words(ours) == words(theirs) || same(.textPayload(ours), .textPayload(theirs), recorded)
                ? nil : "text differs"
        default: "another kind of answer"
        }
    }

    private static func words(_ text: String) -> [Substring] { text.split { $0.isWhitespace } }

    /// Whether both JSON texts have the same members; numbers are compared as floats, as the runner does.
    private static func equal(_ left: String, _ right: String) -> Bool {
        do {
            return try normal(JSONValue(parsing: left)) == normal(JSONValue(parsing: right))
        } catch {
            return false
        }
    }

    private static func normal(_ value: JSONValue) -> JSONValue {
        switch value {
        case .integer(let number): .number(Double(number))
        case .array(let elements): .array(elements.map(normal))
        case .object(let members): .object(JSONObject(members.map { (key: $0.key, value: normal($0.value)) }))
        default: value
        }
    }

    /// Whether both are the same message, as deterministic bytes tell.
    private static func same(
        _ left: ConformanceRequest.Payload, _ right: ConformanceRequest.Payload, _ recorded: RecordedCase
    ) -> Bool {
        func bytes(_ payload: ConformanceRequest.Payload) -> ConformanceResponse.Result? {
            var request = recorded.request
            request.payload = payload
            request.requestedOutputFormat = .textFormat
            request.printUnknownFields = true
            return LatchConformanceTestee.answer(request).result
        }
        guard case .textPayload(let left)? = bytes(left), case .textPayload(let right)? = bytes(right) else {
            return false
        }
        return left == right
    }
}
