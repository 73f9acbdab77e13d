// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchServer
import Synchronization

/// A small OpenID provider, which signs ID tokens and approves everything.
enum Provider {
    struct Counts: Codable {
        var discovery = 0
        var keys = 0
        /// The median time that the token endpoint takes, in microseconds.
        var tokenMicroseconds = 0.0
    }

    private struct State {
        var counts = Counts()
        var times: [Double] = []
    }

    /// Serves on a free port, which it prints, until its standard input ends.
    static func serve() async throws {
        let key = try Key.generate(.es256)
        let state = Mutex(State())
        let server = Server(
            handler: ClosureHandler { request in
                let began = ContinuousClock.now
                if request.path == "/counts" {
                    let counts = state.withLock { state in
                        var counts = state.counts
                        counts.tokenMicroseconds = state.times.sorted()[state.times.count / 2]
                        return counts
                    }
                    return HTTPResponse(status: .ok, body: HTTPBody(Array(try JSONEncoder().encode(counts))))
                }
                let response = respond(to: request, issuer: "http://\(request.authority)", key: key)
                state.withLock { state in
                    if request.path.hasPrefix("/.well-known") { state.counts.discovery += 1 }
                    if request.path == "/jwks" { state.counts.keys += 1 }
                    if request.path == "/token" {
                        state.times.append((ContinuousClock.now - began).inSeconds * 1e6)
                    }
                }
                return response
            })
        let address = try await server.start()
        print(address.port)
        fflush(nil)
        while readLine() != nil {}
        await server.shutdown(grace: .zero)
    }

    static func respond(to request: HTTPRequest, issuer: String, key: Key) -> HTTPResponse {
        switch request.path {
        case "/.well-known/openid-configuration":
            return .json([
                "issuer": .string(issuer), "token_endpoint": .string(issuer + "/token"),
                "authorization_endpoint": .string(issuer + "/authorize"), "jwks_uri": .string(issuer + "/jwks"),
                "id_token_signing_alg_values_supported": [.string(key.algorithm.rawValue)],
            ])
        case "/jwks": return .json(KeySet([key]).jwks())
        case "/token":
            let code = (request.body.text ?? "").split(separator: "&").first { $0.hasPrefix("code=") } ?? "code="
            let access = UUID().uuidString
            let token = try? idToken(issuer: issuer, nonce: String(code.dropFirst(5)), access: access, key: key)
            return .json([
                "access_token": .string(access), "token_type": "Bearer", "expires_in": 3_600,
                "refresh_token": .string(UUID().uuidString), "id_token": .string(token ?? ""),
            ])
        case "/plain":
            return .json([
                "access_token": "2f6b9c0e5d7a4f13", "token_type": "Bearer", "expires_in": 3_600,
                "refresh_token": "8c1d5e7f9a0b2c4d",
            ])
        default: return HTTPResponse(status: .notFound)
        }
    }

    static func idToken(issuer: String, nonce: String, access: String, key: Key) throws -> String {
        var claims: Claims = ["sub": "ada", "email": "ada@example.com", "nonce": .string(nonce)]
        (claims.issuer, claims.audience) = (issuer, ["notes"])
        claims.issuedAt = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        claims.expiry = claims.issuedAt?.addingTimeInterval(600)
        claims["at_hash"] = .string(Base64URL.encode(Array(SHA256.hash(data: Array(access.utf8))).prefix(16)))
        return try JWT.sign(claims, with: key)
    }

    /// Plays the user and the browser: the code is the nonce.
    static func callback(of page: URL) -> URL? {
        let items = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
        return URL(string: "\(value("redirect_uri"))?code=\(value("nonce"))&state=\(value("state"))")
    }
}

/// The provider in a process of its own.
final class RunningProvider {
    let issuer: URL
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--serve"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let issuer = URL(string: "http://127.0.0.1:\(line.trimmingCharacters(in: .whitespacesAndNewlines))")
        else {
            throw Failure("the provider has not started")
        }
        self.issuer = issuer
    }

    func counts() async throws -> Provider.Counts {
        let response = try await Transport.live.respond(to: try HTTPRequest(url: issuer.appending(path: "counts")))
        return try JSONDecoder().decode(Provider.Counts.self, from: Data(response.body.bytes))
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
