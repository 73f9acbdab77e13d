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
    /// - Throws: The server's error.
    public func get() throws(ServerError) -> Value { try body.get() }
}

/// The decoded content of a response, with the request's identifier and the head.
///
/// The properties of the content can be read directly.
@dynamicMemberLookup
public struct Received<Value> {
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

    /// A property of the content.
    public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }
}

extension Received: Sendable where Value: Sendable {}

/// The response to a request that succeeded.
public typealias SuccessResponse<Value> = Received<Value>

/// A response of which only the success counts; any content is ignored.
public struct EmptyResponse: Codable, Hashable, Sendable {
    /// Creates the value.
    public init() {}

    /// Ignores the content.
    public init(from decoder: any Decoder) {}
}

extension RawResponse {
    private typealias Error = HTTPRequestClient.Error

    /// The maximum length of the text in an error.
    private static let longestText = 64 << 10

    /// Returns the content, the head and the identifier.
    func parts() throws -> (Data, HTTPURLResponse, UUID) {
        (Data(response.body.bytes), try head(), requestID)
    }

    /// Decodes a success.
    func success<Value: Decodable>(_ decoder: JSONDecoder) throws -> SuccessResponse<Value> {
        guard response.status.isSuccess else { throw badResponse }
        return try received(decoder)
    }

    /// Decodes a success, or the server's error: with another status, or in place of the content of a success.
    func either<Value: Decodable, ServerError: Decodable>(
        _ decoder: JSONDecoder
    ) throws -> Response<Value, ServerError> {
        do {
            return .success(try success(decoder))
        } catch {
            let failure: Received<ServerError>
            do { failure = try received(decoder) } catch _ { throw error }
            return .failure(failure)
        }
    }

    private func received<Value: Decodable>(_ decoder: JSONDecoder) throws -> Received<Value> {
        Received(value: try content(decoder), response: try head(), requestID: requestID)
    }

    private func head() throws -> HTTPURLResponse {
        guard let head = HTTPURLResponse(response, url: url) else { throw Error.invalidHTTPResponse(requestID) }
        return head
    }

    private var badResponse: Error {
        let text = String(decoding: response.body.bytes.prefix(Self.longestText), as: UTF8.self)
        return .badResponse(requestID, response.status.rawValue, text)
    }

    /// Decodes the content as JSON.
    ///
    /// - Throws: `HTTPRequestClient.Error.decodingError`, or `other` with the error of the type's own decoding.
    private func content<Value: Decodable>(_ decoder: JSONDecoder) throws -> Value {
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
