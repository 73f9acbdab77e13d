// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import LatchRPC
import Testing

/// One way to write calls, and the requests of the runner in it.
struct ConformanceStyle: Sendable, CustomTestStringConvertible {
    var `protocol`: Protocol_
    var codec: Codec
    var compression: Compression

    var testDescription: String { "\(`protocol`), \(codec), \(compression)" }

    static let all: [ConformanceStyle] = [Protocol_.connect, .grpc, .grpcWeb].flatMap { style in
        [Codec.proto, .json].flatMap { codec in
            [Compression.identity, .gzip].map {
                ConformanceStyle(protocol: style, codec: codec, compression: $0)
            }
        }
    }

    /// A request of the runner, without its server.
    func request(_ name: String, _ method: String, _ type: StreamType, _ messages: [some Message]) throws
        -> ClientCompatRequest
    {
        ClientCompatRequest(
            testName: name, httpVersion: .httpVersion1, protocol: `protocol`, codec: codec, compression: compression,
            messageReceiveLimit: 200_000, service: "connectrpc.conformance.v1.ConformanceService", method: method,
            streamType: type, requestHeaders: [Header(name: "x-asked", value: ["a", "b c"])],
            requestMessages: try messages.map { try ProtoAny(packing: $0) })
    }
}
