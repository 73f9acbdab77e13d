// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchCrypto
import LatchFoundation
public import LatchHTTP
public import LatchJOSE

/// Sign in with Apple through the device's dialog.
///
/// ```swift no-check
/// let apple = AppleSignIn(clientID: "com.example.notes", provider: SystemAppleIDProvider(from: window), details: secrets)
/// let user = try await apple.signIn()
/// try await auth.signIn(with: user)  // LatchAccounts; or send identityToken, nonce and name to a backend of your own
/// try await apple.forgetDetails(ofUser: user.id)
/// ```
///
/// The identity token is verified like every ID token: signature, issuer, audience, times, nonce. Apple gives name and
/// email address only at the first sign-in. `details` keeps them until the app has delivered them.
public struct AppleSignIn: Sendable {
    private let client: AuthorizationClient
    private let provider: any AppleIDProvider
    private let details: any SecretStore
    private let random: RandomSource

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - clientID: The bundle identifier of the app, which its identity tokens are issued for.
    ///   - provider: The system's dialog.
    ///   - details: The store of names and addresses until they are delivered. A store that outlives the process loses
    ///     none.
    ///   - transport: The handler that fetches Apple's keys.
    ///   - clock: The clock for the token's times.
    ///   - random: The source of nonces and states.
    public init(
        clientID: String, provider: any AppleIDProvider, details: any SecretStore = InMemorySecretStore(),
        transport: any Handler = Transport.live, clock: WallClock = .system, random: RandomSource = .system
    ) {
        client = AuthorizationClient(
            .apple(clientID: clientID), transport: transport, clock: clock, random: random)
        self.provider = provider
        self.details = details
        self.random = random
    }

    /// Shows the system's dialog, and returns the verified user.
    ///
    /// - Parameters:
    ///   - requestingName: Whether the name is requested.
    ///   - requestingEmail: Whether the email address is requested.
    /// - Throws: `OAuthError.cancelled`, `browserUnavailable`, `stateMismatch`, `invalidIDToken` and `issuerMismatch`;
    ///   `HTTPError` if Apple's keys cannot be fetched; `CancellationError`.
    public func signIn(requestingName: Bool = true, requestingEmail: Bool = true) async throws -> AppleUser {
        let nonce = Base64URL.encode(random.bytes(24))
        let request = AppleIDRequest(
            nonce: Self.hash(of: nonce), state: Base64URL.encode(random.bytes(24)), requestsName: requestingName,
            requestsEmail: requestingEmail)
        let credential = try await provider.credential(for: request)
        // Without this request's state, the credential belongs to another request.
        guard let state = credential.state, state.utf8.elementsEqual(request.state.utf8) else {
            throw OAuthError.stateMismatch
        }
        guard let token = credential.identityToken else {
            throw OAuthError.invalidIDToken("the credential has none")
        }
        let expectations = IDTokenExpectations(nonce: request.nonce, code: credential.authorizationCode)
        let claims = try await client.verifiedClaims(of: token, expectations)
        guard let subject = claims.subject, subject.utf8.elementsEqual(credential.user.utf8) else {
            throw OAuthError.invalidIDToken("it is another user's than the credential")
        }
        var user = AppleUser(id: subject, identityToken: token, nonce: nonce, claims: claims)
        user.authorizationCode = credential.authorizationCode
        user.isLikelyReal = credential.isLikelyReal
        let kept = await keptDetails(AppleUserDetails(credential), of: subject)
        user.name = kept.name
        user.email = claims.string("email") ?? kept.email
        return user
    }

    /// The hash that a request has for a nonce: SHA-256 in hexadecimal digits.
    ///
    /// The server computes it too.
    static func hash(of nonce: String) -> String {
        Hex.encode(SHA256.hash(data: Array(nonce.utf8)))
    }

    // MARK: Names and addresses

    /// Removes the name and the address of a user after the app has delivered them.
    public func forgetDetails(ofUser user: String) async throws { try await details.remove(Self.name(user)) }

    /// Returns the known details of a user, and keeps new ones.
    private func keptDetails(_ new: AppleUserDetails, of user: String) async -> AppleUserDetails {
        var all = new
        do {
            if let bytes = try await details.read(Self.name(user)), let old = Self.details(bytes) {
                all = AppleUserDetails(name: new.name ?? old.name, email: new.email ?? old.email)
            }
            if !new.isEmpty { try await details.write(Array(try JSONEncoder().encode(all)), for: Self.name(user)) }
        } catch {
            // The sign-in must not fail because of an unusable store: this result still gives the new details to the
            // app.
        }
        return all
    }

    /// Decodes a record.
    ///
    /// A record of another version counts as missing, so that a name that Apple gives once is still kept.
    private static func details(_ bytes: [UInt8]) -> AppleUserDetails? {
        do { return try JSONDecoder().decode(AppleUserDetails.self, from: Data(bytes)) } catch { return nil }
    }

    private static func name(_ user: String) -> String { "apple.\(hash(of: user))" }

    // MARK: Users who leave

    /// Returns whether a user still uses this app with the Apple Account of this device.
    public func state(ofUser user: String) async throws -> AppleIDState { try await provider.state(ofUser: user) }

    /// Calls `end` when a user has stopped using the Apple Account with this app, and returns.
    ///
    /// It checks now, and after each revocation that the system reports, until the task is canceled. A failed check
    /// ends nothing, and is repeated: after five seconds, then at longer intervals up to ten minutes.
    ///
    /// ```swift no-check
    /// .task { await apple.watch(user: id) { try? await session.signOut() } }
    /// ```
    public func watch(user: String, end: @Sendable () async -> Void) async {
        // The stream comes first, so that no report during the check is lost.
        var revocations = provider.revocations().makeAsyncIterator()
        repeat {
            if await hasLeft(user) { return await end() }
        } while await revocations.next() != nil && !Task.isCancelled
    }

    private func hasLeft(_ user: String) async -> Bool {
        var pause = Duration.seconds(5)
        while true {
            do {
                return try await provider.state(ofUser: user).endsSession
            } catch {
                // Being offline is not a revocation, and the system does not report a revocation twice.
                do { try await client.clock.sleep(for: pause) } catch { return false }
            }
            pause = min(pause * 2, .seconds(600))
        }
    }
}

/// A user whom Apple has authenticated on this device.
public struct AppleUser: Sendable, Redacting {
    /// The identifier of the user, for this developer's apps.
    public let id: String
    /// The verified identity token, a JWT for a server.
    public let identityToken: String
    /// The nonce whose hash is in the identity token.
    ///
    /// A server that gets both knows that the token was made for this app's request.
    public let nonce: String
    /// The claims of the identity token.
    public let claims: Claims
    /// The code that a server exchanges for tokens within five minutes; nil if Apple gave none.
    public internal(set) var authorizationCode: String?
    /// The name; nil unless Apple gave it now, or earlier and it was not forgotten.
    public internal(set) var name: AppleUserName?
    /// The email address, which may be one of Apple's relay; nil if the user has none or did not share it.
    public internal(set) var email: String?
    /// Whether Apple considers the user a real person; nil if Apple does not say.
    public internal(set) var isLikelyReal: Bool?

    init(id: String, identityToken: String, nonce: String, claims: Claims) {
        (self.id, self.identityToken, self.nonce, self.claims) = (id, identityToken, nonce, claims)
    }

    /// Whether Apple has verified the address in the identity token; Apple writes a Boolean or a string.
    public var isEmailVerified: Bool { isTrue("email_verified") }

    /// Whether the address is one of Apple's relay.
    public var isPrivateEmail: Bool { isTrue("is_private_email") }

    private func isTrue(_ name: String) -> Bool { claims[name]?.boolValue ?? (claims.string(name) == "true") }
}

/// The name and the address of a user, in the form that is stored.
private struct AppleUserDetails: Codable {
    var name: AppleUserName?
    var email: String?

    init(name: AppleUserName?, email: String?) { (self.name, self.email) = (name, email) }

    init(_ credential: AppleIDCredential) { self.init(name: credential.name, email: credential.email) }

    var isEmpty: Bool { name == nil && email == nil }
}

extension AuthorizationClient {
    /// Verifies an ID token that did not come in a response to this client's requests, and returns its claims.
    func verifiedClaims(of token: String, _ expectations: IDTokenExpectations) async throws -> Claims {
        guard let verifier = try await resolved().idTokens else {
            throw OAuthError.keysNotPublished
        }
        return try await verifier.claims(of: try verifier.opened(token), expectations)
    }
}
