// SPDX-License-Identifier: Apache-2.0

import LatchConformanceTestee
import LatchRPC
import TestVectors

/// A request of protobuf's conformance runner, and an answer to it that passed.
struct RecordedCase {
    let request: ConformanceRequest
    let answer: ConformanceResponse

    /// The runner's category of the case, by the requested encodings.
    var category: String {
        let type = request.messageType.split(separator: ".").dropFirst().joined(separator: ".")
        return "\(type) \(input) → \(output)"
    }

    private var input: String {
        switch request.payload {
        case .protobufPayload: "binary"
        case .jsonPayload: "json"
        case .textPayload: "text"
        default: "?"
        }
    }

    private var output: String {
        switch answer.result {
        case .parseError: "refused"
        case .serializeError: "unrepresentable"
        case .protobufPayload: "binary"
        case .jsonPayload: "json"
        case .textPayload: "text"
        default: "?"
        }
    }

    /// Whether the JSON that is to be read names a field for the second time.
    var namesAFieldTwice: Bool {
        guard case .jsonPayload(let json) = request.payload else { return false }
        let names = ["optionalNestedMessage", "optional_nested_message"]
        let texts = names.flatMap { first in names.map { "{\"\(first)\":{\"a\":1},\"\($0)\":{}}" } }
        return texts.contains(json.filter { !$0.isWhitespace })
    }

    /// All that were recorded: pairs, each part with its length before it.
    static func all() throws -> [RecordedCase] {
        let bytes = try VectorFile.protobufConformance.bytes()
        var position = 0
        func next() -> [UInt8] {
            let length = bytes[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            defer { position += 4 + length }
            return Array(bytes[position + 4..<position + 4 + length])
        }
        var cases: [RecordedCase] = []
        while position < bytes.count {
            let request = try ConformanceRequest(serialized: next())
            cases.append(RecordedCase(request: request, answer: try ConformanceResponse(serialized: next())))
        }
        return cases
    }
}
