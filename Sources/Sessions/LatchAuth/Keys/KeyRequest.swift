// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation
internal import LatchCore
internal import LatchHTTP
internal import LatchJOSE

/// Asks an issuer for its keys.
struct KeyRequest: Sendable {
    private let request: HTTPRequest
    private let client: Client
    private let policy: RemoteKeyPolicy

    /// A request to an address.
    ///
    /// - Throws: `HTTPError.insecureURL` where anybody on the way could exchange the keys.
    init(_ url: URL, transport: any Handler, policy: RemoteKeyPolicy) throws(HTTPError) {
        var request = try HTTPRequest(url: url, fields: [.accept: "application/jwk-set+json, application/json"])
        guard request.scheme == "https" || request.origin.isLoopback else { throw HTTPError.insecureURL }
        // As a stream, so that the limit holds for what arrives and not for what has arrived.
        request.wantsStream = true
        request.timeout = policy.timeout
        self.request = request
        self.policy = policy
        // The keys are believed because they come from this origin: another one is not asked.
        client = Client(
            baseURL: url, transport: transport, redirects: RedirectPolicy(maximum: 3, staysWithinOrigin: true))
    }

    /// Where the keys lie.
    var place: String { "\(request.origin)\(request.pathWithoutQuery)" }

    /// The keys, or why there are none: `AuthError.keysUnavailable`.
    func snapshot(after known: KeySnapshot?, clock: WallClock) async -> Result<KeySnapshot, AuthError> {
        do {
            var request = request
            if let tag = known?.entityTag { request.fields["If-None-Match"] = tag }
            let response = try await client.respond(to: request)
            let keys = try await keys(of: response, known)
            let tag = response.fields["ETag"] ?? (response.status.rawValue == 304 ? known?.entityTag : nil)
            return .success(
                KeySnapshot(keys, of: response, entityTag: tag, now: clock.uptime, policy: policy))
        } catch {
            return .failure(AuthError.keysUnavailable(at: place).caused(by: error))
        }
    }

    private func keys(of response: HTTPResponse, _ known: KeySnapshot?) async throws -> KeySet {
        if response.status.rawValue == 304, let known { return known.keys }
        guard response.status == .ok else { throw HTTPError.unacceptableStatus(response) }
        let set = try KeySet(jwks: try await response.body.collected(upTo: policy.largest))
        // RFC 8725 §3.1: what is published is no secret, and a token that is signed with it is anybody's.
        guard set.keys.allSatisfy({ $0.publicKey != nil }) else {
            throw AuthError.keysUnavailable(at: "\(place), which publishes a shared secret")
        }
        return KeySet(set.keys.compactMap(\.publicKey))
    }
}
