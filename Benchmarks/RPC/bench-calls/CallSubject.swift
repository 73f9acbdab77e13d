// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

/// One way to call, measured.
struct CallSubject: Sendable {
    let name: String
    let channel: RPCChannel

    /// The three protocols, and Connect with JSON, over HTTP/1.1.
    static let styles: [(name: String, style: RPCProtocol, codec: RPCCodec)] = [
        ("connect", .connect, .binary), ("connect-json", .connect, .json), ("grpc-web", .grpcWeb, .binary),
        ("grpc", .grpc, .binary),
    ]

    /// Calls over a socket, or with the service in the transport's place.
    static func all(_ url: String, through handler: any Handler = Transport.live) throws -> [CallSubject] {
        try styles.map { name, style, codec in
            CallSubject(
                name: name,
                channel: try RPCChannel(url, through: handler, using: style, codec: codec, assumingHTTP2: false))
        }
    }

    /// Makes calls one after the other.
    func unary(_ count: Int) async throws {
        for _ in 0..<count {
            let answer = try await channel.unary(CallMethods.echo, CallNote.sample).message
            guard answer.number == 7 else { throw RPCError.internal }
        }
    }

    /// Makes calls, so many at a time.
    func unary(_ count: Int, atATime width: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width { group.addTask { try await unary(count / width) } }
            try await group.waitForAll()
        }
    }

    /// Reads streams of a hundred messages each; counts messages.
    func streamed(_ count: Int) async throws {
        for _ in 0..<(count / 100) {
            var seen: Int32 = 0
            for try await note in try await channel.serverStream(CallMethods.count, CallNote.hundred) {
                seen += note.number
            }
            guard seen == 4950 else { throw RPCError.internal }
        }
    }
}
