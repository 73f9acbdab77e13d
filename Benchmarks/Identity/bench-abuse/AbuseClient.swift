// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// A client with connections of its own.
struct AbuseClient: Sendable {
    private let transport = CurlTransport()
    private let authority: String
    static let password = "Secret123!"

    init(_ url: String) { authority = String(url.dropFirst("http://".count)) }

    func send(
        _ method: HTTPMethod, _ path: String, _ fields: HTTPFields = [:], _ content: [UInt8] = []
    ) async throws -> HTTPResponse {
        try await transport.respond(
            to: HTTPRequest(
                method: method, scheme: "http", authority: authority, path: path, fields: fields,
                body: HTTPBody(content)))
    }

    func post(_ path: String, _ json: JSONValue) async throws -> HTTPResponse {
        try await send(.post, path, [.contentType: "application/json"], json.serialized())
    }

    /// Calls a method of the user service with a compressed message.
    func call(_ method: String, _ compressed: [UInt8], bearer: String? = nil) async throws -> HTTPResponse {
        var fields: HTTPFields = [.contentType: "application/proto", .contentEncoding: "gzip"]
        fields[.authorization] = bearer.map { "Bearer \($0)" }
        return try await send(.post, "/userservice.v1.UserService/" + method, fields, compressed)
    }

    /// Signs up, logs in, and returns the access token.
    func signUp(_ name: String) async throws -> String {
        let account: JSONValue = ["email": .string("\(name)@example.com"), "password": .string(Self.password)]
        _ = try await post("/auth/signup", account)
        let response = try await post("/auth/login", account)
        return try JSONValue(parsing: response.body.bytes)["accessToken"]?.stringValue ?? ""
    }
}

/// Returns the value below which 99 of 100 values are.
func percentile99(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
}
