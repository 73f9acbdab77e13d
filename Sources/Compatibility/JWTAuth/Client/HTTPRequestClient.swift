// SPDX-License-Identifier: Apache-2.0

public import Foundation
import FoundationBridge
public import LatchAuth
import LatchCore
public import LatchHTTP
import Synchronization

/// Sends requests, without a token.
///
/// ```swift
/// let answer: SuccessResponse<LoginResponse> = try await
/// httpRequestClient.send(.post("/auth/login").body(credentials))
/// ```
public struct HTTPRequestClient: Sendable {
    /// Sends a request of Foundation's, by a session or else in its own way, and names it.
    public typealias Send =
        @Sendable (URLRequest, (any URLSessionProtocol)?) async throws -> (Data, HTTPURLResponse, UUID)

    /// The transport of the messages.
    private enum Way: Sendable {
        case handler(any Handler)
        case closure(Send)
    }

    private let way: Way
    private let insecure: InsecureHTTP
    private let sessions = GuardedSessions()
    /// The dependencies that the client was taken from; nil where it was made by hand.
    private(set) var values: DependencyValues?

    /// A client over a handler of the core: the network, or a fake.
    public init(handler: any Handler = Transport.live, allowingInsecureHTTP insecure: InsecureHTTP = .loopbackOnly) {
        way = .handler(handler)
        self.insecure = insecure
    }

    /// A client over a closure, which decides by itself where plain http may be spoken.
    public init(send: @escaping Send) {
        way = .closure(send)
        insecure = .anyHostWithoutEncryption
    }

    /// Returns this client bound to the dependencies that it was read from.
    func bound(to values: DependencyValues?) -> HTTPRequestClient {
        var client = self
        client.values = values
        return client
    }
}

/// The options for sending one request and reading its response.
struct SendingOptions {
    var decoder = JSONDecoder()
    var urlSession: (any URLSessionProtocol)?
    var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    var timeoutInterval: TimeInterval = 60
}

/// An answer that has not been read yet.
struct Answer {
    let requestID: UUID
    let url: URL?
    let response: HTTPResponse
}

extension HTTPRequestClient {
    /// The answer to a request, whatever its status.
    ///
    /// - Parameter interceptors: What is done to messages for an origin.
    /// - Throws: `RequestError`, what the interceptors throw, and `HTTPRequestClient.Error.other` for what keeps the
    /// answer
    ///   from coming.
    nonisolated(nonsending) func answer(
        to request: Request, baseURL: String, _ options: SendingOptions,
        through interceptors: (HTTPOrigin) -> [any Interceptor] = { _ in [] }
    ) async throws -> Answer {
        guard !baseURL.isEmpty, let base = URL(string: baseURL) else { throw RequestError.missingBaseURL }
        guard let origin = HTTPOrigin(base) else { throw RequestError.malformedRequestURL }
        let name = RequestName()
        let client = Client(
            baseURL: base, transport: transport(options, name), interceptors: interceptors(origin),
            allowingInsecureHTTP: insecure, decoder: options.decoder)
        var message = try request.coreRequest(by: client)
        if message.fields[.accept] == nil { message.fields[.accept] = "application/json" }
        // A refresh that is repeated after its answer was lost gets the same answer again.
        if request.method == .post, message.fields[.idempotencyKey] == nil, let note = RefreshNote.current {
            message.fields[.idempotencyKey] = note.idempotencyKey()
        }
        return try await answer(to: message, options, name) { try await client.respond(to: $0) }
    }

    /// The answer to a request of Foundation's.
    nonisolated(nonsending) func answer(to request: URLRequest, _ options: SendingOptions) async throws -> Answer {
        guard let url = request.url else { throw RequestError.malformedRequestURL }
        let name = RequestName()
        let client = Client(baseURL: url, transport: transport(options, name), allowingInsecureHTTP: insecure)
        do {
            return try await answer(to: try HTTPRequest(request), options, name) { try await client.respond(to: $0) }
        } catch HTTPError.invalidURL {
            throw RequestError.malformedRequestURL
        }
    }

    private nonisolated(nonsending) func answer(
        to message: HTTPRequest, _ options: SendingOptions, _ name: RequestName,
        by send: nonisolated(nonsending) (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> Answer {
        var message = message
        if message.fields[.requestID] == nil { message.fields[.requestID] = name.id.uuidString.lowercased() }
        // Zero, a negative number and NaN mean no limit, which becomes one day.
        let limit = options.timeoutInterval
        message.timeout = .seconds(limit > 0 ? min(limit, 86_400) : 86_400)
        do {
            let response = try await send(message)
            return Answer(requestID: name.id, url: URL(string: message.absoluteURL), response: response)
        } catch let error as HTTPError {
            if Task.isCancelled { throw CancellationError() }
            throw Error.other(name.id, error)
        }
    }

    /// Returns the handler that sends one request; its errors become `other`, so that they are not taken for the
    /// session's.
    private func transport(_ options: SendingOptions, _ name: RequestName) -> any Handler {
        let handler: any Handler
        switch (way, options.urlSession) {
        case (.handler(let live), nil): handler = live
        case (.handler, let session?):
            handler = FoundationHandler { [sessions, policy = options.cachePolicy] request, _ in
                var request = request
                request.cachePolicy = policy
                return try await sessions.send(request, by: session)
            }
        case (.closure(let send), let session):
            handler = FoundationHandler { [policy = options.cachePolicy] request, _ in
                var request = request
                request.cachePolicy = policy
                let (data, response, id) = try await send(request, session)
                name.rename(id)
                return (data, response)
            }
        }
        return ClosureHandler { request in
            do {
                return try await handler.respond(to: request)
            } catch let error where error is Error || error is CancellationError {
                throw error
            } catch {
                if Task.isCancelled { throw CancellationError() }
                throw Error.other(name.id, error)
            }
        }
    }
}

/// The identifier of a request, which a closure that sends it may replace by its own.
private final class RequestName: Sendable {
    private let current = Mutex(UUID())

    var id: UUID { current.withLock { $0 } }

    func rename(_ id: UUID) { current.withLock { $0 = id } }
}

extension HTTPRequestClient {
    /// Sends a request of Foundation's.
    ///
    /// - Returns: The content, the head, and the identifier that was sent.
    public nonisolated(nonsending) func send(
        _ request: URLRequest, _ urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> (Data, HTTPURLResponse, UUID) {
        try await answer(to: request, options(for: request, urlSession: urlSession)).parts()
    }

    /// Sends a request and reads a success.
    ///
    /// - Throws: `HTTPRequestClient.Error.badResponse` for any other status, and `.decodingError`.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: URLRequest, decoder: JSONDecoder = JSONDecoder(), urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> SuccessResponse<Value> {
        try await answer(to: request, options(for: request, urlSession: urlSession)).success(decoder)
    }

    /// Sends a request and reads a success or the server's error, whatever the status.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: URLRequest, decoder: JSONDecoder = JSONDecoder(), urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> Response<Value, ServerError> {
        try await answer(to: request, options(for: request, urlSession: urlSession)).either(decoder)
    }

    /// Sends a request under a base URL.
    ///
    /// - Parameter baseURL: Nil takes that of the `jwtAuthClient`.
    public nonisolated(nonsending) func send(
        _ request: Request = Request(), baseURL: String? = nil, urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> (Data, HTTPURLResponse, UUID) {
        let options = SendingOptions(urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), baseURL: try base(baseURL), options).parts()
    }

    /// Sends a request under a base URL and reads a success.
    ///
    /// - Parameter baseURL: Nil takes that of the `jwtAuthClient`.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request = Request(), baseURL: String? = nil, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Value> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), baseURL: try base(baseURL), options).success(decoder)
    }

    /// Sends a request under a base URL and reads a success or the server's error, whatever the status.
    ///
    /// - Parameter baseURL: Nil takes that of the `jwtAuthClient`.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), baseURL: String? = nil, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> Response<Value, ServerError> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), baseURL: try base(baseURL), options).either(decoder)
    }

    private func base(_ baseURL: String?) throws -> String {
        if let baseURL { return baseURL }
        return try (values ?? .current)[JWTAuthClient.self].baseURL()
    }

    private func options(for request: URLRequest, urlSession: (any URLSessionProtocol)?) -> SendingOptions {
        SendingOptions(
            urlSession: urlSession, cachePolicy: request.cachePolicy, timeoutInterval: request.timeoutInterval)
    }
}

extension HTTPRequestClient {
    /// An error that keeps a request from getting the expected response.
    ///
    /// Description, reflection and dump show nothing of a content: it may hold tokens.
    public enum Error: LocalizedError, Sendable {
        /// The answer is none of HTTP.
        case invalidHTTPResponse(UUID)
        /// The status is no success: it, and the content as text.
        case badResponse(UUID, Int, String)
        /// The content has another shape than expected.
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
            case .invalidHTTPResponse: "The answer is none of HTTP."
            case .badResponse(_, let status, _): "The server responded with status \(status)."
            case .decodingError(_, let error): "The response could not be decoded: \(error.place)."
            // What a foreign error says of itself may quote what was sent.
            case .other(_, let error): (error as? any CodedError)?.message ?? "The request failed: \(type(of: error))."
            }
        }
    }
}

extension HTTPRequestClient.Error: Redacting {
    /// A description with the request's identifier.
    public var description: String { "\(errorDescription ?? "") (request \(requestID.uuidString.lowercased()))" }
}

extension DecodingError {
    /// A description of the position and the kind of a decoding error, without the content itself.
    public func debugDescription(for requestID: UUID) -> String {
        "\(place) (request \(requestID.uuidString.lowercased()))"
    }

    fileprivate var place: String {
        func at(_ context: Context, _ key: (any CodingKey)? = nil) -> String {
            let path = (context.codingPath + (key.map { [$0] } ?? [])).map {
                $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)"
            }
            return path.isEmpty ? "at its top" : "at \(path.joined().drop { $0 == "." })"
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
