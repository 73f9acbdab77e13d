// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import LatchTesting
import Nevod
import TestSupport
import TestTags
import Testing

@Suite struct ErrorMapTests {
    private static let answers: [(status: Int, name: String)] = [
        (204, "none"), (200, "none"), (304, "invalidResponse"), (300, "invalidResponse"), (400, "clientError"),
        (401, "unauthorized"), (403, "clientError"), (404, "clientError"), (409, "clientError"), (422, "clientError"),
        (429, "clientError"), (499, "clientError"), (500, "serverError"), (502, "serverError"), (503, "serverError"),
        (599, "serverError"),
    ]

    @Test(.tags(.statusMapping), arguments: answers)
    func `The mapping of errors covers every class of status, and keeps the response`(status: Int, name: String)
        async throws
    {
        let body = [204, 304].contains(status) ? "" : #"{"why":"so"}"#
        let server = try RawHTTPServer { _ in
            .text("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nX-Kind: k\r\n\r\n\(body)")
        }
        let provider = provider(try #require(URL(string: server.url)))
        let error = await failure { () -> EmptyResponse in try await provider.get("a") }
        guard name != "none" else {
            expectNil(error)
            return
        }
        expectEqual(error?.statusCode, status)
        expectEqual(error?.responseString, body)
        expectEqual(error?.httpResponse?.value(forHTTPHeaderField: "x-kind"), "k")
        expectEqual(error?.isHTTPError, true)
        expectEqual(error?.isConnectivityError, false)
        if !body.isEmpty { expectEqual(error?.tryDecode([String: String].self), ["why": "so"]) }
        expectEqual(error?.description.hasPrefix(name), true)
        expectEqual(error?.description.contains("so"), false)
    }

    private static let codes: [(URLError.Code, NetworkError)] = [
        (.timedOut, .timeout), (.cancelled, .cancelled), (.notConnectedToInternet, .noConnection),
        (.networkConnectionLost, .noConnection), (.dnsLookupFailed, .noConnection), (.cannotFindHost, .noConnection),
        (.cannotConnectToHost, .noConnection), (.dataNotAllowed, .noConnection),
        (.internationalRoamingOff, .noConnection), (.secureConnectionFailed, .noConnection),
        (.cannotLoadFromNetwork, .noConnection), (.serverCertificateHasBadDate, .noConnection),
        (.serverCertificateHasUnknownRoot, .noConnection), (.serverCertificateUntrusted, .noConnection),
        (.serverCertificateNotYetValid, .noConnection), (.badURL, .invalidURL), (.unsupportedURL, .invalidURL),
    ]

    @Test(.tags(.statusMapping), arguments: codes)
    func `The mapping of errors covers every listed code of a URL session`(code: URLError.Code, expected: NetworkError)
        async throws
    {
        struct Session: URLSessionProtocol {
            let code: URLError.Code
            func requestData(
                for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
            ) async throws -> (Data, URLResponse) { throw URLError(code) }
        }
        expectEqual(NetworkError(URLError(code)), expected)
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: "https://api.example.com")), retryPolicy: RetryPolicy.none,
            session: Session(code: code), logger: nil)
        await expectEqual(failure { () -> EmptyResponse in try await provider.get("a") }, expected)
    }

    @Test
    func `The mapping of errors is equal to the case that a program writes, and has a sentence for a person`() throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 401, httpVersion: nil, headerFields: nil))
        let refused = NetworkError.unauthorized(data: Data("{}".utf8), response: response)
        #expect(refused == .unauthorized && .unauthorized == refused)
        #expect(refused != .unauthorized(data: Data("[]".utf8), response: response) && refused != .invalidResponse)
        let offline: any Error = NetworkError.noConnection
        expectEqual(
            offline.localizedDescription, "The server cannot be reached. Check your connection, then try again.")
    }

    @Test(.tags(.statusMapping)) func `The mapping of errors keeps a code that is not listed`() async throws {
        guard case .unknown(let error as URLError) = NetworkError(URLError(.zeroByteResource)) else {
            Issue.record("it was not kept")
            return
        }
        expectEqual(error.code, .zeroByteResource)
    }

    @Test(.tags(.statusMapping))
    func `The mapping of errors describes a decoding error without the content`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: #"{"id":"secret-id","name":"Ada"}"#) }
        let provider = provider(try #require(URL(string: server.url)))
        let error = await failure { () -> User in try await provider.get("a") }
        guard case .parsingError(let data, let what)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expectEqual(data.map { String(decoding: $0, as: UTF8.self) }, #"{"id":"secret-id","name":"Ada"}"#)
        expectEqual(what, "at 'id' there is no Int.")
        #expect(!String(reflecting: error).contains("secret-id"))
    }

    @Test(.tags(.statusMapping))
    func `The mapping of errors decodes empty content as nothing if the type allows it`() async throws {
        struct Optionals: Decodable, Equatable { let name: String? }
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 204 No Content\r\n\r\n") }
        let provider = provider(try #require(URL(string: server.url)))
        let empty: EmptyResponse = try await provider.delete("a")
        expectEqual(empty, EmptyResponse())
        let none: User? = try await provider.delete("a")
        expectNil(none)
        let optionals: Optionals = try await provider.get("a")
        expectEqual(optionals, Optionals(name: nil))
        let error = await failure { () -> User in try await provider.get("a") }
        guard case .parsingError? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(.tags(.statusMapping))
    func `The mapping of errors has no connection without a listener, and a timeout without a response`() async throws {
        let nobody = provider(try #require(URL(string: "http://127.0.0.1:1")))
        await expectEqual(failure { () -> User in try await nobody.get("a") }, .noConnection)
        let silent = try RawHTTPServer { _ in .stall }
        let waiting = provider(try #require(URL(string: silent.url)), timeout: 0.2)
        await expectEqual(failure { () -> User in try await waiting.get("a") }, .timeout)
    }

    @Test(.tags(.statusMapping)) func `The mapping of errors is canceled with the task`() async throws {
        let silent = try RawHTTPServer { _ in .stall }
        let waiting = provider(try #require(URL(string: silent.url)))
        let task = Task { await failure { () -> User in try await waiting.get("a") } }
        for await event in silent.events { if case .received = event { break } }
        task.cancel()
        await expectEqual(task.value, .cancelled)
    }

    @Test(.tags(.statusMapping))
    func `The mapping of errors rejects plain http to other hosts unless it is allowed explicitly`() async throws {
        let url = try #require(URL(string: "http://api.example.com"))
        await expectEqual(failure { () -> User in try await provider(url).get("a") }, .invalidURL)
        expectEqual(NetworkError.unauthorized, NetworkError.unauthorized(data: nil, response: nil))
    }

    @Test(.tags(.statusMapping)) func `The mapping of errors names the reason why a token is unavailable`() {
        #expect(NetworkError.authenticationFailed(cause: AuthError.storeLocked).description.contains("locked"))
        expectEqual(NetworkError.unknown(URLError(.zeroByteResource)).description, "unknown: URLError")
        expectEqual(NetworkError.missingEnvironment(domain: "api").description, "missingEnvironment(api)")
        expectNotEqual(NetworkError.missingEnvironment(domain: "a"), .missingEnvironment(domain: "b"))
        expectNotEqual(NetworkError.unknown(URLError(.badURL)), .unknown(URLError(.badURL)))
        #expect(NetworkError.timeout.isConnectivityError)
        #expect(throws: DecodingError.self) { try NetworkError.timeout.decode(User.self) }
    }
}
