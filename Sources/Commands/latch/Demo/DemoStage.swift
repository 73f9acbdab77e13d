// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import PortableFoundation
import LatchAccounts
import LatchAuth
import LatchCore
import UserService

/// Where the demonstration plays: a server process, its mails, and the devices of one person.
struct DemoStage: Sendable {
    let folder: DemoFolder
    let server: ServerProcess
    /// What processes of the person inherit, without settings of the caller's.
    let environment: [String: String]
    /// Counts what goes over the wire, for "exactly one renewal" is a statement about that.
    let transport = CountingTransport()
    /// Of nobody: example.com is kept for examples (RFC 2606 §3).
    let email = "ada@example.com"
    /// Changes with the reset; later steps log in with what it is then.
    var password = "a horse walks into a library"

    /// Set by the first step, which starts the server.
    var baseURL = URL(filePath: "/")
    /// The first device: tokens in an encrypted file.
    var phone: LatchAccounts.AuthClient?
    /// The second device: the names of AuthPackage, tokens in memory.
    var laptop: AuthPackage.AuthClient?
    /// The generated client on one device, and the access token of another device of the same person.
    var otherDevice: (client: UserManagerClient, access: String?)?
    /// How many authenticated calls were answered with success.
    var calls = 0
    /// How often the server was killed.
    var kills = 0

    init(folder: DemoFolder, server: ServerProcess) {
        self.folder = folder
        self.server = server
        environment = server.inherited
    }

    /// The store of the first device: one encrypted file, which another process would read just so.
    var tokenFile: SecretTokenStore<LatchAuth.Tokens> {
        let secrets = EncryptedFileSecretStore(
            path: folder.path("tokens"), key: .keyFile(path: folder.path("tokens.key")))
        return SecretTokenStore(secrets, name: "ada")
    }

    /// A client as a program that has just been started would make it.
    func client(
        _ store: any LatchAuth.TokenStore<LatchAuth.Tokens>, policy: RenewalPolicy = RenewalPolicy()
    ) -> LatchAccounts.AuthClient {
        LatchAccounts.AuthClient(baseURL: baseURL, store: store, policy: policy, transport: transport)
    }

    /// A client that holds these tokens in memory, as somebody would who copied them.
    func client(holding tokens: LatchAuth.Tokens) -> LatchAccounts.AuthClient {
        client(LatchAuth.InMemoryTokenStore(tokens))
    }

    /// The first device, once it is there.
    ///
    /// - Throws: `DemoFailure` where the step that signs it in was left out.
    func requirePhone() throws(DemoFailure) -> LatchAccounts.AuthClient {
        guard let phone else { throw DemoFailure("the first device never signed in") }
        return phone
    }

    /// The second device, once it is there.
    func requireLaptop() throws(DemoFailure) -> AuthPackage.AuthClient {
        guard let laptop else { throw DemoFailure("the second device never signed in") }
        return laptop
    }

    /// The server's counters at this moment.
    ///
    /// Since the server's last start: a kill sets all of them back to 0.
    func metrics() async throws -> ServerMetrics { try await ServerMetrics(readingFrom: baseURL) }
}
