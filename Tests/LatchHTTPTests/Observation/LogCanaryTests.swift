// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

/// A secret, in every place where one can be.
private let canary = "c4n4ry-5ecr3t-7f3a9b"

/// An error of somebody else's, which prints what it knows.
private struct Leaking: LocalizedError, CustomStringConvertible {
    let secret = canary
    var description: String { "failed with \(secret)" }
    var errorDescription: String? { description }
}

/// A coded error around another one, with the secret in all of its texts.
private struct Nested: CodedError {
    let code = "nested"
    let message = "The token \(canary) was refused."
    var hint: String? { "Try \(canary) again." }
    let cause = Leaking()
}

@Suite(.tags(.logRedaction)) struct LogCanaryTests {
    enum Fate: CaseIterable {
        case success, refusal, failure, redirect, retry, offline, nestedError, foreignError, cancellation
    }

    private let shown = Recording<String>()

    /// Keeps everything that a sink could find out: the text, and all parts by reflection.
    private func keep(_ value: some Sendable) {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        shown.add(text)
    }

    /// The names that carry secrets, and some that nobody knows.
    private static let names: [HTTPFieldName] = [
        .authorization, .cookie, .setCookie, .wwwAuthenticate, .location, .idempotencyKey, "Proxy-Authorization",
        "DPoP",
        "X-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "X-Csrf-Token", "X-Signature", "Signature", "Referer",
        "Origin", "From", "Forwarded", "X-Forwarded-For", "Authentication-Info", "X-Custom", "ETag", "If-Match", "Link",
        "Content-Disposition", "Content-Location", "Server-Timing", "Baggage", "tracestate", "password",
    ]

    private static func fields() -> HTTPFields {
        var fields: HTTPFields = [.accept: "application/json"]
        for name in names { fields.append("Bearer \(canary); a=\(canary)", for: name) }
        return fields
    }

    private static func answer(_ status: HTTPStatus) -> HTTPResponse {
        HTTPResponse(status: status, fields: fields(), body: HTTPBody(#"{"token":"\#(canary)"}"#))
    }

    private func transport(_ fate: Fate) -> ClosureHandler {
        let count = Mutex(0)
        return ClosureHandler { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch fate {
            case .success: return Self.answer(.ok)
            case .refusal: return Self.answer(.forbidden)
            case .failure: return Self.answer(.internalServerError)
            case .redirect:
                guard number == 1 else { return Self.answer(.ok) }
                var response = Self.answer(302)
                response.fields[.location] = "/next/\(canary)?code=\(canary)"
                return response
            case .retry: return Self.answer(number < 3 ? .serviceUnavailable : .ok)
            case .offline:
                throw HTTPError(
                    code: "offline", message: "No way to \(canary).", hint: canary, response: Self.answer(.ok))
            case .nestedError: throw Nested()
            case .foreignError: throw Leaking()
            case .cancellation: throw CancellationError()
            }
        }
    }

    private func client(_ fate: Fate, _ options: LoggingOptions) throws -> Client {
        let clock = ManualClock().leapingClock()
        let metrics = SampleRecorder()
        let logging = LoggingInterceptor(options, clock: clock) { keep($0) }
        let observing = ClosureInterceptor { [shown] request, next in
            defer { shown.add("\(metrics.samples)") }
            return try await next.respond(to: request)
        }
        return Client(
            baseURL: try #require(URL(string: "https://api.example.com/v1")), transport: transport(fate),
            interceptors: [
                observing, TraceInterceptor(), logging, MetricsInterceptor(metrics, clock: clock),
                HeaderInterceptor(Self.fields()), IdempotencyInterceptor(),
                RetryInterceptor(clock: clock, observing: { keep($0) }), logging,
            ])
    }

    @Test(arguments: LogLevel.allCases, Fate.allCases)
    func `A secret in every place of a request is in no sink`(level: LogLevel, fate: Fate) async throws {
        var options = LoggingOptions(minimumLevel: level, queryNames: ["page"])
        // Somebody allows what must never be shown.
        options.fieldNames.formUnion([.authorization, .cookie, .setCookie, "DPoP", "X-Api-Key"])
        let client = try client(fate, options)
        var request = try client.request(
            .put, "notes/\(canary)/\(canary)", query: [("token", canary), (canary, "x"), ("page", "2")],
            fields: Self.fields(), body: HTTPBody("password=\(canary)"))
        request.path += "&\(canary)&=\(canary)"
        request.credentialFields.append("X-Api-Key")
        let result = await Task { [request] in try await client.respond(to: request) }.result
        if case .failure(let error) = result, let error = error as? HTTPError { shown.add("\(error.code)") }
        for text in shown.entries {
            #expect(!text.contains(canary), "\(text)")
            #expect(!text.contains("Bearer"))
        }
        // The log is not empty for lack of anything to say.
        let isHeard = level <= .info || (level <= .warning && fate == .refusal)
        if isHeard || [.failure, .offline, .nestedError, .foreignError].contains(fate) {
            #expect(
                shown.entries.contains { $0.contains("PUT https://api.example.com/v1/notes/{}/{}?token=*&*=*&page=2") })
        }
    }

    @Test(arguments: LogLevel.allCases)
    func `A secret in a request is not in the place of a host, a method or a scheme`(level: LogLevel)
        async
    {
        let logging = LoggingInterceptor(LoggingOptions(minimumLevel: level)) { keep($0) }
        let handler = transport(.failure).intercepted(by: [logging])
        for authority in ["user:\(canary)@h.example", "h.example/\(canary)", "\(canary)\r\n", "h.example:\(canary)/"] {
            _ = try? await handler.respond(to: HTTPRequest(authority: authority, path: "/"))
        }
        _ = try? await handler.respond(to: HTTPRequest(method: HTTPMethod(rawValue: canary), authority: "h", path: "/"))
        _ = try? await handler.respond(to: HTTPRequest(scheme: canary, authority: "h", path: "/"))
        _ = try? await handler.respond(to: HTTPRequest(authority: "h", path: canary))
        _ = try? await handler.respond(to: HTTPRequest(authority: "h", path: "/?\(canary)"))
        #expect(shown.entries.count >= 7)
        for text in shown.entries { #expect(!text.contains(canary), "\(text)") }
    }

    @Test func `A secret in every place of a request is shown only by a formatter of the caller`() async throws {
        let options = LoggingOptions(minimumLevel: .debug)
        let logging = LoggingInterceptor(
            options,
            showingContentThatMayHoldSecretsBy: { body in body.text?.replacingOccurrences(of: canary, with: "#") }
        ) { keep($0) }
        let handler = transport(.success).intercepted(by: [logging])
        let request = HTTPRequest(method: .post, authority: "h", path: "/", body: HTTPBody("pin=\(canary)\n\u{1B}[2J"))
        _ = try await handler.respond(to: request)
        #expect(shown.entries.contains { $0.contains("pin=#??[2J") })
        #expect(shown.entries.contains { $0.contains(##"{"token":"#"}"##) })
    }
}
