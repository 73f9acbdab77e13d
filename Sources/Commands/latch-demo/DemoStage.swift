// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchAuth
import LatchCore
import LatchFoundation
import UserService

/// The state of a demonstration: a server process, its emails, and the devices of one user.
struct DemoStage: Sendable {
    let folder: DemoDirectory
    let server: ServerProcess
    /// The environment variables of child processes, without the caller's settings.
    let environment: [String: String]
    /// The transport of all clients, whose counts show that exactly one refresh happened.
    let transport = CountingTransport()
    /// An address in a domain reserved for examples (RFC 2606 §3).
    let email = "ada@example.com"
    /// The current password, which the reset changes.
    var password = "a horse walks into a library"

    /// The server's URL, which the first step sets.
    var baseURL = URL(filePath: "/")
    /// The first device, which keeps its tokens in an encrypted file.
    var phone: LatchAccounts.AuthClient?
    /// The second device: a client of AuthPackage that keeps its tokens in memory.
    var laptop: AuthPackage.AuthClient?
    /// The generated client on one device, and the access token of another device of the same user.
    var otherDevice: (client: UserManagerClient, access: String?)?
    /// The number of successful authenticated calls.
    var calls = 0
    /// How many times the server was killed.
    var kills = 0

    init(folder: DemoDirectory, server: ServerProcess) {
        self.folder = folder
        self.server = server
        environment = server.inherited
    }

    /// The first device's store: one encrypted file, which another process could also read.
    var tokenFile: SecretTokenStore<LatchAuth.Tokens> {
        let secrets = EncryptedFileSecretStore(
            path: folder.path("tokens"), key: .keyFile(path: folder.path("tokens.key")))
        return SecretTokenStore(secrets, name: "ada")
    }

    /// Creates a client, as a newly started program does.
    func client(
        _ store: any LatchAuth.TokenStore<LatchAuth.Tokens>, policy: RefreshPolicy = RefreshPolicy()
    ) -> LatchAccounts.AuthClient {
        var policy = policy
        // The demo refreshes far more often in half a minute than an app does.
        policy.requestLimit = 1_000
        return LatchAccounts.AuthClient(baseURL: baseURL, store: store, policy: policy, transport: transport)
    }

    /// Creates a client without tokens that keeps them in memory.
    func newClient() -> LatchAccounts.AuthClient { client(LatchAuth.InMemoryTokenStore()) }

    /// Creates a client with copied tokens in memory.
    func client(holding tokens: LatchAuth.Tokens) -> LatchAccounts.AuthClient {
        client(LatchAuth.InMemoryTokenStore(tokens))
    }

    /// Returns the first device.
    ///
    /// - Throws: `DemoFailure` if no step has signed it in yet.
    func requirePhone() throws(DemoFailure) -> LatchAccounts.AuthClient {
        try require(phone, "the first device never signed in")
    }

    /// Returns the second device.
    func requireLaptop() throws(DemoFailure) -> AuthPackage.AuthClient {
        try require(laptop, "the second device never signed in")
    }

    /// The emails that the server has sent.
    var mails: MailFolder { MailFolder(path: folder.path("mails")) }

    /// Signs up another user with the current password, and verifies the address.
    func signUp(email: String) async throws {
        let client = newClient()
        try await client.signUp(email: email, password: password)
        let token = try await mails.token(subject: "Confirm your email address", to: email, amongOthers: true)
        try await client.verifyEmail(token: token)
    }

    /// Returns the server's counters since its last start.
    func metrics() async throws -> ServerMetrics { try await ServerMetrics(readingFrom: baseURL) }
}
