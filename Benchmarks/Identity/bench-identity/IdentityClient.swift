// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP

/// A client of the server over any handler.
struct IdentityClient: Sendable {
    let handler: any Handler
    let origin: HTTPOrigin
    static let password = "Secret123!"

    init(_ handler: any Handler, url: String) {
        self.handler = handler
        origin = HTTPOrigin(scheme: "http", authority: String(url.dropFirst("http://".count)))
    }

    func post(_ path: String, _ json: JSONValue) async throws -> JSONValue {
        let request = HTTPRequest(
            method: .post, scheme: origin.scheme, authority: origin.authority, path: path,
            fields: [.contentType: "application/json"], body: HTTPBody(json.serialized()))
        let response = try await handler.respond(to: request)
        guard response.status.isSuccess else { throw HTTPError.unacceptableStatus(response) }
        return try JSONValue(parsing: response.body.bytes)
    }

    func get(_ path: String) async throws -> String {
        let request = HTTPRequest(scheme: origin.scheme, authority: origin.authority, path: path)
        return try await handler.respond(to: request).body.text ?? ""
    }

    func signUp(_ number: Int) async throws {
        _ = try await post(
            "/api/clients/register",
            ["email": .string("bench\(number)@example.com"), "password": .string(Self.password)])
    }

    /// Logs in and returns the refresh token.
    func logIn(_ number: Int) async throws -> String {
        let response = try await post(
            "/api/auth/clients/login",
            ["email": .string("bench\(number)@example.com"), "password": .string(Self.password)])
        return response["refreshToken"]?.stringValue ?? ""
    }

    /// Refreshes `token` repeatedly until the deadline, each time with the newest one.
    func refresh(_ token: String, until deadline: ContinuousClock.Instant) async throws -> Int {
        var (token, count) = (token, 0)
        while ContinuousClock.now < deadline {
            let response = try await post("/api/auth/refresh-token", ["refreshToken": .string(token)])
            let next = response["refreshToken"]?.stringValue ?? ""
            guard next != token, !next.isEmpty else { throw HTTPError.undecodable("no successor", response: nil) }
            (token, count) = (next, count + 1)
        }
        return count
    }

    /// Returns a value of the metrics.
    func metric(_ name: String) async throws -> Double {
        let line = try await get("/metrics").split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    }
}
