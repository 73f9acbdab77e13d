// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The answer to a request that succeeded.
public struct SuccessResponse<Value> {
    /// The content.
    public let value: Value
    /// The identifier of the request, as the server was told it.
    public let requestID: UUID
    /// The head of the answer.
    public let response: HTTPURLResponse

    /// An answer of its parts.
    public init(value: Value, response: HTTPURLResponse, requestID: UUID = UUID()) {
        self.value = value
        self.response = response
        self.requestID = requestID
    }

    /// The content.
    public var data: Value { value }
}

extension SuccessResponse: Sendable where Value: Sendable {}

/// What is asked for where only the success counts; any content is accepted, and none.
public struct EmptyResponse: Codable, Hashable, Sendable {
    /// Nothing.
    public init() {}

    /// Nothing, whatever there is.
    public init(from decoder: any Decoder) {}
}
