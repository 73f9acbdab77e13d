// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import FoundationBridge
import LatchHTTP

extension NetworkError {
    /// What went wrong in the core or in the program's own code, in the words of this package.
    init(_ error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case let error as HTTPError: self.init(error)
        case let error as URLError: self.init(error)
        case let error as RefreshFailure: self = error.asNetworkError
        case let error as AuthError: self.init(error)
        case let error as TokenStorageError: self = .authenticationFailed(cause: error)
        case is CancellationError: self = .cancelled
        default: self = .unknown(error)
        }
    }

    /// What happened on the way.
    private init(_ error: HTTPError) {
        switch error {
        case .invalidURL, .insecureURL: self = .invalidURL
        case .timeout: self = .timeout
        // As the original has it: no trust is no connection.
        case .offline, .tls: self = .noConnection
        case .cancelled: self = .cancelled
        case .unencodable: self = .bodyEncodingFailed
        case .undecodable:
            self = .parsingError(data: error.response.map { Data($0.body.bytes) }, underlyingError: error.message)
        default: self = error.response.flatMap { NetworkError($0, url: nil) } ?? .unknown(error)
        }
    }

    /// What a URL session throws; the codes are those that the original lists.
    public init(_ error: URLError) {
        if let known = HTTPError(error) { self.init(known) } else { self = .unknown(error) }
    }

    /// What keeps a session from giving a credential: only its end is a matter of who the person is.
    private init(_ error: AuthError) {
        switch error {
        case .missingToken, .reauthenticationRequired, .superseded: self = .unauthorized
        case .renewalFailed: self = error.cause.map { NetworkError($0) } ?? .authenticationFailed(cause: error)
        default: self = .authenticationFailed(cause: error)
        }
    }

    /// The error that an answer is; nil where it is a success.
    init?(_ response: HTTPResponse, url: URL?) {
        let code = response.status.rawValue
        guard !response.status.isSuccess else { return nil }
        let data = Data(response.body.bytes)
        let answer = HTTPURLResponse(response, url: url)
        self =
            switch code {
            case 401: .unauthorized(data: data, response: answer)
            case 400..<500: .clientError(code: code, data: data, response: answer)
            case 500..<600: .serverError(code: code, data: data, response: answer)
            default: .invalidResponse(data: data, response: answer)
            }
    }
}

/// What the program's own strategy threw while it obtained a credential.
///
/// It keeps the session from taking the error for the issuer's word: the stored token is the program's, and what it
/// does about a refusal is the program's decision.
struct RefreshFailure: Error {
    let cause: any Error

    /// The cause, in the words of this package.
    var asNetworkError: NetworkError {
        switch cause {
        case let error as NetworkError where error != .cancelled: error
        case is HTTPError, is URLError:
            NetworkError(cause) == .cancelled ? .authenticationFailed(cause: cause) : .init(cause)
        // Nobody cancelled who waits for the credential.
        default: .authenticationFailed(cause: cause)
        }
    }
}
