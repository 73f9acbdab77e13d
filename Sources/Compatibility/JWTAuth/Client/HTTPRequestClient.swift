// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore
import FoundationBridge
import Synchronization
public import LatchHTTP

/// Sends requests, without a token.
///
/// ```swift
/// let answer: SuccessResponse<LoginResponse> = try await httpRequestClient.send(.post("/auth/login").body(credentials))
/// ```
public struct HTTPRequestClient: Sendable {
    /// Sends a request of Foundation's, by a session or else in its own way, and names it.
    public typealias Send =
        @Sendable (URLRequest, (any URLSessionProtocol)?) async throws -> (Data, HTTPURLResponse, UUID)

    /// What carries the messages.
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

    /// This client for the dependencies that it is taken from.
    func bound(to values: DependencyValues?) -> HTTPRequestClient {
        var client = self
        client.values = values
        return client
    }
}

/// How one request is sent, and its answer read.
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
    /// - Throws: `RequestError`, what the interceptors throw, and `HTTPRequestClient.Error.other` for what keeps the answer
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
        // Zero, and what is no time at all, means that there is no limit; a day is none for a request.
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

    /// What sends one request; whatever it throws is told as `other`, so that it is not taken for the session's.
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
        return HandlerFunction { request in
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
