// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A method of a service with its implementation.
///
/// ```swift
/// let login = RPCMethodHandler.unary(UserServiceMethods.login) { request, context in try await users.login(request) }
/// ```
public struct RPCMethodHandler: Sendable {
    /// The full name of the service.
    public let service: String
    /// The path of the method: `/service/name`.
    public let path: String
    /// The streaming kind of the method.
    public let kind: RPCKind
    /// The idempotency level of the method.
    public let idempotency: RPCIdempotency
    /// The implementation, on encoded messages.
    let serve: @Sendable (RequestMessages, CallContext) async throws -> MessageSource

    private init<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ serve: @escaping @Sendable (RequestMessages, CallContext) async throws -> MessageSource
    ) {
        service = method.service
        path = method.path
        kind = method.kind
        idempotency = method.idempotency
        self.serve = serve
    }

    /// Creates the handler of a unary method.
    public static func unary<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (Request, CallContext) async throws -> Response
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            try messages.singleResponse(try await body(try await messages.single(), context))
        }
    }

    /// Creates the handler of a server-streaming method.
    public static func serverStream<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (Request, CallContext) async throws -> RPCStream<Response>
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            try await messages.streamedResponse(try await body(try await messages.single(), context))
        }
    }

    /// Creates the handler of a client-streaming method.
    public static func clientStream<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (RPCStream<Request>, CallContext) async throws -> Response
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            try messages.singleResponse(try await body(messages.stream(), context))
        }
    }

    /// Creates the handler of a bidirectional streaming method.
    public static func bidirectional<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (RPCStream<Request>, CallContext) async throws -> RPCStream<Response>
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            try await messages.streamedResponse(try await body(messages.stream(), context))
        }
    }
}

extension RPCMethodHandler {
    /// Returns the encoded message of a response that has exactly one.
    func singleResponse(
        to messages: RequestMessages, _ deadline: RPCDeadline?, _ context: CallContext
    ) async throws -> [UInt8] {
        try await within(deadline) {
            let source = try await serve(messages, context)
            return try await source() ?? []
        }
    }
}

/// The messages of a request, with the encoding for the response.
struct RequestMessages: Sendable {
    let coding: MessageCoding
    /// The source of the request's messages.
    let next: MessageSource

    /// Returns a source of one message.
    static func source(of message: [UInt8]) -> MessageSource {
        let rest = Mutex<[UInt8]?>(message)
        return { rest.withLock { $0.take() } }
    }

    /// Returns the message of a request that must have exactly one.
    ///
    /// - Throws: `RPCError.unimplemented` if the request has none or more than one (gRPC status codes, "cardinality
    ///   violation").
    func single<Request: Message>() async throws -> Request {
        guard let bytes = try await next() else { throw RPCError(.unimplemented, "The request has no message.") }
        let message = try coding.decode(bytes, as: Request.self, orFail: .invalidArgument)
        guard try await next() == nil else {
            throw RPCError(.unimplemented, "The request has more than one message.")
        }
        return message
    }

    /// Returns the messages of a request as a stream.
    func stream<Request: Message>() -> RPCStream<Request> {
        RPCStream(once: {
            try await next().map { try coding.decode($0, as: Request.self, orFail: .invalidArgument) }
        })
    }

    /// Returns the source of a single response message.
    func singleResponse(_ message: some Message) throws -> MessageSource { Self.source(of: try coding.encode(message)) }

    /// Returns the source of a response stream.
    func streamedResponse<Response: Message>(_ stream: RPCStream<Response>) async throws -> MessageSource {
        let source = try await stream.begin()
        return { try await source().map { try coding.encode($0) } }
    }
}
