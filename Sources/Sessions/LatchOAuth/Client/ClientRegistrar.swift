// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchCrypto
public import LatchFoundation
public import LatchHTTP
import LatchJOSE

/// The registration of a program at an issuer that it was not configured for.
///
/// The first of these applies, in the order of the Model Context Protocol (revision 2025-11-25, "Authorization"):
///
/// 1. a registration that was made beforehand;
/// 2. the URL of the program's own metadata document, if the issuer fetches it
///    (draft-ietf-oauth-client-id-metadata-document);
/// 3. a registration that the program makes itself (RFC 7591), once, and keeps in a secret store.
///
/// ```swift no-check
/// let registrar = try ClientRegistrar(issuer: issuer, metadata: metadata, secrets: secrets)
/// let response = try await registrar.withRegistration { registration in
///     let client = AuthorizationClient(OAuthConfiguration(issuer: issuer, registration: registration))
///     return try await client.authorize(using: browser)
/// }
/// ```
///
/// Use one registrar for an issuer: concurrent callers share its registration.
public actor ClientRegistrar {
    private let issuer: URL
    private let metadata: ClientMetadata
    private let secrets: any SecretStore
    private let existing: ClientRegistration?
    private let documentURL: URL?
    private let initialToken: String?
    private let client: AuthorizationClient
    /// The running search for a registration, which callers share.
    private var running: Task<RegisteredClient, any Error>?
    /// Whether the issuer has refused a client that was just registered; another one would fare no better.
    private var refusesNewClients = false

    /// Creates a registrar.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier.
    ///   - metadata: The metadata of this program.
    ///   - secrets: The store of the registration, with its secret and the token that manages it.
    ///   - existing: The registration that was made beforehand; nil without one.
    ///   - documentURL: The https URL of the program's metadata document; nil without one. `metadata.document(for:)`
    ///     returns its content.
    ///   - initialToken: The token that the issuer requires for a registration; nil if it requires none.
    ///   - transport: The handler that sends the requests.
    ///   - allowingInsecureHTTP: The hosts that may be addressed by plain http.
    ///   - timeout: The timeout of one request; nil for that of the transport.
    ///   - clock: The clock for the expiry of secrets.
    /// - Throws: `OAuthError.unsuitableClientID` for a URL that cannot identify a client.
    public init(
        issuer: URL, metadata: ClientMetadata, secrets: any SecretStore, existing: ClientRegistration? = nil,
        documentURL: URL? = nil, initialToken: String? = nil, transport: any Handler = Transport.live,
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly, timeout: Duration? = nil, clock: WallClock = .system
    ) throws(OAuthError) {
        if let documentURL { try ClientMetadata.check(documentURL) }
        (self.issuer, self.metadata, self.secrets) = (issuer, metadata, secrets)
        (self.existing, self.documentURL, self.initialToken) = (existing, documentURL, initialToken)
        client = AuthorizationClient(
            OAuthConfiguration(issuer: issuer, registration: .none), transport: transport,
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: timeout, clock: clock)
    }

    /// Returns the registration, which is made first if there is none.
    ///
    /// - Throws: `OAuthError.missingEndpoint` if the issuer registers no programs. The issuer's refusal, and the errors
    ///   of discovery and of the store.
    public func registration() async throws -> ClientRegistration {
        if let fixed = try await fixed() { return fixed }
        return try await own(replacing: nil).registration
    }

    /// Calls `body` with the registration, and once more with a new one if the issuer has forgotten the first.
    ///
    /// Issuers delete registrations that are old or unused, and then refuse the client (`invalid_client`). A
    /// registration that the program did not make itself is not replaced.
    ///
    /// - Throws: The errors of ``registration()`` and of `body`.
    public func withRegistration<Value: Sendable>(
        _ body: @Sendable (ClientRegistration) async throws -> Value
    ) async throws -> Value {
        if let fixed = try await fixed() { return try await body(fixed) }
        let first = try await own(replacing: nil)
        do {
            return try await body(first.registration)
        } catch let error as OAuthError where error == .invalidClient && !refusesNewClients {
            let second = try await own(replacing: first)
            do {
                return try await body(second.registration)
            } catch let error as OAuthError where error == .invalidClient {
                refusesNewClients = true
                throw error
            }
        }
    }

    // MARK: Management

    /// Returns the registration as the issuer has it now (RFC 7592 §2.1); nil without one that the program made.
    ///
    /// If the issuer has forgotten the client, the result is nil as well, and the next call of ``registration()``
    /// makes a new one.
    ///
    /// - Throws: `OAuthError.missingEndpoint` if the issuer lets no client manage its registration, its refusal, and
    ///   the errors of the store.
    public func read() async throws -> RegisteredClient? {
        guard let known = try await stored() else { return nil }
        do {
            let current = try await client.tokenEndpoint().read(known)
            try await keep(current)
            return current
        } catch let error as OAuthError where error.isOfForgottenClient {
            try await secrets.remove(name)
            return nil
        }
    }

    /// Replaces the registered metadata (RFC 7592 §2.2), for example with new redirect URIs.
    ///
    /// - Returns: The registration; nil without one that the program made, and that the issuer still knows.
    /// - Throws: As ``read()``.
    @discardableResult
    public func update(_ metadata: ClientMetadata) async throws -> RegisteredClient? {
        guard let known = try await stored() else { return nil }
        do {
            let updated = try await client.tokenEndpoint().update(known, to: metadata)
            try await keep(updated)
            return updated
        } catch let error as OAuthError where error.isOfForgottenClient {
            try await secrets.remove(name)
            return nil
        }
    }

    /// Deletes the registration at the issuer and in the store (RFC 7592 §2.3).
    ///
    /// - Throws: As ``read()``; the registration stays in the store then.
    public func delete() async throws {
        guard let known = try await stored() else { return }
        do {
            try await client.tokenEndpoint().delete(known)
        } catch let error as OAuthError where error.isOfForgottenClient {
            // It is deleted already.
        }
        try await secrets.remove(name)
    }

    // MARK: The registration

    /// Returns the registration that the program does not make itself; nil without one.
    private func fixed() async throws -> ClientRegistration? {
        if let existing { return existing }
        guard let documentURL, try await client.server().isTrue("client_id_metadata_document_supported") else {
            return nil
        }
        return ClientRegistration(clientID: documentURL.absoluteString)
    }

    /// Returns the program's own registration, which is neither expired nor the forgotten one.
    private func own(replacing forgotten: RegisteredClient?) async throws -> RegisteredClient {
        while let running {
            let found = try await running.value
            if found != forgotten { return found }
            if self.running == running { self.running = nil }
        }
        let search = Task {
            if let known = try await stored(), known != forgotten, !known.isExpired(at: client.clock.now) {
                return known
            }
            let new = try await client.tokenEndpoint().register(metadata, initialToken: initialToken)
            try await keep(new)
            return new
        }
        running = search
        defer { if running == search { running = nil } }
        return try await search.value
    }

    /// The name of the secret: a hash, so that each issuer has its own.
    private var name: String {
        let digest = SHA256.hash(data: Array(issuer.absoluteString.utf8))
        return "latch.client." + Base64URL.encode(Array(digest).prefix(18))
    }

    private func stored() async throws -> RegisteredClient? {
        try await secrets.read(name).flatMap { RegisteredClient(stored: $0) }
    }

    private func keep(_ client: RegisteredClient) async throws { try await secrets.write(client.stored, for: name) }
}

extension OAuthError {
    /// Whether a registration endpoint does not know the client any more (RFC 7592 §2.1: 401).
    fileprivate var isOfForgottenClient: Bool { status == .unauthorized }
}
