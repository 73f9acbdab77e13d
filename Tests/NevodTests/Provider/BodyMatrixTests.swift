// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import TestTags
import Testing

/// The content of a route.
enum Content: String, CaseIterable, Sendable {
    case none, dictionary, encodable, form, multipart
}

private struct Note: Codable, Equatable, Sendable {
    let title: String
    let tags: [String]
}

/// A route of any method and any content, with a query of its own.
private struct MatrixRoute: Route {
    typealias Response = Data

    let method: HTTPMethod
    let content: Content
    let query: [String: String]?

    var domain: DefaultDomain { .default }
    var endpoint: String { "/notes" }
    var parameters: [String: String]? { [.dictionary, .form].contains(content) ? ["a": "1", "b": "x y"] : nil }
    var parameterEncoding: ParameterEncoding {
        switch content {
        case .dictionary, .encodable: .json
        case .form: .formUrlEncoded
        case .none, .multipart: .none
        }
    }
    var urlQueryItems: [URLQueryItem]? {
        query?.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
    }
    var headers: [String: String]? {
        content == .multipart ? ["Content-Type": "multipart/form-data; boundary=b"] : nil
    }

    func bodyData(using encoder: JSONEncoder) throws -> Data? {
        switch content {
        case .none: return nil
        case .encodable: return try encoder.encode(Note(title: "t", tags: ["x"]))
        case .multipart: return Data("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nv\r\n--b--\r\n".utf8)
        case .dictionary: return try encoder.encode(parameters)
        case .form: return Data(FormEncoding.encode([("a", "1"), ("b", "x y")]).utf8)
        }
    }
}

@Suite struct BodyMatrixTests {
    private static let expected: [Content: (type: String?, body: String)] = [
        .none: (nil, ""),
        .dictionary: ("application/json", #"{"a":"1","b":"x y"}"#),
        .encodable: ("application/json", #"{"tags":["x"],"title":"t"}"#),
        .form: ("application/x-www-form-urlencoded", "a=1&b=x%20y"),
        .multipart: (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nv\r\n--b--\r\n"
        ),
    ]

    @Test(.tags(.contentMatrix), arguments: HTTPMethod.allCases, Content.allCases)
    func `The content of a request arrives complete with any method, with and without a query`(
        method: HTTPMethod, content: Content
    ) async throws {
        let server = try RawHTTPServer { _ in .response(200, body: "ok") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: server.url + "/v1?k=0")), retryPolicy: RetryPolicy.none,
            jsonEncoder: encoder, logger: nil)
        for query in [nil, ["p": "q&r"]] {
            let answer = try await provider.perform(MatrixRoute(method: method, content: content, query: query))
            expectEqual(String(decoding: answer, as: UTF8.self), "ok")
            let request = try #require(server.requests.last)
            let target = query == nil ? "/v1/notes?k=0" : "/v1/notes?k=0&p=q%26r"
            expectEqual(request.line, "\(method.stringValue) \(target) HTTP/1.1")
            let (type, body) = try #require(Self.expected[content])
            expectEqual(String(decoding: request.body, as: UTF8.self), body)
            expectEqual(request.values(of: "Content-Type"), type.map { [$0] } ?? [])
        }
    }

    @Test(.tags(.contentMatrix))
    func `The content of a request of the included routes arrives complete`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: #"{"id":7,"name":"Ada"}"#) }
        let provider = NetworkProvider.quick(baseURL: try #require(URL(string: server.url)), logger: nil)
        let note = Note(title: "t", tags: [])
        let _: User = try await provider.get("/u", query: ["a": "1"])
        let _: User = try await provider.post("/u", query: ["a": "1"], body: ["b": "2"])
        let _: User = try await provider.post("/u", query: ["a": "1"], body: note)
        let _: User = try await provider.put("/u", query: ["a": "1"], body: ["b": "2"])
        let _: User = try await provider.put("/u", query: ["a": "1"], body: note)
        let _: User = try await provider.patch("/u", query: ["a": "1"], body: note)
        let _: User = try await provider.delete("/u")
        let requests = server.requests
        expectEqual(
            requests.map { $0.line.split(separator: " ").prefix(2).joined(separator: " ") },
            [
                "GET /u?a=1", "POST /u?a=1", "POST /u?a=1", "PUT /u?a=1", "PUT /u?a=1", "PATCH /u?a=1", "DELETE /u",
            ])
        for index in [1, 3] {
            try expectEqual(JSONDecoder().decode([String: String].self, from: Data(requests[index].body)), ["b": "2"])
        }
        for index in [2, 4, 5] {
            try expectEqual(JSONDecoder().decode(Note.self, from: Data(requests[index].body)), note)
        }
        #expect(requests[0].body.isEmpty && requests[6].body.isEmpty)
        expectEqual(
            requests.map { $0.values(of: "Content-Type").first != nil }, [false, true, true, true, true, true, false])
    }

    @Test(.tags(.contentMatrix))
    func `The content of a request is encoded by the route's encoder if it has one`() async throws {
        struct Named: Encodable, Sendable { let firstName = "Ada" }
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let configured = JSONEncoder()
        configured.keyEncodingStrategy = .convertToSnakeCase
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: server.url)), jsonEncoder: configured, logger: nil)
        typealias Named2 = EncodablePostRoute<Named, EmptyResponse, DefaultDomain>
        _ = try await provider.perform(Named2(endpoint: "a", domain: .default, body: Named()))
        _ = try await provider.perform(
            Named2(endpoint: "a", domain: .default, body: Named(), encoder: JSONEncoder(), headers: ["X-A": "b"]))
        expectEqual(
            server.requests.map { String(decoding: $0.body, as: UTF8.self) },
            [
                #"{"first_name":"Ada"}"#, #"{"firstName":"Ada"}"#,
            ])
        expectEqual(server.requests.last?.values(of: "X-A"), ["b"])
    }

    @Test(.tags(.contentMatrix)) func `The content of a request that cannot be encoded is an error`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let provider = NetworkProvider.quick(baseURL: try #require(URL(string: server.url)), logger: nil)
        let error = await failure { () -> EmptyResponse in
            try await provider.post("a", body: ["x": Double.infinity])
        }
        expectEqual(error, .bodyEncodingFailed)
        #expect(server.requests.isEmpty)
    }
}

/// A form whose pairs are read back by the server.
private struct FormRoute: Route {
    typealias Response = EmptyResponse
    let parameters: [String: String]?
    let parameterEncoding: ParameterEncoding
    var method: HTTPMethod { .post }
    var domain: DefaultDomain { .default }
    var endpoint: String { "form" }
}

@Suite struct CharacterTests {
    private static let nasty = [
        "&", "=", "+", "%", " ", ";", "%26", "a&b=c", "ü", "日本", "\u{1F469}\u{200D}\u{1F4BB}", "\"", "'", "\r\n", "#",
        "?", "/",
    ]

    @Test(.tags(.formEncoding), arguments: [ParameterEncoding.query, .formUrlEncoded])
    func `Every character is preserved in names and values`(encoding: ParameterEncoding) async throws {
        let read = Mutex<[String: String]>([:])
        let handler = ClosureHandler { request in
            let fields = encoding == .query ? request.queryItems : try request.formFields()
            read.withLock { $0 = Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }) }
            return .json("{}")
        }
        try await serving(handler) { address in
            let provider = provider(try #require(URL(string: "http://127.0.0.1:\(address.port)")))
            for text in Self.nasty {
                let pairs = [text: text, "x\(text)": "\(text)y"]
                _ = try await provider.perform(FormRoute(parameters: pairs, parameterEncoding: encoding))
                expectEqual(read.withLock { $0 }, pairs)
            }
        }
    }
}
