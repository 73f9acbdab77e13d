// SPDX-License-Identifier: Apache-2.0

public import Foundation
import FoundationBridge
import LatchHTTP

extension Request {
    /// The request's URL under a base URL, whose own path and query are kept.
    ///
    /// - Throws: `RequestError`.
    public func fullURL(with baseURL: String) throws -> URL {
        let request = try coreRequest(by: try Self.client(baseURL))
        guard let url = URL(string: request.absoluteURL) else { throw RequestError.malformedRequestURL }
        return url
    }

    /// The request as Foundation has it.
    ///
    /// - Throws: `RequestError`.
    public func urlRequest(
        baseURL: String, cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval = 60
    ) throws -> URLRequest {
        do {
            var request = try URLRequest(core: try coreRequest(by: try Self.client(baseURL)))
            request.cachePolicy = cachePolicy
            request.timeoutInterval = timeoutInterval
            return request
        } catch is HTTPError {
            throw RequestError.malformedRequestURL
        }
    }

    /// A client of the core that makes requests under a base URL.
    ///
    /// - Throws: `RequestError.missingBaseURL`.
    static func client(
        _ baseURL: String, transport: any Handler = Transport.live, interceptors: [any Interceptor] = [],
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly
    ) throws(RequestError) -> Client {
        guard !baseURL.isEmpty, let url = URL(string: baseURL) else { throw .missingBaseURL }
        return Client(
            baseURL: url, transport: transport, interceptors: interceptors, allowingInsecureHTTP: allowingInsecureHTTP)
    }

    /// The request as the core sends it.
    ///
    /// - Throws: `RequestError.malformedRequestURL`.
    func coreRequest(by client: Client) throws(RequestError) -> HTTPRequest {
        var fields: HTTPFields = [:]
        // Two spellings of one name would be two lines: the later one in order of the alphabet stands for both.
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields[HTTPFieldName(name)] = value }
        let content = method.ignoresContent ? nil : body
        if content != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
        do {
            var request = try client.request(
                method.core, routePath, query: queryItems.map { ($0.name, $0.value ?? "") }, fields: fields,
                body: content.map { HTTPBody(Array($0)) } ?? .empty)
            // Which fragments the program spelled is not known here: all of them would be called `{}`.
            request.template = nil
            return request
        } catch {
            throw .malformedRequestURL
        }
    }

    /// The path with each fragment encoded as a whole.
    private var routePath: RoutePath {
        guard let last = path.fragments.last else { return "" }
        var route: RoutePath = ""
        for fragment in path.fragments where !fragment.isEmpty { route = "\(route)/\(fragment)" }
        return last.isEmpty && path.fragments.count > 1 ? "\(route)/" : route
    }
}

extension URLRequest {
    /// The request that a middleware makes of an empty one.
    ///
    /// - Throws: `RequestError`, and what the middleware throws.
    public init(
        _ middleware: RequestMiddleware, baseURL: String,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60
    ) throws {
        self = try middleware(Request())
            .urlRequest(baseURL: baseURL, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
    }
}
