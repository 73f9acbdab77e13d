// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

extension NetworkError {
    /// The content of the answer, where there was one.
    public var responseData: Data? {
        switch self {
        case .parsingError(let data, _), .unauthorized(let data, _), .clientError(_, let data, _),
            .invalidResponse(let data, _):
            data
        case .serverError(_, let answer): answer.data
        default: nil
        }
    }

    /// Status and fields of the answer, where there was one.
    public var httpResponse: HTTPURLResponse? {
        switch self {
        case .unauthorized(_, let response), .clientError(_, _, let response), .invalidResponse(_, let response):
            response
        case .serverError(_, let answer): answer.response
        default: nil
        }
    }

    /// The status of the answer, where it is the error.
    public var statusCode: Int? {
        switch self {
        case .unauthorized: 401
        case .clientError(let code, _, _), .serverError(let code, _): code
        case .invalidResponse(_, let response): response?.statusCode
        default: nil
        }
    }

    /// The answer's content as JSON of a type of the program's own.
    ///
    /// - Throws: `DecodingError`, also where there is no content.
    public func decode<T: Decodable>(_ type: T.Type, using decoder: JSONDecoder = JSONDecoder()) throws -> T {
        try decoder.decode(type, from: responseData ?? Data())
    }

    /// The same, nil where it is not of that type.
    public func tryDecode<T: Decodable>(_ type: T.Type, using decoder: JSONDecoder = JSONDecoder()) -> T? {
        try? decode(type, using: decoder)
    }

    /// The answer's content as text; nil where it is not UTF-8.
    public var responseString: String? { responseData.flatMap { String(validating: $0, as: UTF8.self) } }

    /// Whether the server answered, with something else than success.
    public var isHTTPError: Bool {
        switch self {
        case .unauthorized, .clientError, .serverError, .invalidResponse: true
        default: false
        }
    }

    /// Whether the network is the reason: the request may succeed later as it is.
    public var isConnectivityError: Bool {
        switch self {
        case .timeout, .noConnection: true
        default: false
        }
    }
}

extension NetworkError: CustomStringConvertible {
    /// What happened, without anything that was sent or received.
    public var description: String {
        switch self {
        case .missingEnvironment(let domain): "missingEnvironment(\(domain))"
        case .parsingError(_, let what): what.map { "parsingError: \($0)" } ?? "parsingError"
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

    /// Errors of this package print no secret; of another's only the type is known not to.
    private static func safeDescription(_ error: any Error) -> String {
        switch error {
        case let error as any CodedError: error.message
        case let error as NetworkError: error.description
        case let error as TokenStorageError: error.description
        default: "\(type(of: error))"
        }
    }

    /// Where in the content and what, without the content itself: it may hold secrets.
    static func whereAndWhat(_ error: any Error) -> String {
        error is DecodingError ? error.whereAndWhat : safeDescription(error)
    }
}

extension NetworkError: CustomDebugStringConvertible, CustomReflectable {
    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without what was received, so that `dump` and test reports show none.
    public var customMirror: Mirror { Mirror(self, children: ["case": description], displayStyle: .enum) }
}
