// SPDX-License-Identifier: Apache-2.0

/// A method of a service with what answers it.
///
/// ```swift
/// let login = RPCMethodHandler.unary(UserServiceMethods.login) { request, context in try await users.login(request) }
/// ```
public struct RPCMethodHandler: Sendable {
    /// The service's full name.
    public let service: String
    /// The method's path: `/service/name`.
    public let path: String
    /// How many messages each side sends.
    public let kind: RPCKind
    /// What is promised about repeating a call.
    public let idempotency: RPCIdempotency
    /// Answers a call, whose messages are bytes on both sides.
    let serve: @Sendable (ReceivedMessages, CallContext) async throws -> MessageSource

    private init<Request, Answer>(
        _ method: RPCMethod<Request, Answer>,
        _ serve: @escaping @Sendable (ReceivedMessages, CallContext) async throws -> MessageSource
    ) {
        service = method.service
        path = method.path
        kind = method.kind
        idempotency = method.idempotency
        self.serve = serve
    }

    /// One message there, one back.
    public static func unary<Request, Answer>(
        _ method: RPCMethod<Request, Answer>,
        _ body: @escaping @Sendable (Request, CallContext) async throws -> Answer
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            messages.one(try await body(try await messages.single(), context))
        }
    }

    /// One message there, any number back.
    public static func serverStream<Request, Answer>(
        _ method: RPCMethod<Request, Answer>,
        _ body: @escaping @Sendable (Request, CallContext) async throws -> RPCStream<Answer>
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            try await messages.all(try await body(try await messages.single(), context))
        }
    }

    /// Any number of messages there, one back.
    public static func clientStream<Request, Answer>(
        _ method: RPCMethod<Request, Answer>,
        _ body: @escaping @Sendable (RPCStream<Request>, CallContext) async throws -> Answer
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            messages.one(try await body(messages.stream(), context))
        }
    }

    /// Any number of messages both ways.
    public static func bidirectional<Request, Answer>(
        _ method: RPCMethod<Request, Answer>,
        _ body: @escaping @Sendable (RPCStream<Request>, CallContext) async throws -> RPCStream<Answer>
    ) -> RPCMethodHandler {
        RPCMethodHandler(method) { messages, context in
            try await messages.all(try await body(messages.stream(), context))
        }
    }
}
