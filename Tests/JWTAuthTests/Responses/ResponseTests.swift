// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import JWTAuthDependencies
import LatchCore
import LatchHTTP
import TestTags
import Testing

@Suite struct ResponseTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    /// Lets the backend answer, and sends so that both a value and a refusal may come.
    private func either(_ text: String, status: HTTPStatus = .ok) async throws -> Response<Profile, Refusal> {
        backend.on("/x") { _ in .json(text, status: status) }
        return try await backend.run { try await Dependency(\.jwtAuthClient).wrappedValue.send(.get("/x")) }
    }

    /// Takes the program's own type, which no wrapper is.
    private func name(of profile: Profile) -> String { profile.name }

    private func badStatus(_ error: (any Error)?) -> Int? {
        guard case HTTPRequestClient.Error.badResponse(_, let status, _)? = error else { return nil }
        return status
    }

    @Test(.tags(.typedResponses)) func `A success with the value is a success`() async throws {
        let result = try await either(#"{"name":"Ada"}"#)
        switch result {
        case .success(let profile): expectEqual(name(of: profile), "Ada")
        case .failure: Issue.record("a failure")
        }
        expectEqual(result.value, Profile(name: "Ada"))
        expectNil(result.error)
        try expectEqual(result.get(), Profile(name: "Ada"))
        expectEqual(result.body, .success(Profile(name: "Ada")))
    }

    @Test(.tags(.typedResponses), arguments: [200, 400, 401, 403, 404, 409, 422, 500, 503])
    func `A failure in the server's words is a failure with any status`(status: Int) async throws {
        let result = try await either(#"{"message":"no"}"#, status: HTTPStatus(rawValue: status))
        switch result {
        case .success: Issue.record("a success")
        case .failure(let refusal): expectEqual(refusal.message, "no")
        }
        expectEqual(result.error, Refusal(message: "no"))
        expectNil(result.value)
        expectEqual(result.body, .failure(Refusal(message: "no")))
        #expect(throws: Refusal(message: "no")) { try result.get() }
    }

    @Test(.tags(.typedResponses), arguments: [200, 403])
    func `The identifier and the head are returned if they are requested`(status: Int) async throws {
        typealias Result = SuccessResponse<Response<Profile, Refusal>>
        let json = status == 200 ? #"{"name":"Ada"}"# : #"{"message":"no"}"#
        backend.on("/x") { _ in .json(json, status: HTTPStatus(rawValue: status)) }
        let tokens = try backend.issue()
        let results = try await backend.run(keychain: .inMemory(tokens)) { () -> [Result] in
            @Dependency(\.jwtAuthClient) var client
            @Dependency(\.httpRequestClient) var requests
            let url = try client.baseURL() + "/x"
            return [
                try await client.send(.get("/x")), try await client.sendAuthenticated(.get("/x")),
                try await requests.send(.get("/x")),
                try await requests.send(URLRequest(url: try #require(URL(string: url)))),
            ]
        }
        for (result, request) in zip(results, backend.requests) {
            expectEqual(result.response.statusCode, status)
            expectEqual(result.response.value(forHTTPHeaderField: "content-type"), "application/json")
            expectEqual(request.fields[.requestID], result.requestID.uuidString.lowercased())
            expectEqual(
                result.value, status == 200 ? .success(Profile(name: "Ada")) : .failure(Refusal(message: "no")))
        }
        expectEqual(results.count, 4)
    }

    @Test(.tags(.typedResponses)) func `A failure in the server's words need not be an error`() async throws {
        backend.on("/x") { _ in .json(#"{"name":"why"}"#, status: .forbidden) }
        try await backend.run {
            let result: Response<[Int], Profile> = try await Dependency(\.jwtAuthClient).wrappedValue.send(.get("/x"))
            expectEqual(result.error, Profile(name: "why"))
        }
    }

    @Test(.tags(.typedResponses))
    func `A response of neither form is a bad response, or an unreadable one`() async throws {
        expectEqual(badStatus(await failure { try await either("<html>", status: 502) }), 502)
        expectEqual(badStatus(await failure { try await either("", status: .unauthorized) }), 401)
        let error = await failure { try await either(#"{"other":1}"#) }
        guard case HTTPRequestClient.Error.decodingError(_, .keyNotFound(let key, _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expectEqual(key.stringValue, "name")
    }

    @Test(.tags(.typedResponses))
    func `An empty response is enough if no value is requested, and is an error otherwise`() async throws {
        backend.on("/x") { _ in HTTPResponse(status: .noContent) }
        try await backend.run {
            @Dependency(\.jwtAuthClient) var client
            let none: SuccessResponse<EmptyResponse> = try await client.send(.delete("/x"))
            expectEqual(none.response.statusCode, 204)
            try await _ = client.send(.delete("/x"))
            let error = await failure { () async throws -> SuccessResponse<Profile> in
                try await client.send(.delete("/x"))
            }
            guard case HTTPRequestClient.Error.decodingError? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            backend.on("/x") { _ in .json("no json at all") }
            _ = try await client.send(.delete("/x"))
            backend.on("/x") { _ in .json("", status: .badRequest) }
            expectEqual(badStatus(await failure { try await client.send(.delete("/x")) }), 400)
        }
    }

    @Test(.tags(.typedResponses)) func `Each request has its own identifier, which the server receives`() async throws {
        try await backend.run {
            let client = Dependency(\.httpRequestClient).wrappedValue
            let answers = await atOnce(50) { _ in
                let answer: SuccessResponse<Response<Profile, Refusal>>? = try? await client.send(.get("/user/profile"))
                return answer?.requestID
            }
            expectEqual(Set(answers.compactMap { $0 }).count, 50)
            let told = backend.requests.compactMap { $0.fields[.requestID] }.compactMap(UUID.init(uuidString:))
            expectEqual(Set(told), Set(answers.compactMap { $0 }))
        }
    }

    @Test func `A URLRequest of Foundation is also answered, in all three forms`() async throws {
        backend.on("/x") { request in .json(#"{"name":"\#(request.method) \#(request.body.text ?? "")"}"#) }
        try await backend.serve { base in
            let client = HTTPRequestClient()
            var request = URLRequest(url: try #require(URL(string: base + "/x?a=b")))
            request.httpMethod = "POST"
            request.httpBody = Data("body".utf8)
            request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            let (data, head, id) = try await client.send(request)
            expectEqual(String(decoding: data, as: UTF8.self), #"{"name":"POST body"}"#)
            expectEqual(head.statusCode, 200)
            expectEqual(backend.requests.last?.fields[.requestID], id.uuidString.lowercased())
            let success: SuccessResponse<Profile> = try await client.send(request)
            expectEqual(success.data.name, "POST body")
            let either: Response<Profile, Refusal> = try await client.send(request)
            expectEqual(either.value?.name, "POST body")
        }
        let nobody = await failure { try await HTTPRequestClient().send(.get("/x"), baseURL: "http://127.0.0.1:1") }
        guard case HTTPRequestClient.Error.other(_, let cause)? = nobody else {
            Issue.record("\(String(describing: nobody))")
            return
        }
        expectEqual((cause as? HTTPError)?.isConnectivity, true)
    }

    @Test func `The program's own URLSession sends, without a say in cookies and redirects`()
        async throws
    {
        backend.on("/away") { _ in
            HTTPResponse(status: .seeOther, fields: [.location: "/user/profile", .setCookie: "a=b"])
        }
        let tokens = try backend.issue()
        try await backend.run(keychain: .inMemory(tokens)) {
            @Dependency(\.jwtAuthClient) var client
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(
                .get("/away"), decoder: JSONDecoder(), urlSession: URLSession(configuration: .ephemeral),
                cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 30
            ) {
                header(key: "X-Extra", value: "1")
            }
            expectEqual(answer.data.name, "Ada")
        }
        expectEqual(backend.requests.map(\.path), ["/away", "/user/profile"])
        expectEqual(backend.requests.map { $0.fields["X-Extra"] }, ["1", "1"])
        expectNil(backend.requests.last?.fields[.cookie])
        #expect(backend.authorizations.allSatisfy { $0 == "Bearer \(tokens.access)" })
    }

    @Test func `A token goes to the base URL's origin and nowhere else`() async throws {
        let tokens = try backend.issue()
        let elsewhere = try Backend()
        try await elsewhere.serve { other in
            backend.on("/away") { _ in
                HTTPResponse(status: .seeOther, fields: [.location: "\(other)/user/profile"])
            }
            try await backend.run(keychain: .inMemory(tokens)) {
                @Dependency(\.jwtAuthClient) var client
                _ = await failure { try await client.sendAuthenticated(.get("/away")) }
            }
        }
        #expect(!elsewhere.requests.isEmpty)
        #expect(elsewhere.authorizations.allSatisfy { $0 == nil })
    }

    @Test func `What a server answers plain http to another machine is refused before anything is sent`() async {
        let error = await failure { try await HTTPRequestClient().send(.get("/x"), baseURL: "http://api.example.com") }
        guard case HTTPRequestClient.Error.other(_, let cause)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expectEqual(cause as? HTTPError, .insecureURL)
    }
}
