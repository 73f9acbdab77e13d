// SPDX-License-Identifier: Apache-2.0

/// What can go wrong with a request, as the original promises it.
///
/// A case that carries something can be thrown and caught by its bare name too: `throw NetworkError.unauthorized`,
/// `catch NetworkError.unauthorized`. No description holds a body, a field or a query.
public enum NetworkError: Error {
    /// The URL cannot be requested: malformed, out of its base, or plain http to another machine.
    case invalidURL
    /// The configuration has no environment for a domain.
    case missingEnvironment(domain: String)
    /// The answer has another shape; `data` is what came.
    case parsingError(data: Data?, underlyingError: String?)
    /// The server did not answer in time.
    case timeout
    /// The server could not be reached, or not be trusted.
    case noConnection
    /// The task was cancelled.
    case cancelled
    /// 401: the server knows nobody, or not any more.
    case unauthorized(data: Data?, response: HTTPURLResponse?)
    /// Another status of 400 to 499.
    case clientError(code: Int, data: Data?, response: HTTPURLResponse?)
    /// A status of 500 to 599.
    case serverError(code: Int, answer: FailedAnswer)
    /// The content could not be written.
    case bodyEncodingFailed
    /// Anything else.
    case unknown(any Error)
    /// The credential could not be had: its store cannot be read, or what obtains it failed for its own reasons.
    case authenticationFailed(cause: (any Error)?)
    /// The answer is none that a route could have expected, such as 304.
    case invalidResponse(data: Data?, response: HTTPURLResponse?)
}

/// What a server sent with an error of its own.
public struct FailedAnswer: Sendable {
    /// The content.
    public let data: Data?
    /// Status and fields.
    public let response: HTTPURLResponse?

    /// An answer from its parts.
    public init(data: Data? = nil, response: HTTPURLResponse? = nil) {
        self.data = data
        self.response = response
    }
}

extension NetworkError {
    /// 401 with nothing known about the answer.
    public static var unauthorized: NetworkError { .unauthorized(data: nil, response: nil) }

    /// A failed authentication whose reason is not told.
    public static var authenticationFailed: NetworkError { .authenticationFailed(cause: nil) }

    /// An answer that nothing is known about.
    public static var invalidResponse: NetworkError { .invalidResponse(data: nil, response: nil) }

    /// A status of 500 to 599 with its answer.
    public static func serverError(code: Int, data: Data?, response: HTTPURLResponse?) -> NetworkError {
        .serverError(code: code, answer: FailedAnswer(data: data, response: response))
    }

    /// An error of the server from its response.
    public static func serverError(response: HTTPURLResponse, data: Data?) -> NetworkError {
        .serverError(code: response.statusCode, data: data, response: response)
    }

    /// An error of the client from its response.
    public static func clientError(response: HTTPURLResponse, data: Data?) -> NetworkError {
        .clientError(code: response.statusCode, data: data, response: response)
    }

    /// An answer of another shape, with what its reader said about it.
    public static func parsingError(data: Data?, error: any Error) -> NetworkError {
        .parsingError(data: data, underlyingError: whereAndWhat(error))
    }
}

extension NetworkError: Equatable {
    /// Compares the case, the status and the content; of other errors within it only that there is one.
    public static func == (left: NetworkError, right: NetworkError) -> Bool {
        guard left.name == right.name else { return false }
        switch (left, right) {
        case (.missingEnvironment(let left), .missingEnvironment(let right)): return left == right
        // An unknown error can be anything: two of them are never known to be the same.
        case (.unknown, .unknown): return false
        default: return left.statusCode == right.statusCode && left.responseData == right.responseData
        }
    }
}
