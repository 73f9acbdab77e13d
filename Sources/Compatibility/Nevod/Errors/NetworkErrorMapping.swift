// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

extension NetworkError {
    /// Converts an error of the core or of the application's code.
    init(_ error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case let error as HTTPError: self.init(error)
        case let error as URLError: self.init(error)
        case let error as RefreshFailure: self = error.networkError
        case let error as AuthError: self.init(error)
        case let error as TokenStorageError: self = .authenticationFailed(cause: error)
        case is CancellationError: self = .cancelled
        default: self = .unknown(error)
        }
    }

    /// Converts an error of the transport.
    private init(_ error: HTTPError) {
        switch error {
        case .invalidURL, .insecureURL: self = .invalidURL
        case .timeout: self = .timeout
        // Nevod reports an untrusted server as an unreachable one.
        case .offline, .tls: self = .noConnection
        case .cancelled: self = .cancelled
        case .unencodable: self = .bodyEncodingFailed
        case .undecodable:
            self = .parsingError(data: error.response.map { Data($0.body.bytes) }, underlyingError: error.message)
        default: self = error.response.flatMap { NetworkError($0, url: nil) } ?? .unknown(error)
        }
    }

    /// Converts an error of a URL session.
    public init(_ error: URLError) {
        if let known = HTTPError(error) { self.init(known) } else { self = .unknown(error) }
    }

    /// Converts an error of the session; only the end of the session becomes `unauthorized`.
    private init(_ error: AuthError) {
        switch error {
        case .missingToken, .reauthenticationRequired, .superseded: self = .unauthorized
        case .refreshFailed: self = error.cause.map { NetworkError($0) } ?? .authenticationFailed(cause: error)
        default: self = .authenticationFailed(cause: error)
        }
    }

    /// Creates the error of a response; nil if its status is a success.
    init?(_ response: HTTPResponse, url: URL?) {
        let code = response.status.rawValue
        guard !response.status.isSuccess else { return nil }
        let data = Data(response.body.bytes)
        let failed = HTTPURLResponse(response, url: url)
        self =
            switch code {
            case 401: .unauthorized(data: data, response: failed)
            case 400..<500: .clientError(code: code, data: data, response: failed)
            case 500..<600: .serverError(code: code, data: data, response: failed)
            default: .invalidResponse(data: data, response: failed)
            }
    }
}

extension RefreshFailure {
    /// The cause as an error of this package.
    fileprivate var networkError: NetworkError {
        switch cause {
        case let error as NetworkError where error != .cancelled: error
        case is HTTPError, is URLError:
            NetworkError(cause) == .cancelled ? .authenticationFailed(cause: cause) : .init(cause)
        // The refresh was canceled, not the request that waits for it.
        default: .authenticationFailed(cause: cause)
        }
    }
}

extension NetworkError: IssuerError {
    /// Whether the request may have used up the refresh token although its response was lost.
    package var mayHaveArrived: Bool {
        switch self {
        case .timeout, .parsingError: true
        case .serverError(let code, _): code == 502 || code == 504
        case .unknown(let error): (error as? any IssuerError)?.mayHaveArrived ?? false
        default: false
        }
    }
}
