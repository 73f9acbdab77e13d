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
    /// Returns the rules that a request violates.
    private(set) var violations: @Sendable (any Message) -> [Violation] = {
        ($0 as? any RuledMessage)?.violations() ?? []
    }

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

    /// The method without the check of its requests against the rules of their messages and of the method.
    ///
    /// ```swift
    /// let service = RPCService(users.rpcMethods.map(\.withoutRules))
    /// ```
    ///
    /// With the check, a request that violates rules is refused with `invalid_argument` before the method is called. In
    /// a stream, the first message that violates rules is refused (``RPCError/violations``).
    public var withoutRules: RPCMethodHandler {
        var copy = self
        copy.violations = { _ in [] }
        return copy
    }

    /// Returns the method with another rule for its requests, as generated code does for `validation_rules`.
    ///
    /// ```swift no-check
    /// RPCMethodHandler.unary(LinkServiceMethods.create) { try await links.create($0, for: $1) }
    ///     .requiring("url", "must not be empty") { (request: CreateRequest) in !request.url.isEmpty }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path to the field; empty for the request itself.
    ///   - requirement: A description of the requirement, without a value from the request.
    ///   - isFulfilled: Whether a request is accepted; others are refused with `invalid_argument` and the path.
    public func requiring<Request: Message>(
        _ path: String, _ requirement: String, _ isFulfilled: @escaping @Sendable (Request) -> Bool
    ) -> RPCMethodHandler {
        var copy = self
        copy.violations = { [violations] message in
            guard let request = message as? Request, !isFulfilled(request) else { return violations(message) }
            return violations(message) + [Violation(path: path, rule: "validation_rules", message: requirement)]
        }
        return copy
    }

    /// Creates a handler that takes one message and returns one.
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

    /// Creates a handler that takes one message and returns many.
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

    /// Creates a handler that takes many messages and returns one.
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

    /// Creates a handler that takes many messages and returns many, at the same time.
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
