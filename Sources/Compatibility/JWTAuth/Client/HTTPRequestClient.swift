// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchCore
import LatchFoundationBridge
public import LatchHTTP
import Synchronization

/// Sends requests, without a token.
///
/// ```swift
/// let response: SuccessResponse<LoginResponse> =
///     try await httpRequestClient.send(.post("/auth/login").body(credentials))
/// ```
public struct HTTPRequestClient: Sendable {
    /// Sends a request through the given session, or by other means if it is nil.
    ///
    /// It returns the content, the head, and the identifier that was sent.
    public typealias Send =
        @Sendable (URLRequest, (any URLSessionProtocol)?) async throws -> (Data, HTTPURLResponse, UUID)

    private let transport: @Sendable (SendingOptions, RequestIdentifier) -> any Handler
    private let insecure: InsecureHTTP
    /// The dependencies from which the client was read; nil if the program created it.
    private(set) var values: AuthDependencies?

    /// Creates a client over a handler of the core: the network, or a fake.
    public init(handler: any Handler = Transport.live, allowingInsecureHTTP insecure: InsecureHTTP = .loopbackOnly) {
        let sessions = GuardedSessions()
        transport = { options, _ in
            guard let session = options.urlSession else { return handler }
            return FoundationHandler { request, _ in
                var request = request
                request.cachePolicy = options.cachePolicy
                return try await sessions.send(request, by: session)
            }
        }
        self.insecure = insecure
    }

    /// Creates a client over a closure, which itself decides where plain http is allowed.
    public init(send: @escaping Send) {
        transport = { options, identifier in
            FoundationHandler { request, _ in
                var request = request
                request.cachePolicy = options.cachePolicy
                let (data, response, id) = try await send(request, options.urlSession)
                identifier.replace(by: id)
                return (data, response)
            }
        }
        insecure = .anyHostWithoutEncryption
    }

    /// Returns this client bound to the dependencies from which it was read.
    func bound(to values: AuthDependencies?) -> HTTPRequestClient {
        var client = self
        client.values = values
        return client
    }
}

/// The options for sending one request.
struct SendingOptions: Sendable {
    var urlSession: (any URLSessionProtocol)?
    var cachePolicy: URLRequest.CachePolicy
    var timeoutInterval: TimeInterval

    init(_ urlSession: (any URLSessionProtocol)?, _ cachePolicy: URLRequest.CachePolicy, _ timeout: TimeInterval) {
        self.urlSession = urlSession
        self.cachePolicy = cachePolicy
        timeoutInterval = timeout
    }
}

/// A response whose content has not been decoded.
struct RawResponse {
    let requestID: UUID
    let url: URL?
    let response: HTTPResponse
}

extension HTTPRequestClient {
    /// Returns the response to a request, with any status.
    ///
    /// - Parameter interceptors: Returns the interceptors for an origin.
    /// - Throws: `RequestError`, the errors of the interceptors, and `HTTPRequestClient.Error.other` if no response
    ///   arrives.
    nonisolated(nonsending) func respond(
        to request: Request, baseURL: String, _ options: SendingOptions,
        through interceptors: (HTTPOrigin) -> [any Interceptor] = { _ in [] }
    ) async throws -> RawResponse {
        guard !baseURL.isEmpty, let base = URL(encodingOnce: baseURL) else { throw RequestError.missingBaseURL }
        guard let origin = HTTPOrigin(base) else { throw RequestError.malformedRequestURL }
        let identifier = RequestIdentifier()
        let client = Client(
            baseURL: base, transport: transport(for: options, identifier), interceptors: interceptors(origin),
            allowingInsecureHTTP: insecure)
        var message = try request.coreRequest(by: client)
        if message.fields[.accept] == nil { message.fields[.accept] = "application/json" }
        // A refresh that is repeated because its response was lost receives the same response.
        if request.method == .post, message.fields[.idempotencyKey] == nil,
            let key = RefreshAttempt.current?.nextIdempotencyKey()
        {
            message.fields[.idempotencyKey] = key
        }
        if let progress = request.progress, let total = message.body.length, total > 0 {
            message.body = message.body.reporting { count, _ in progress.report(count, total) }
        }
        return try await perform(message, by: client, options, identifier)
    }

    /// Returns the response to a Foundation request.
    nonisolated(nonsending) func respond(
        to request: URLRequest, urlSession: (any URLSessionProtocol)?
    ) async throws -> RawResponse {
        guard let url = request.url else { throw RequestError.malformedRequestURL }
        let options = SendingOptions(urlSession, request.cachePolicy, request.timeoutInterval)
        let identifier = RequestIdentifier()
        let client = Client(
            baseURL: url, transport: transport(for: options, identifier), allowingInsecureHTTP: insecure)
        do {
            return try await perform(try HTTPRequest(request), by: client, options, identifier)
        } catch HTTPError.invalidURL {
            throw RequestError.malformedRequestURL
        }
    }

    private nonisolated(nonsending) func perform(
        _ message: HTTPRequest, by client: Client, _ options: SendingOptions, _ identifier: RequestIdentifier
    ) async throws -> RawResponse {
        var message = message
        if message.fields[.requestID] == nil {
            message.fields[.requestID] = identifier.value.uuidString.lowercasedASCII()
        }
        // Zero, a negative number and NaN mean no limit, which becomes one day.
        let limit = options.timeoutInterval
        message.timeout = .seconds(limit > 0 ? min(limit, 86_400) : 86_400)
        do {
            let response = try await client.respond(to: message)
            return RawResponse(
                requestID: identifier.value, url: URL(encodingOnce: message.absoluteURL), response: response)
        } catch let error as HTTPError {
            if Task.isCancelled { throw CancellationError() }
            throw Error.other(identifier.value, error)
        }
    }

    /// Returns the handler of one request.
    ///
    /// Its errors become `other`, so that they cannot be confused with the session's errors.
    private func transport(for options: SendingOptions, _ identifier: RequestIdentifier) -> any Handler {
        let handler = transport(options, identifier)
        return ClosureHandler { request in
            do {
                return try await handler.respond(to: request)
            } catch let error where error is Error || error is CancellationError {
                throw error
            } catch {
                if Task.isCancelled { throw CancellationError() }
                throw Error.other(identifier.value, error)
            }
        }
    }
}

/// The identifier of a request; a closure that sends the request may replace it.
private final class RequestIdentifier: Sendable {
    private let current = Mutex(UUID())

    var value: UUID { current.withLock { $0 } }

    func replace(by id: UUID) { current.withLock { $0 = id } }
}

extension HTTPRequestClient {
    /// Sends a Foundation request.
    ///
    /// - Returns: The content, the head and the identifier that was sent.
    public nonisolated(nonsending) func send(
        _ request: URLRequest, _ urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> (Data, HTTPURLResponse, UUID) {
        try await respond(to: request, urlSession: urlSession).parts()
    }

    /// Sends a request and reads a success.
    ///
    /// - Throws: `HTTPRequestClient.Error.badResponse` for any other status, and `.decodingError`.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: URLRequest, decoder: JSONDecoder = JSONDecoder(), urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> SuccessResponse<Value> {
        try await respond(to: request, urlSession: urlSession).success(decoder)
    }

    /// Sends a request and reads a success or the server's error, with any status.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: URLRequest, decoder: JSONDecoder = JSONDecoder(), urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> Response<Value, ServerError> {
        try await respond(to: request, urlSession: urlSession).either(decoder).value
    }

    /// Sends a request like the overload above, and also returns its identifier and the head of the response.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: URLRequest, decoder: JSONDecoder = JSONDecoder(), urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> SuccessResponse<Response<Value, ServerError>> {
        try await respond(to: request, urlSession: urlSession).either(decoder)
    }

    /// Sends a request under a base URL.
    ///
    /// - Parameters:
    ///   - request: The request, before `middleware` changes it.
    ///   - baseURL: The base URL; nil for the base URL of the `jwtAuthClient` dependency.
    ///   - urlSession: The session that sends the request; nil for the client's transport.
    ///   - cachePolicy: The cache policy of the Foundation request; the default transport has no cache.
    ///   - timeoutInterval: The number of seconds that one transfer may take, at most one day; zero or less for one
    ///     day.
    ///   - middleware: Further changes to the request.
    public nonisolated(nonsending) func send(
        _ request: Request = Request(), baseURL: String? = nil, urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> (Data, HTTPURLResponse, UUID) {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), baseURL: try base(baseURL), options).parts()
    }

    /// Sends a request under a base URL and reads a success.
    ///
    /// - Parameters:
    ///   - request: The request, before `middleware` changes it.
    ///   - baseURL: The base URL; nil for the base URL of the `jwtAuthClient` dependency.
    ///   - decoder: The decoder of the content.
    ///   - urlSession: The session that sends the request; nil for the client's transport.
    ///   - cachePolicy: The cache policy of the Foundation request; the default transport has no cache.
    ///   - timeoutInterval: The number of seconds that one transfer may take, at most one day; zero or less for one
    ///     day.
    ///   - middleware: Further changes to the request.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request = Request(), baseURL: String? = nil, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Value> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), baseURL: try base(baseURL), options).success(decoder)
    }

    /// Sends a request under a base URL and reads a success or the server's error, with any status.
    ///
    /// - Parameters:
    ///   - request: The request, before `middleware` changes it.
    ///   - baseURL: The base URL; nil for the base URL of the `jwtAuthClient` dependency.
    ///   - decoder: The decoder of the content.
    ///   - urlSession: The session that sends the request; nil for the client's transport.
    ///   - cachePolicy: The cache policy of the Foundation request; the default transport has no cache.
    ///   - timeoutInterval: The number of seconds that one transfer may take, at most one day; zero or less for one
    ///     day.
    ///   - middleware: Further changes to the request.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), baseURL: String? = nil, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> Response<Value, ServerError> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), baseURL: try base(baseURL), options).either(decoder)
            .value
    }

    /// Sends a request like the overload above, and also returns its identifier and the head of the response.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), baseURL: String? = nil, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Response<Value, ServerError>> {
        let options = SendingOptions(urlSession, cachePolicy, timeoutInterval)
        return try await respond(to: try middleware()(request), baseURL: try base(baseURL), options).either(decoder)
    }

    private func base(_ baseURL: String?) throws -> String {
        if let baseURL { return baseURL }
        return try (values ?? .current)[JWTAuthClient.self].baseURL()
    }
}

extension HTTPRequestClient {
    /// An error that prevents the expected response to a request.
    ///
    /// Descriptions, mirrors and dumps show no content, which may contain tokens.
    public enum Error: LocalizedError, Sendable {
        case invalidHTTPResponse(UUID)
        /// An unsuccessful status, with the content as text.
        case badResponse(UUID, Int, String)
        /// Content that cannot be decoded as the expected type.
        case decodingError(UUID, DecodingError)
        /// A request without a response, with the reason.
        case other(UUID, any Swift.Error)

        /// The identifier of the request, as it was sent to the server.
        public var requestID: UUID {
            switch self {
            case .invalidHTTPResponse(let id), .badResponse(let id, _, _), .decodingError(let id, _), .other(let id, _):
                id
            }
        }

        /// A description for users.
        public var errorDescription: String? {
            switch self {
            case .invalidHTTPResponse: "The response is not HTTP."
            case .badResponse(_, let status, _): "The server responded with status \(status)."
            case .decodingError(_, let error): "The response could not be decoded: \(error.place)."
            // The description of another module's error may quote the request.
            case .other(_, let error): (error as? any CodedError)?.message ?? "The request failed: \(type(of: error))."
            }
        }
    }
}

extension HTTPRequestClient.Error: Redacting {
    /// A description with the request's identifier.
    public var description: String { "\(errorDescription ?? "") (request \(requestID.uuidString.lowercasedASCII()))" }
}

extension DecodingError {
    /// A description of the position and kind of a decoding error, without the content.
    public func debugDescription(for requestID: UUID) -> String {
        "\(place) (request \(requestID.uuidString.lowercasedASCII()))"
    }

    fileprivate var place: String {
        func at(_ context: Context, _ key: (any CodingKey)? = nil) -> String {
            let path = (context.codingPath + (key.map { [$0] } ?? [])).map {
                $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)"
            }
            return path.isEmpty ? "at its top" : "at \(Substring(path.joined().unicodeScalars.drop { $0 == "." }))"
        }
        return switch self {
        case .typeMismatch(let type, let context): "\(at(context)) there is no \(type)"
        case .valueNotFound(let type, let context): "\(at(context)) a \(type) is missing"
        case .keyNotFound(let key, let context): "\(at(context, key)) nothing is there"
        case .dataCorrupted(let context): "\(at(context)) it is malformed"
        @unknown default: "it is malformed"
        }
    }
}
