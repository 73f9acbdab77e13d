// SPDX-License-Identifier: Apache-2.0

/// The result of a request: the response that the route promises, or the failure that the API describes.
public enum APIResult<Response: Sendable, Failure: Sendable>: Sendable {
    /// The status was a success, with the decoded response.
    case success(Response, HTTPResponse)
    /// The status was not a success, with the decoded failure.
    case failure(Failure, HTTPResponse)

    /// The HTTP response, with its status and fields.
    public var response: HTTPResponse {
        switch self {
        case .success(_, let response), .failure(_, let response): response
        }
    }

    /// The decoded response, if the request succeeded.
    public var value: Response? { if case .success(let value, _) = self { value } else { nil } }

    /// The decoded failure, if the request failed.
    public var failure: Failure? { if case .failure(let failure, _) = self { failure } else { nil } }
}

extension APIResult where Failure: Error {
    /// Returns the decoded response, or throws the failure.
    ///
    /// - Throws: The failure.
    public func get() throws(Failure) -> Response {
        switch self {
        case .success(let value, _): return value
        case .failure(let failure, _): throw failure
        }
    }
}
