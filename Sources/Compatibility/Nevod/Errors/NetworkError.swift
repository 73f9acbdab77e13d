// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// An error of a request.
///
/// A case with associated values can also be thrown and caught by its name: `throw NetworkError.unauthorized`, `catch
/// NetworkError.unauthorized`. No description contains a body, a field or a query.
public enum NetworkError: Error {
    /// The URL is malformed, outside of its base URL, or plain http to another host.
    case invalidURL
    /// The configuration has no environment for a domain.
    case missingEnvironment(domain: String)
    /// The response could not be decoded; `data` is its content.
    case parsingError(data: Data?, underlyingError: String?)
    /// The server did not respond in time.
    case timeout
    /// The server is unreachable or not trusted.
    case noConnection
    /// The task was canceled.
    case cancelled
    /// The status 401: the credential is missing or no longer valid.
    case unauthorized(data: Data?, response: HTTPURLResponse?)
    /// A status of 400 to 499 other than 401.
    case clientError(code: Int, data: Data?, response: HTTPURLResponse?)
    /// A status of 500 to 599.
    case serverError(code: Int, response: FailedResponse)
    /// The content could not be encoded.
    case bodyEncodingFailed
    /// Any other error.
    case unknown(any Error)
    /// The credential is unavailable: its storage or the refresh failed.
    case authenticationFailed(cause: (any Error)?)
    /// The response has an unexpected status, such as 304.
    case invalidResponse(data: Data?, response: HTTPURLResponse?)
}

/// The response of a server error.
public struct FailedResponse: Sendable {
    /// The content.
    public let data: Data?
    /// The status and the fields.
    public let response: HTTPURLResponse?

    /// Creates a response from its parts.
    public init(data: Data? = nil, response: HTTPURLResponse? = nil) {
        self.data = data
        self.response = response
    }
}

extension NetworkError {
    /// The status 401 without a response.
    public static var unauthorized: NetworkError { .unauthorized(data: nil, response: nil) }

    /// A failed authentication without a cause.
    public static var authenticationFailed: NetworkError { .authenticationFailed(cause: nil) }

    /// An unexpected response without details.
    public static var invalidResponse: NetworkError { .invalidResponse(data: nil, response: nil) }

    /// Creates the error for a status of 500 to 599.
    public static func serverError(code: Int, data: Data?, response: HTTPURLResponse?) -> NetworkError {
        .serverError(code: code, response: FailedResponse(data: data, response: response))
    }

    /// Creates the error of a 5xx response, with its status as the code.
    public static func serverError(response: HTTPURLResponse, data: Data?) -> NetworkError {
        .serverError(code: response.statusCode, data: data, response: response)
    }

    /// Creates the error of a 4xx response, with its status as the code.
    public static func clientError(response: HTTPURLResponse, data: Data?) -> NetworkError {
        .clientError(code: response.statusCode, data: data, response: response)
    }

    /// Creates a decoding error, which names the key but not the content.
    public static func parsingError(data: Data?, error: any Error) -> NetworkError {
        .parsingError(data: data, underlyingError: decodingFailure(error))
    }
}

extension NetworkError: Equatable {
    /// Compares the case, the status and the content; causes are not compared.
    ///
    /// A `.unauthorized` or `.invalidResponse` without a response, as programs write it, equals every value of its
    /// case.
    public static func == (left: NetworkError, right: NetworkError) -> Bool {
        guard left.name == right.name else { return false }
        switch (left, right) {
        case (.missingEnvironment(let left), .missingEnvironment(let right)): return left == right
        // Arbitrary errors cannot be compared, so two unknown errors are never equal.
        case (.unknown, .unknown): return false
        case (.unauthorized(nil, nil), .unauthorized), (.unauthorized, .unauthorized(nil, nil)),
            (.invalidResponse(nil, nil), .invalidResponse), (.invalidResponse, .invalidResponse(nil, nil)):
            return true
        default: return left.statusCode == right.statusCode && left.responseData == right.responseData
        }
    }
}

extension NetworkError {
    /// The content of the response, if there was one.
    public var responseData: Data? {
        switch self {
        case .parsingError(let data, _), .unauthorized(let data, _), .clientError(_, let data, _),
            .invalidResponse(let data, _):
            data
        case .serverError(_, let failed): failed.data
        default: nil
        }
    }

    /// The status and the fields of the response, if there was one.
    public var httpResponse: HTTPURLResponse? {
        switch self {
        case .unauthorized(_, let response), .clientError(_, _, let response), .invalidResponse(_, let response):
            response
        case .serverError(_, let failed): failed.response
        default: nil
        }
    }

    /// The status of the response, if it is the reason for the error.
    public var statusCode: Int? {
        switch self {
        case .unauthorized: 401
        case .clientError(let code, _, _), .serverError(let code, _): code
        case .invalidResponse(_, let response): response?.statusCode
        default: nil
        }
    }

    /// Decodes the JSON content of the response.
    ///
    /// - Throws: `DecodingError`, including for missing content.
    public func decode<T: Decodable>(_ type: T.Type, using decoder: JSONDecoder = JSONDecoder()) throws -> T {
        try decoder.decode(type, from: responseData ?? Data())
    }

    /// Decodes the JSON content of the response; nil if it cannot be decoded.
    public func tryDecode<T: Decodable>(_ type: T.Type, using decoder: JSONDecoder = JSONDecoder()) -> T? {
        try? decode(type, using: decoder)
    }

    /// The content of the response as text; nil if it is not UTF-8.
    public var responseString: String? { responseData.flatMap { String(validating: $0, as: UTF8.self) } }

    /// Whether the server responded with an unsuccessful status.
    public var isHTTPError: Bool {
        switch self {
        case .unauthorized, .clientError, .serverError, .invalidResponse: true
        default: false
        }
    }

    /// Whether the network is the cause, so that the same request may succeed later.
    public var isConnectivityError: Bool {
        switch self {
        case .timeout, .noConnection: true
        default: false
        }
    }
}

extension NetworkError: CustomStringConvertible {
    /// A description without request and response data.
    public var description: String {
        switch self {
        case .missingEnvironment(let domain): "missingEnvironment(\(domain))"
        case .parsingError(_, let detail): detail.map { "parsingError: \($0)" } ?? "parsingError"
        case .unknown(let error), .authenticationFailed(let error?): "\(name): \(Self.safeDescription(error))"
        default: statusCode.map { "\(name) (status \($0))" } ?? name
        }
    }

    /// The name of the case.
    var name: String {
        switch self {
        case .invalidURL: "invalidURL"
        case .missingEnvironment: "missingEnvironment"
        case .parsingError: "parsingError"
        case .timeout: "timeout"
        case .noConnection: "noConnection"
        case .cancelled: "cancelled"
        case .unauthorized: "unauthorized"
        case .clientError: "clientError"
        case .serverError: "serverError"
        case .bodyEncodingFailed: "bodyEncodingFailed"
        case .unknown: "unknown"
        case .authenticationFailed: "authenticationFailed"
        case .invalidResponse: "invalidResponse"
        }
    }

    /// Describes an error of this package; for any other error, which may print a secret, only the type.
    private static func safeDescription(_ error: any Error) -> String {
        switch error {
        case let error as any CodedError: error.message
        case let error as NetworkError: error.description
        case let error as TokenStorageError: error.description
        default: "\(type(of: error))"
        }
    }

    /// Describes the position and kind of a decoding error, without the content, which may contain secrets.
    static func decodingFailure(_ error: any Error) -> String {
        error is DecodingError ? error.decodingFailureDescription : safeDescription(error)
    }
}

extension NetworkError: CustomReflectable {
    /// A mirror without the response, so that `dump` and test reports do not show it.
    public var customMirror: Mirror { Mirror(self, children: ["case": description], displayStyle: .enum) }
}

extension NetworkError: LocalizedError {
    /// A sentence for users; `responseString` contains the server's message.
    public var errorDescription: String? {
        switch self {
        case .invalidURL: "The address of the server is not valid, or would send data without encryption."
        case .missingEnvironment: "The app has no address for this service."
        case .parsingError, .invalidResponse: "The server sent a response that the app does not understand."
        case .timeout: "The server did not respond in time. Try again."
        case .noConnection: "The server cannot be reached. Check your connection, then try again."
        case .cancelled: "The request was canceled."
        case .unauthorized: "You are not signed in, or your session has ended."
        case .clientError(let code, _, _): "The server refused the request (\(code))."
        case .serverError(let code, _): "The server has a problem (\(code)). Try again later."
        case .bodyEncodingFailed: "The request could not be created."
        case .authenticationFailed: "The sign-in could not be renewed."
        case .unknown: "The request failed."
        }
    }
}
