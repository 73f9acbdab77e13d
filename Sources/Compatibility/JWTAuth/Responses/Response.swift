// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchFoundationBridge
import LatchHTTP

/// A success, or the error that the server sent instead.
///
/// ```swift
/// switch result {
/// case .success(let profile): show(profile.name)
/// case .failure(let problem): show(problem.message)
/// }
/// ```
///
/// A `SuccessResponse<Response<Profile, Problem>>` also has the request's identifier and the response's head.
public enum Response<Value, ServerError> {
    /// The content of a success.
    case success(Value)
    /// The server's error.
    case failure(ServerError)

    /// The content of a success; nil for a failure.
    public var value: Value? {
        guard case .success(let value) = self else { return nil }
        return value
    }

    /// The server's error; nil for a success.
    public var error: ServerError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

extension Response: Sendable where Value: Sendable, ServerError: Sendable {}
extension Response: Equatable where Value: Equatable, ServerError: Equatable {}

extension Response where ServerError: Error {
    /// The content as a result.
    public var body: Result<Value, ServerError> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
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

/// A response without decoded content, for requests where only success matters.
public struct EmptyResponse: Codable, Hashable, Sendable {
    /// Creates the value, which stands for content that is not read.
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

    func success<Value: Decodable>(_ decoder: JSONDecoder) throws -> SuccessResponse<Value> {
        guard response.status.isSuccess else { throw badResponse }
        return try received(try content(decoder))
    }

    /// Decodes a success or the server's error; the error may have another status, or replace the content of a success.
    func either<Value: Decodable, ServerError: Decodable>(
        _ decoder: JSONDecoder
    ) throws -> Received<Response<Value, ServerError>> {
        do {
            guard response.status.isSuccess else { throw badResponse }
            return try received(.success(try content(decoder)))
        } catch {
            let failure: ServerError
            do { failure = try content(decoder) } catch _ { throw error }
            return try received(.failure(failure))
        }
    }

    private func received<Value>(_ value: Value) throws -> Received<Value> {
        Received(value: value, response: try head(), requestID: requestID)
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
