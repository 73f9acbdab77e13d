// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchServer
import TestSupport
import Testing

/// An error code of RFC 9113 §7.
enum ErrorCode: UInt32, Sendable {
    case none = 0
    case `protocol` = 1
    case flowControl = 3
    case streamClosed = 5
    case frameSize = 6
    case refused = 7
    case compression = 9
    case calm = 11
}

/// Frames, and what a server must do with them.
struct ProtocolCase: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        /// The stream gets a response with this status.
        case response(Int)
        /// The connection ends with GOAWAY and one of the codes.
        case connectionError([ErrorCode])
        /// The stream is reset with one of the codes, or the connection ends with it (RFC 9113 §5.4).
        case error([ErrorCode])
        /// The frames change nothing; the connection may end where the codes allow it.
        case ignored([ErrorCode] = [])
    }

    /// The case of h2spec (https://github.com/summerwind/h2spec) that tests the same, such as `http2/6.1/1`.
    let id: String
    let sentence: String
    /// The frames to send first, after which the response on stream 1 is awaited.
    let first: [RawFrame]
    let frames: [RawFrame]
    let outcome: Outcome
    /// The stream that is looked at.
    let stream: UInt32

    init(
        _ id: String, _ sentence: String, first: [RawFrame] = [], _ frames: [RawFrame], on stream: UInt32 = 1,
        _ outcome: Outcome
    ) {
        (self.id, self.sentence, self.first, self.frames) = (id, sentence, first, frames)
        (self.outcome, self.stream) = (outcome, stream)
    }

    var testDescription: String { "\(id): \(sentence)" }

    /// Sends the frames to a server of its own, and checks what comes.
    func check(_ location: SourceLocation = #_sourceLocation) async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            if !first.isEmpty {
                for frame in first { await client.send(frame) }
                await expectEqual(client.answer(to: 1).status, 200, sourceLocation: location)
            }
            let before = client.answers[stream] ?? StreamAnswer()
            for frame in frames { await client.send(frame) }
            switch outcome {
            case .response(let status):
                await expectEqual(client.answer(to: stream).status, status, sourceLocation: location)
            case .connectionError(let codes):
                let code = await client.end()
                #expect(codes.map(\.rawValue).contains(code ?? .max), "\(client.goAways)", sourceLocation: location)
            case .error(let codes):
                await client.receive { $0.answers[stream]?.reset != nil || !$0.goAways.isEmpty }
                let code = client.answers[stream]?.reset ?? client.goAways.last?.goAwayCode
                #expect(
                    codes.map(\.rawValue).contains(code ?? .max), "\(client.answers) \(client.goAways)",
                    sourceLocation: location)
                expectEqual(client.answers[stream]?.status, before.status, sourceLocation: location)
            case .ignored(let codes):
                await client.send(.get(101))
                let after = await client.answer(to: 101)
                if let code = client.goAways.last?.goAwayCode {
                    #expect(codes.map(\.rawValue).contains(code), sourceLocation: location)
                } else {
                    expectEqual(after.status, 200, sourceLocation: location)
                }
                expectEqual(client.answers[stream]?.content ?? [], before.content, sourceLocation: location)
            }
        }
    }
}

#endif
