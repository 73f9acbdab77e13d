// SPDX-License-Identifier: Apache-2.0

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
    let implementation: Implementation

    /// An implementation on encoded messages.
    enum Implementation: Sendable {
        /// An implementation that returns one message.
        case single(@Sendable (RequestMessages, CallContext) async throws -> [UInt8])
        /// An implementation that returns a stream.
        case streamed(@Sendable (RequestMessages, CallContext) async throws -> MessageSource)
    }

    private init<Request, Response>(_ method: RPCMethod<Request, Response>, _ implementation: Implementation) {
        service = method.service
        path = method.path
        kind = method.kind
        idempotency = method.idempotency
        self.implementation = implementation
    }

    /// Creates the handler of a unary method.
    public static func unary<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (Request, CallContext) async throws -> Response
    ) -> RPCMethodHandler {
        RPCMethodHandler(
            method,
            .single { messages, context in
                try messages.coding.encode(try await body(try await messages.single(), context))
            })
    }

    /// Creates the handler of a server-streaming method.
    public static func serverStream<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (Request, CallContext) async throws -> RPCStream<Response>
    ) -> RPCMethodHandler {
        RPCMethodHandler(
            method,
            .streamed { messages, context in
                try await messages.streamedResponse(try await body(try await messages.single(), context))
            })
    }

    /// Creates the handler of a client-streaming method.
    public static func clientStream<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (RPCStream<Request>, CallContext) async throws -> Response
    ) -> RPCMethodHandler {
        RPCMethodHandler(
            method,
            .single { messages, context in
                try messages.coding.encode(try await body(messages.stream(), context))
            })
    }

    /// Creates the handler of a bidirectional streaming method.
    public static func bidirectional<Request, Response>(
        _ method: RPCMethod<Request, Response>,
        _ body: @escaping @Sendable (RPCStream<Request>, CallContext) async throws -> RPCStream<Response>
    ) -> RPCMethodHandler {
        RPCMethodHandler(
            method,
            .streamed { messages, context in
                try await messages.streamedResponse(try await body(messages.stream(), context))
            })
    }
}
