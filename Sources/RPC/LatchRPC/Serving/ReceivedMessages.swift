// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The messages of a request on their way to a method, and the method's on their way back.
struct ReceivedMessages: Sendable {
    let coding: MessageCoding
    /// Gives the request's messages.
    let next: MessageSource

    /// A source of one message.
    static func source(of message: [UInt8]) -> MessageSource {
        let rest = Mutex<[UInt8]?>(message)
        return { rest.withLock { $0.take() } }
    }

    /// The one message of a request that has one.
    ///
    /// - Throws: `RPCError.unimplemented` where there are more or none (gRPC's status codes: "cardinality violation").
    func single<Request: Message>() async throws -> Request {
        guard let bytes = try await next() else { throw RPCError(.unimplemented, "The request has no message.") }
        let message = try coding.decode(bytes, as: Request.self, orFail: .invalidArgument)
        guard try await next() == nil else {
            throw RPCError(.unimplemented, "The request has more than one message.")
        }
        return message
    }

    /// The messages of a request that may have many.
    func stream<Request: Message>() -> RPCStream<Request> {
        RPCStream(once: {
            try await next().map { try coding.decode($0, as: Request.self, orFail: .invalidArgument) }
        })
    }

    /// An answer of one message.
    func one(_ message: some Message) -> MessageSource {
        let rest = Mutex<(any Message)?>(message)
        return { try rest.withLock { $0.take() }.map { try coding.encode($0) } }
    }

    /// An answer of the messages of a stream.
    func all<Answer: Message>(_ stream: RPCStream<Answer>) async throws -> MessageSource {
        let source = try await stream.begin()
        return { try await source().map { try coding.encode($0) } }
    }
}
