// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth
import LatchCore
public import LatchFoundation
public import LatchHTTP
public import LatchIdentity
public import LatchTesting

/// An auth server in the process of a test.
///
/// It has the real server's accounts, tokens and emails, but no socket and no mail server.
///
/// ```swift
/// let server = try await IdentityServer.inMemory()
/// let auth = server.client()
/// try await auth.signUp(email: "ada@example.com", password: "a long enough password")
/// let link = try await server.link(to: "ada@example.com")
/// try await auth.verifyEmail(token: link.token)
/// server.clock.advance(by: .seconds(3_600))                   // the access token expires, and no test waits for it
/// server.faults.inject(.lostResponse, into: 1)                // the next response is lost
/// ```
public final class IdentityServer: Handler {
    /// The base URL, which is also the issuer; no server listens there.
    public let url: URL
    /// The clock of the server and of its clients, which stands still until the test moves it.
    public let clock: ManualClock
    /// The faults between the clients and the server.
    public let faults = FaultInjector()
    private let identity: Identity
    private let mailer: MemoryMailer
    private let folder: Folder
    package var folderPath: String { folder.path }

    /// A folder that is removed with its owner.
    private final class Folder: Sendable {
        let path: String

        init() throws {
            // If the system has a file system in memory, nothing is written to a disk.
            let memory = "/dev/shm"
            let parent =
                FileManager.default.fileExists(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
            path = "\(parent)/latch-identity-\(RandomSource.system.identifier())"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit {
            // A folder that cannot be removed is left to the system.
            do { try FileManager.default.removeItem(atPath: path) } catch { return }
        }
    }

    /// Starts a server without accounts, whose data ends with it.
    ///
    /// Password hashes are cheap, so that tests are fast.
    ///
    /// - Parameter configure: Changes the configuration, such as `requireVerifiedEmail`.
    /// - Throws: `IdentityError` if a setting cannot be used.
    public static func inMemory(
        _ configure: @Sendable (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> IdentityServer {
        var configuration = IdentityConfiguration()
        configuration.issuer = "https://id.test"
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configure(&configuration)
        return try await IdentityServer(configuration)
    }

    private init(_ configuration: IdentityConfiguration) async throws {
        guard let url = configuration.issuer.flatMap({ URL(string: $0) }) else { throw HTTPError.invalidURL }
        let (clock, mailer, folder) = (ManualClock(), MemoryMailer(), try Folder())
        identity = try await Identity(
            configuration: configuration, storePath: "\(folder.path)/identity.sqlite", mailer: mailer,
            clock: clock.wallClock())
        (self.url, self.clock, self.mailer, self.folder) = (url, clock, mailer, folder)
    }

    /// Ends the server; without this call, the server ends shortly after its last use.
    public func close() async { await identity.close() }

    deinit {
        Task { [identity] in await identity.close() }
    }

    /// Responds as the server does, or fails with an injected fault.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await faults.intercept(request, next: identity.handlerAfterMails)
    }

    /// Creates a client, as of an app on a separate device.
    ///
    /// - Parameter store: Keeps the tokens.
    public func client(store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>()) -> AuthClient {
        AuthClient(baseURL: url, store: store, transport: self, clock: clock.wallClock())
    }

    /// Suspends the account of an email address, as an administrator does, and signs out its devices.
    ///
    /// - Throws: `IdentityError.noSuchAccount`.
    public func suspend(_ email: String) async throws {
        guard let account = try await identity.administration.account(email: email) else {
            throw IdentityError.noSuchAccount
        }
        _ = try await identity.administration.setStatus(of: account.id, to: .suspended)
    }

    // MARK: Emails

    /// The emails that were sent, in order; an email is present when the request that caused it has ended.
    public var mails: [MailMessage] {
        get async {
            await identity.flushMails()
            return mailer.messages
        }
    }

    /// Returns the link in the newest email to an address.
    ///
    /// - Throws: ``MissingMail`` if no email with a link was sent there.
    public func link(to address: String) async throws -> MailedLink {
        for mail in await mails.reversed() where mail.recipient == address {
            let word = mail.text.split(whereSeparator: \.isWhitespace).first { $0.contains("?token=") }
            guard let word, let url = URL(string: String(word)), let token = word.split(separator: "=").last else {
                continue
            }
            return MailedLink(url: url, token: String(token))
        }
        throw MissingMail(description: "no email with a link was sent to \(address)")
    }
}

/// A link that the server has mailed, and its token.
public struct MailedLink: Sendable, Hashable {
    /// The page that it opens.
    public let url: URL
    /// The token, which an app takes from a deep link.
    public let token: String
}

/// An error for an email that a test expects but that was not sent.
public struct MissingMail: Error, CustomStringConvertible {
    /// The recipient.
    public let description: String
}
