// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import Testing

@Suite(
    .enabled(Comment(rawValue: RPCPeers.hint)) { await RPCPeers.install() }, .enabled(if: TestKeys.isPossible),
    .timeLimit(.minutes(2)), .serialized)
struct EarlyEndTests {
    /// A stream without an end and without messages.
    private static var silence: RPCStream<Note> {
        RPCStream { _ in try await untilCancelled() }
    }

    private static let idempotent = RPCMethod<Note, Note>(
        "latch.test.v1.Hasty", "Only", kind: .unary, idempotency: .idempotent)

    private static func method(_ name: String, _ kind: RPCKind) -> RPCMethod<Note, Note> {
        RPCMethod("latch.test.v1.Hasty", name, kind: kind)
    }

    @Test(arguments: [false, true])
    func `A call that the server ends early ends immediately with the status in the trailers`(isEncrypted: Bool)
        async throws
    {
        try await Self.withHastyServer(isEncrypted) { channel in
            for name in ["Trailers", "Later"] {
                let error = await #expect(throws: RPCError.self) {
                    let messages = RPCStream<Note> { writer in
                        try await writer.send(Note(text: "first"))
                        try await untilCancelled()
                    }
                    return try await channel.clientStream(Self.method(name, .clientStreaming), messages)
                }
                expectEqual(error?.status, .failedPrecondition)
                expectEqual(error?.message, "enough")
            }
        }
    }

    @Test(arguments: [false, true])
    func `A call that the server ends early ends immediately with the status in the head`(isEncrypted: Bool)
        async throws
    {
        try await Self.withHastyServer(isEncrypted) { channel in
            let error = await #expect(throws: RPCError.self) {
                try await channel.clientStream(Self.method("Only", .clientStreaming), Self.silence)
            }
            // libcurl 7.88 loses what the head said.
            #expect(error?.status == .failedPrecondition || error?.status == .internal)
            let second = await #expect(throws: RPCError.self) {
                for try await _ in try await channel.bidirectional(Self.method("Only", .bidirectional), Self.silence) {}
            }
            #expect(second?.status == .failedPrecondition || second?.status == .internal)
        }
    }

    @Test(arguments: [false, true])
    func `A call that the server ends early reports its status if its message was sent with its head`(isEncrypted: Bool)
        async throws
    {
        try await Self.withHastyServer(isEncrypted) { channel in
            for number in Int32(0)..<20 {
                let unary = await #expect(throws: RPCError.self) {
                    try await channel.unary(Self.method("Only", .unary), Note(text: "small", number: number))
                }
                // A call that may not happen twice is not made again where libcurl 7.88 loses what the head said.
                #expect(unary?.status == .failedPrecondition || unary?.status == .internal)
                let harmless = await #expect(throws: RPCError.self) {
                    try await channel.unary(Self.idempotent, Note(text: "small", number: number))
                }
                expectEqual(harmless?.status, .failedPrecondition)
                expectEqual(harmless?.message, "enough")
                let stream = await #expect(throws: RPCError.self) {
                    let messages = RPCStream([Note(text: "one"), Note(text: "two")])
                    for try await _ in try await channel.bidirectional(Self.method("Only", .bidirectional), messages) {}
                }
                #expect(stream?.status == .failedPrecondition || stream?.status == .internal)
            }
        }
    }

    @Test func `A call that the server ends early has grpcio's status after a response`() async throws {
        let peer = try await PeerProcess("grpc_server.py")
        let channel = try CallStyle(style: .grpc).channel(peer.url, http2: true)
        for count in 0..<4 {
            let messages = RPCStream<Note> { writer in
                for number in 0..<count { try await writer.send(Note(number: Int32(number))) }
                try await writer.send(Note(text: "fail 9 enough"))
                try await untilCancelled()
            }
            let error = await #expect(throws: RPCError.self) {
                for try await _ in try await channel.bidirectional(Notes.talk, messages) {}
            }
            // What libcurl 7.88 loses is a head that says all; after an answer there are trailers.
            #expect(error?.status == .failedPrecondition || (count == 0 && error?.status == .internal))
        }
    }

    private static func withHastyServer(
        _ isEncrypted: Bool, _ body: (RPCChannel) async throws -> Void
    ) async throws {
        guard isEncrypted else {
            let peer = try await PeerProcess("hasty_server.py")
            return try await body(try CallStyle(style: .grpc).channel(peer.url, http2: true))
        }
        let keys = try await TestKeys()
        let peer = try await PeerProcess("hasty_server.py", ["tls=" + keys.folder])
        try await body(try CallStyle(style: .grpc).channel(peer.secureURL, through: keys.transport(), http2: true))
    }
}
