// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchHTTP
package import LatchIdentityStorage

/// The worker that tells clients which of their sessions have ended (OpenID Connect Back-Channel Logout §2.5).
///
/// A notice leaves the store only after its client has accepted it. Servers share the notices, and each takes one with
/// a lease. A crash in between sends it twice, and the client ends nothing the second time.
package final class ClientNoticeQueue: DueWork {
    /// The interval between two checks, for the notices of other servers and for further attempts.
    private static let pollInterval = Duration.seconds(5)
    /// The time that a client has to respond; its user may wait for the end of the session.
    private static let patience = Duration.seconds(5)
    /// The lease of a worker, longer than one attempt.
    private static let lease: TimeInterval = 30
    /// The number of attempts after which a notice is given up.
    package static let maximumAttempts = 5
    /// The pause after the first failed attempt, in seconds, which doubles with each further one.
    package static let firstPause: TimeInterval = 10

    private let clients: OAuthClients
    private let store: IdentityStore
    package let clock: WallClock
    private let random: RandomSource
    private let accessTokens: AccessTokenIssuer
    private let sessionIDs: ClientSessionID
    private let transport: any Handler
    /// Eight workers, so that one slow client does not delay the others.
    package let workers = DueWorkers(atMost: 8)

    package init(
        clients: OAuthClients, store: IdentityStore, clock: WallClock, random: RandomSource,
        accessTokens: AccessTokenIssuer, pepper: SymmetricKey, transport: any Handler
    ) {
        self.clients = clients
        self.store = store
        self.clock = clock
        self.random = random
        self.accessTokens = accessTokens
        sessionIDs = ClientSessionID(pepper: pepper)
        // No redirects: the request goes where the registration says.
        self.transport = BoundedResponses(transport, maximumSize: 64 << 10, within: Self.patience)
    }

    /// Sends the notices that are due, regularly, until the task is canceled.
    package func run() async {
        guard clients.mayHaveLogoutURIs else { return }
        await run(every: Self.pollInterval)
    }

    /// Takes a notice; nil if none is due, or if the store fails, which counts its failure.
    package func take() async -> ClientNotice? {
        guard clients.mayHaveLogoutURIs else { return nil }
        do throws(IdentityError) {
            let now = clock.now
            return try await store.claimNotice(at: now, until: now.addingTimeInterval(Self.lease))
        } catch {
            return nil
        }
    }

    /// Sends a notice; after a failure of the store it is sent again when its lease ends.
    package func process(_ notice: ClientNotice) async {
        do throws(IdentityError) { try await send(notice) } catch {
            // The store has counted its failure.
        }
    }

    /// Makes one attempt.
    private func send(_ notice: ClientNotice) async throws(IdentityError) {
        guard let client = try await clients.client(notice.clientID), let uri = client.backchannelLogoutURI else {
            return try await store.remove(notice)
        }
        if await isAccepted(notice, by: client, at: uri) { return try await store.remove(notice) }
        let now = clock.now
        let pause = Self.firstPause * Double(1 << min(notice.attempts - 1, 10))
        let next = now.addingTimeInterval(pause * (1 - random.unit() / 2))
        guard notice.attempts < Self.maximumAttempts, next < notice.expiresAt else {
            return try await store.abandon(notice, at: now)
        }
        try await store.postpone(notice, until: next)
    }

    /// Posts the logout token of a notice, and returns whether the client has ended the session.
    private func isAccepted(_ notice: ClientNotice, by client: OAuthClient, at uri: String) async -> Bool {
        do {
            let id = sessionIDs.text(
                browser: notice.browserDevice, device: notice.deviceID, for: client.id)
            let token = try accessTokens.issueLogoutToken(of: notice.accountID, sessionID: id, to: client)
            let target = try HTTPOrigin.split(uri)
            let request = HTTPRequest(
                method: .post, scheme: target.origin.scheme, authority: target.origin.authority, path: target.path,
                fields: [.contentType: "application/x-www-form-urlencoded"],
                body: HTTPBody(FormEncoding.encode([("logout_token", token)])))
            return try await transport.respond(to: request).status.isSuccess
        } catch {
            // A client that cannot be reached may be reached later.
            return false
        }
    }
}
