// SPDX-License-Identifier: Apache-2.0

/// A method of a service, with the messages that go there and come back.
///
/// ```swift
/// static let login = RPCMethod<LoginRequest, AuthResponse>("userservice.v1.UserService", "Login")
/// ```
public struct RPCMethod<Request: Message, Response: Message>: Sendable {
    /// The service's full name, such as `userservice.v1.UserService`.
    public let service: String
    /// The method's own name, such as `Login`.
    public let name: String
    /// How many messages each side sends.
    public let kind: RPCKind
    /// What is promised about repeating a call.
    public let idempotency: RPCIdempotency
    /// Where the method is reached below the base URL: `/service/name`.
    public let path: String

    /// A method as its service declares it.
    public init(_ service: String, _ name: String, kind: RPCKind = .unary, idempotency: RPCIdempotency = .unknown) {
        self.service = service
        self.name = name
        self.kind = kind
        self.idempotency = idempotency
        path = "/\(service)/\(name)"
    }
}
