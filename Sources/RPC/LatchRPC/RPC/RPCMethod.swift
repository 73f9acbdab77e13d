// SPDX-License-Identifier: Apache-2.0

/// A method of a service with the types of its messages.
///
/// ```swift
/// let login = RPCMethod<LoginRequest, AuthResponse>("userservice.v1.UserService", "Login")
/// ```
public struct RPCMethod<Request: Message, Response: Message>: Sendable {
    /// The service's full name, such as `userservice.v1.UserService`.
    public let service: String
    /// The method's own name, such as `Login`.
    public let name: String
    /// The streaming kind of the method.
    public let kind: RPCKind
    /// The idempotency level of the method.
    public let idempotency: RPCIdempotency
    /// The path below the base URL: `/service/name`.
    public let path: String

    /// Creates a method that corresponds to its declaration in the service.
    public init(_ service: String, _ name: String, kind: RPCKind = .unary, idempotency: RPCIdempotency = .unknown) {
        self.service = service
        self.name = name
        self.kind = kind
        self.idempotency = idempotency
        path = "/\(service)/\(name)"
    }
}

/// The streaming kind of a method.
public enum RPCKind: Sendable, Hashable, CaseIterable {
    /// One request message, one response message.
    case unary
    /// One request message, a stream of response messages.
    case serverStreaming
    /// A stream of request messages, one response message.
    case clientStreaming
    /// Streams in both directions.
    case bidirectional

    /// Whether the request has exactly one message.
    var hasSingleRequest: Bool { self == .unary || self == .serverStreaming }

    /// Whether the response has exactly one message.
    var hasSingleResponse: Bool { self == .unary || self == .clientStreaming }
}

/// The idempotency level of a method (`option idempotency_level`).
public enum RPCIdempotency: Sendable, Hashable {
    /// An unspecified level: a call whose outcome is unknown is not repeated.
    case unknown
    /// The call has no side effects: it may be repeated, be sent as GET, and be served from a cache.
    case noSideEffects
    /// A repetition of the call has no additional effect.
    case idempotent
}
