// SPDX-License-Identifier: Apache-2.0

public import Foundation
import FoundationBridge
import LatchHTTP

/// A success, or the error that the server sent instead.
///
/// ```swift
/// switch result {
/// case .success(let profile): show(profile.name)
/// case .failure(let problem): show(problem.message)
/// }
/// ```
public enum Response<Value, ServerError> {
    /// The status was a success, and the content has the expected type.
    case success(Received<Value>)
    /// The content is the server's error.
    case failure(Received<ServerError>)

    /// The identifier of the request, as it was sent to the server.
    public var requestID: UUID {
        switch self {
        case .success(let received): received.requestID
        case .failure(let received): received.requestID
        }
    }

    /// The head of the response.
    public var response: HTTPURLResponse {
        switch self {
        case .success(let received): received.response
        case .failure(let received): received.response
        }
    }

    /// The value; nil for a failure.
    public var value: Value? {
        guard case .success(let received) = self else { return nil }
        return received.value
    }

    /// The server's error; nil for a success.
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

    /// Returns the value.
    ///
    /// - Throws: What the server said instead.
    public func get() throws(ServerError) -> Value { try body.get() }
}

/// A content that came, with what came along; its properties are read as if it were the content itself.
@dynamicMemberLookup
public struct Received<Value> {
    /// The content.
    public let value: Value
    /// The identifier of the request, as it was sent to the server.
    public let requestID: UUID
    /// The head of the response.
    public let response: HTTPURLResponse

    /// A property of the content.
    public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }
}

extension Received: Sendable where Value: Sendable {}

/// The response to a request that succeeded.
public struct SuccessResponse<Value> {
    /// The content.
    public let value: Value
    /// The identifier of the request, as it was sent to the server.
    public let requestID: UUID
    /// The head of the response.
    public let response: HTTPURLResponse

    /// Creates a response from its parts.
    public init(value: Value, response: HTTPURLResponse, requestID: UUID = UUID()) {
        self.value = value
        self.response = response
        self.requestID = requestID
    }

    /// The content.
    public var data: Value { value }
}

extension SuccessResponse: Sendable where Value: Sendable {}

/// A response of which only the success counts; any content is accepted, and none.
public struct EmptyResponse: Codable, Hashable, Sendable {
    /// Creates the value.
    public init() {}

    /// Creates the value whatever the content is.
    public init(from decoder: any Decoder) {}
}

extension Answer {
    private typealias Error = HTTPRequestClient.Error

    /// An error's text is not longer than this.
    private static let longestText = 64 << 10

    /// Content, head and identifier.
    func parts() throws -> (Data, HTTPURLResponse, UUID) {
        (Data(response.body.bytes), try head(), requestID)
    }

    /// A success.
    func success<Value: Decodable>(_ decoder: JSONDecoder) throws -> SuccessResponse<Value> {
        guard response.status.isSuccess else { throw badResponse }
        return SuccessResponse(value: try read(decoder), response: try head(), requestID: requestID)
    }

    /// A success, or what the server says instead: with another status, or in place of the content of a success.
    func either<Value: Decodable, ServerError: Decodable>(
        _ decoder: JSONDecoder
    ) throws -> Response<Value, ServerError> {
        let refusal: any Swift.Error
        if response.status.isSuccess {
            do {
                return .success(Received(value: try read(decoder), requestID: requestID, response: try head()))
            } catch {
                refusal = error
            }
        } else {
            refusal = badResponse
        }
        do {
            let said: ServerError = try read(decoder)
            return .failure(Received(value: said, requestID: requestID, response: try head()))
        } catch {
            throw refusal
        }
    }

    private func head() throws -> HTTPURLResponse {
        guard let head = HTTPURLResponse(response, url: url) else { throw Error.invalidHTTPResponse(requestID) }
        return head
    }

    private var badResponse: Error {
        let text = String(decoding: response.body.bytes.prefix(Self.longestText), as: UTF8.self)
        return .badResponse(requestID, response.status.rawValue, text)
    }

    /// The content as JSON of a type.
    ///
    /// - Throws: `HTTPRequestClient.Error.decodingError`, or `other` with what the type's own decoding threw.
    private func read<Value: Decodable>(_ decoder: JSONDecoder) throws -> Value {
        if let empty = EmptyResponse() as? Value { return empty }
        do {
            return try decoder.decode(Value.self, from: Data(response.body.bytes))
        } catch let error as DecodingError {
            throw Error.decodingError(requestID, error)
        } catch {
            throw Error.other(requestID, error)
        }
    }
}
