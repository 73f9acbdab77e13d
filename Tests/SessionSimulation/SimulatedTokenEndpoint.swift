// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchFoundation
import LatchHTTP
import LatchOAuth

/// A simulated issuer as an OAuth server: forms in, JSON out (RFC 6749 §5).
struct SimulatedTokenEndpoint: Handler {
    let network: SimulatedNetwork
    let process: SimulatedProcess
    /// A closure that is called with the refresh token of each request.
    let onRefresh: @Sendable (String) -> Void
    /// A closure that is called with the answer that a client hears.
    let onAnswer: @Sendable (Tokens) -> Void
    /// A closure that is called with each token to be revoked.
    let onRevocation: @Sendable (String) -> Void

    func client(revokes: Bool) throws -> TokenEndpoint {
        guard let url = URL(string: "https://issuer.example.com") else { throw HTTPError.invalidURL }
        var server = AuthorizationServer.latchwork(at: url)
        if !revokes { server.revocationEndpoint = nil }
        return TokenEndpoint(
            server: server, registration: ClientRegistration(clientID: "simulation"), transport: self,
            clock: network.simulation.clock)
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let form = Self.parameters(of: request.body.bytes)
        guard request.path.hasSuffix("/token") else {
            onRevocation(form["token"] ?? "")
            try await network.revoke(form["token"] ?? "")
            return HTTPResponse(status: .ok)
        }
        let token = form["refresh_token"] ?? ""
        onRefresh(token)
        do {
            let key = request.fields[.idempotencyKey] ?? ""
            let answer = try await network.refresh(token, key: key, by: process)
            onAnswer(answer)
            return network.response(answer)
        } catch let error as HTTPError where error.response != nil {
            return error.response ?? HTTPResponse(status: 500)
        } catch AuthError.invalidTokenResponse {
            // The connection ended in the middle, and nobody noticed.
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"access_token":"a:"#))
        }
    }

    private static func parameters(of form: [UInt8]) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in form.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: PercentEncoding.decode($0, plusIsSpace: true), as: UTF8.self) }
            if parts.count == 2 { parameters[parts[0]] = parts[1] }
        }
        return parameters
    }
}
