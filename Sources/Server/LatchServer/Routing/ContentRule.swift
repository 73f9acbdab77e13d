// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The way in which an endpoint receives the content of its requests, and the maximum size of the content.
///
/// ```swift
/// var router = Router(interceptors: [ProblemInterceptor()])
/// router.post("/files/{id}", content: .streamed(upTo: 1 << 30)) { request in
///     var count = 0
///     for try await piece in request.body.chunks { count += piece.count }
///     return HTTPResponse(status: .ok, body: HTTPBody("\(count) bytes"))
/// }
/// ```
///
/// Without a rule an endpoint gets complete content of at most `maximumBodyBytes` in the server's configuration. A
/// prefix in the configuration's `contentLimits` or `streamedContent` takes precedence over the rules of endpoints.
public struct ContentRule: Sendable, Hashable {
    let rule: ContentPolicy.Rule

    /// The complete content, in memory, up to a number of bytes; a request with more is 413.
    public static func collected(upTo limit: Int) -> ContentRule {
        ContentRule(rule: ContentPolicy.Rule(limit: limit, isStreamed: false))
    }

    /// The content while it arrives, as fast as the endpoint reads it, up to a number of bytes.
    ///
    /// The next read after them throws `HTTPError.tooLarge`. If a client sends too slowly, the read throws
    /// `HTTPError.timeout`. If the endpoint rethrows these errors, the response is 413 or 408. After an endpoint has
    /// responded, the rest of its content is not received. Over HTTP/1.1 the connection then ends, unless the rest is
    /// short.
    public static func streamed(upTo limit: Int) -> ContentRule {
        ContentRule(rule: ContentPolicy.Rule(limit: limit, isStreamed: true))
    }
}

extension Router {
    /// Adds an endpoint that receives its content by a rule.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, content rule: ContentRule, handledBy handler: any Handler
    ) {
        on(method, pattern, handledBy: ContentRuleHandler(rule: rule.rule, next: handler))
    }

    /// Adds an endpoint made of a closure, which receives its content by a rule.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, content rule: ContentRule, _ body: @escaping Endpoint<HTTPResponse>
    ) {
        on(method, pattern, content: rule, handledBy: ClosureHandler(body))
    }

    /// Adds a `POST` endpoint, which receives its content by a rule.
    public mutating func post(
        _ pattern: String, content rule: ContentRule, _ body: @escaping Endpoint<HTTPResponse>
    ) {
        on(.post, pattern, content: rule, body)
    }

    /// Adds a `POST` endpoint whose result is sent as JSON, and which receives its content by a rule.
    public mutating func post<Content: Encodable & Sendable>(
        _ pattern: String, content rule: ContentRule, _ body: @escaping Endpoint<Content>
    ) {
        on(.post, pattern, content: rule) { try .json(encoding: try await body($0)) }
    }

    /// Adds a `PUT` endpoint, which receives its content by a rule.
    public mutating func put(_ pattern: String, content rule: ContentRule, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.put, pattern, content: rule, body)
    }

    /// Adds a `PUT` endpoint whose result is sent as JSON, and which receives its content by a rule.
    public mutating func put<Content: Encodable & Sendable>(
        _ pattern: String, content rule: ContentRule, _ body: @escaping Endpoint<Content>
    ) {
        on(.put, pattern, content: rule) { try .json(encoding: try await body($0)) }
    }
}

extension RouteTable {
    /// Returns the content rule of the endpoint for a request; nil without a rule.
    func contentRule(_ trailingSlash: Router.TrailingSlash) -> ContentPolicy.RuleFinder? {
        var policies: [ObjectIdentifier: ContentPolicy] = [:]
        for route in routes {
            let policy = route.handler.handler.contentPolicy
            if policy.own != nil || policy.rule != nil { policies[ObjectIdentifier(route)] = policy }
        }
        guard !policies.isEmpty else { return nil }
        return { [self, policies] method, path in
            let request = HTTPRequest(method: method, scheme: "http", authority: "", path: path)
            guard case .endpoint(let route, _) = match(request, trailingSlash),
                let policy = policies[ObjectIdentifier(route)]
            else { return nil }
            return policy.own ?? policy.rule?(method, path)
        }
    }
}

/// The context key for the limit in the server's configuration for content that is read while it arrives.
enum ConfiguredContentLimit: HTTPContextKey {
    static var defaultValue: Int? { nil }
}

/// A handler whose content follows a rule, both in process and behind a server.
private struct ContentRuleHandler: ContentPolicyHandler {
    let rule: ContentPolicy.Rule
    let next: any Handler

    var contentPolicy: ContentPolicy {
        var policy = ContentPolicy()
        policy.own = rule
        return policy
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let limit = request.context[ConfiguredContentLimit.self] ?? rule.limit
        // A server has collected content within its limit, which the configuration may have raised.
        let isCollected = !rule.isStreamed && request.context[ProtocolVersion.self] != nil
        guard !request.body.isInMemory || !isCollected && request.body.bytes.count > limit else {
            return try await next.respond(to: request)
        }
        let content = LimitedContent(request.body, limit: limit)
        var request = request
        do {
            request.body =
                rule.isStreamed ? content.body : try await content.collected(charging: request.context.memory)
            return try await next.respond(to: request)
        } catch let error as HTTPError {
            throw content.failure.flatMap { $0.code == error.code ? ServerError(receiving: $0) : nil } ?? error
        }
    }
}

/// Content up to a limit, which records the reason why it cannot be read further.
private final class LimitedContent: Sendable {
    private struct State: Sendable {
        var iterator: HTTPBodyStream.Iterator
        var count = 0
        var failure: HTTPError?
    }

    private let content: HTTPBody
    private let limit: Int
    private let state: Mutex<State>

    init(_ content: HTTPBody, limit: Int) {
        (self.content, self.limit) = (content, limit)
        state = Mutex(State(iterator: content.chunks.makeAsyncIterator()))
    }

    /// The error of the last failed read; nil if none failed.
    var failure: HTTPError? { state.withLock { $0.failure } }

    /// The content for a reader.
    var body: HTTPBody {
        HTTPBody(
            HTTPBodyStream(
                length: content.length, once: { try await self.next() }, trailers: { self.content.trailers }))
    }

    /// Returns all of the content in memory, charged to the request.
    func collected(charging memory: MemoryReservation?) async throws -> HTTPBody {
        var all: [UInt8] = []
        while let piece = try await next() {
            guard memory?.reserve(piece.count) ?? true else { throw ServerError.memoryExhausted }
            all += piece
        }
        return HTTPBody(all, trailers: content.trailers)
    }

    private func next() async throws -> [UInt8]? {
        var (iterator, count) = state.withLock { ($0.iterator, $0.count) }
        do {
            // If the announced length is too large, reading does not begin.
            guard content.length ?? 0 <= limit else { throw HTTPError.tooLarge }
            let piece = try await iterator.next()
            count += piece?.count ?? 0
            guard count <= limit else { throw HTTPError.tooLarge }
            let (read, sum) = (iterator, count)
            state.withLock { ($0.iterator, $0.count) = (read, sum) }
            return piece
        } catch let error as HTTPError {
            state.withLock { $0.failure = error }
            throw error
        }
    }
}

extension ServerError {
    /// The error of a request whose content was not received; nil for another reason.
    fileprivate init?(receiving failure: HTTPError) {
        switch failure {
        case .tooLarge: self = .contentTooLarge
        case .timeout:
            let rejection = Rejection.requestTimeout
            self.init(code: "requestTimeout", message: rejection.reason, status: rejection.status)
        default: return nil
        }
    }
}
