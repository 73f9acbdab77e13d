// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A success, or what the server says instead.
///
/// ```swift
/// switch result {
/// case .success(let profile): show(profile.name)
/// case .failure(let problem): show(problem.message)
/// }
/// ```
public enum Response<Value, ServerError> {
    /// The status was a success, and the content is what was asked for.
    case success(Received<Value>)
    /// The content is what the server sends when it refuses or fails.
    case failure(Received<ServerError>)

    /// The identifier of the request, as the server was told it.
    public var requestID: UUID {
        switch self {
        case .success(let received): received.requestID
        case .failure(let received): received.requestID
        }
    }

    /// The head of the answer.
    public var response: HTTPURLResponse {
        switch self {
        case .success(let received): received.response
        case .failure(let received): received.response
        }
    }

    /// What was asked for, where it came.
    public var value: Value? {
        guard case .success(let received) = self else { return nil }
        return received.value
    }

    /// What the server said instead.
    public var error: ServerError? {
        guard case .failure(let received) = self else { return nil }
        return received.value
    }
}

extension Response: Sendable where Value: Sendable, ServerError: Sendable {}

extension Response where ServerError: Error {
    /// The content as a result.
    public var body: Result<Value, ServerError> {
        switch self {
        case .success(let received): .success(received.value)
        case .failure(let received): .failure(received.value)
        }
    }

    /// What was asked for.
    ///
    /// - Throws: What the server said instead.
    public func get() throws(ServerError) -> Value { try body.get() }
}

/// A content that came, with what came along; its properties are read as if it were the content itself.
@dynamicMemberLookup
public struct Received<Value> {
    /// The content.
    public let value: Value
    /// The identifier of the request, as the server was told it.
    public let requestID: UUID
    /// The head of the answer.
    public let response: HTTPURLResponse

    /// A property of the content.
    public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }
}

extension Received: Sendable where Value: Sendable {}
