// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchFoundation
public import LatchHTTP

/// The stronger or fresher authentication that a server requires before it serves a request (RFC 9470 §3).
///
/// The credential itself is valid, so a refresh would not help. An authorization request with these parameters does.
public struct StepUpRequirement: Sendable, Hashable, Codable {
    /// The authentication context classes, one of which suffices, in order of preference (`acr_values`).
    public var contextClasses: [String]
    /// The maximum time since the user's authentication (`max_age`); nil accepts any.
    public var maximumAge: Duration?
    /// The scopes that the new tokens need; nil if the server does not state them.
    public var scopes: Scopes?
    /// The interaction that the issuer requires before it refreshes (`prompt`); nil if a resource requires the step-up.
    public var prompt: Prompt?

    /// The claims that the new tokens need (OpenID Connect Core §5.5); nil for none.
    ///
    /// Microsoft Entra and APIs behind it require such claims.
    public var claims: JSONObject? {
        get { requiredClaims?.objectValue }
        set { requiredClaims = newValue.map { .object($0) } }
    }
    private var requiredClaims: JSONValue?

    /// An interaction of an issuer with the user (OpenID Connect Core §3.1.2.1).
    public enum Prompt: String, Sendable, Hashable, Codable {
        /// The user signs in again.
        case login
        /// The user consents.
        case consent
        /// The user selects an account.
        case accountSelection = "select_account"
    }

    /// Creates a requirement.
    public init(
        contextClasses: [String] = [], maximumAge: Duration? = nil, scopes: Scopes? = nil, prompt: Prompt? = nil
    ) {
        self.contextClasses = contextClasses
        self.maximumAge = maximumAge
        self.scopes = scopes
        self.prompt = prompt
    }

    /// Returns the requirement of an issuer that does not refresh without the user; nil for another error code.
    ///
    /// The codes are those of OpenID Connect Core §3.1.2.6.
    ///
    /// - Parameter suberror: The second code of Microsoft Entra. Its libraries keep the refresh token for the codes
    ///   here, and drop it for `bad_token` and `token_expired`.
    /// - Parameter claims: The claims that the next request needs, as Entra states them: an object or its text.
    package init?(errorCode: String, suberror: String? = nil, claims: JSONValue? = nil) {
        self.init(errorCode: errorCode, suberror)
        self.claims = claims?.objectValue ?? claims?.stringValue.flatMap { Self.claims(in: Array($0.utf8)) }
    }

    private init?(errorCode: String, _ suberror: String?) {
        switch errorCode {
        case "interaction_required", "insufficient_user_authentication": self.init()
        case "login_required": self.init(prompt: .login)
        case "consent_required": self.init(prompt: .consent)
        case "account_selection_required": self.init(prompt: .accountSelection)
        case "invalid_grant":
            switch suberror {
            case "consent_required": self.init(prompt: .consent)
            case "user_password_expired": self.init(prompt: .login)
            case "basic_action", "additional_action", "message_only", "protection_policy_required",
                "device_authentication_failed":
                self.init()
            default: return nil
            }
        default: return nil
        }
    }

    /// Returns the second code of Microsoft Entra in an error; older responses have only the number of their message.
    package static func suberror(in members: JSONObject) -> String? {
        if let text = members["suberror"]?.stringValue { return text }
        let numbers = (members["error_codes"]?.arrayValue ?? []).prefix(16).compactMap(\.intValue)
        return numbers.lazy.compactMap { suberrorsByNumber[$0] }.first
    }

    /// The numbers of missing consent, missing multi-factor authentication and its registration, and an expired
    /// password.
    private static let suberrorsByNumber = [
        65_001: "consent_required", 50_076: "basic_action", 50_079: "basic_action", 50_055: "user_password_expired",
    ]

    /// Returns nil if the challenge requires no step-up.
    package init?(_ challenge: Challenge) {
        // The second code is Microsoft Entra's: https://learn.microsoft.com/entra/identity-platform/claims-challenge
        guard ["insufficient_user_authentication", "insufficient_claims"].contains(challenge["error"]) else {
            return nil
        }
        self.init(
            contextClasses: (challenge["acr_values"] ?? "").unicodeScalars.split(separator: " ").map { String($0) },
            maximumAge: challenge["max_age"].flatMap(Self.seconds),
            scopes: challenge["scope"].map(Scopes.init(parsing:)))
        claims = challenge["claims"].flatMap(Self.encodedClaims)
    }

    /// Decodes claims in the form of a challenge or as JSON; nil if they are neither.
    package static func claims(ofChallenge text: String) -> JSONObject? {
        claims(in: Array(text.utf8)) ?? encodedClaims(text)
    }

    /// Decodes the claims of a challenge, which are in base 64 with either alphabet, with or without padding.
    private static func encodedClaims(_ text: String) -> JSONObject? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        return [Base64Alphabet.standard, .url].lazy.compactMap { $0.decode(digits) }.first.flatMap(claims)
    }

    /// The maximum size of claims, many times that of any real ones.
    private static let greatestSize = 16_384

    private static func claims(in bytes: [UInt8]) -> JSONObject? {
        guard bytes.count <= greatestSize else { return nil }
        // Unreadable claims request nothing, but the step-up is required nevertheless.
        do { return try JSONValue(parsing: bytes).objectValue } catch { return nil }
    }

    /// Parses a whole number of seconds that is not negative (RFC 9470 §3); returns nil for anything else.
    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text).map { .seconds($0) }
    }
}

extension Session {
    /// A closure that lets the user authenticate as a server requires (RFC 9470 §4), and returns the new credential.
    ///
    /// Its requests through a client of the same session have no credential.
    public typealias StepUp = @Sendable (StepUpRequirement) async throws -> Value

    /// The step-up that a server has required but the user has not completed; usually nil.
    ///
    /// The session stays signed in, and its credential is valid for all other requests. A refresh does not change the
    /// requirement. A sign-in or step-up ends it unless the new credential shows that it is not met. A sign-out also
    /// ends it.
    public nonisolated var stepUp: StepUpRequirement? { stepUpBroadcast.current }

    /// The pending step-up and each later change once, in order.
    ///
    /// The stream ends with the session, or when its consumer stops.
    public nonisolated var stepUps: AsyncStream<StepUpRequirement?> { stepUpBroadcast.stream() }

    /// The number of refusals that required a step-up; each refused request counts, also while a step-up is pending.
    package nonisolated var stepUpRefusals: Int { stepUpRefusalBroadcast.current }

    /// The number of refusals and each later change once, in order.
    package nonisolated var stepUpRefusalCounts: AsyncStream<Int> { stepUpRefusalBroadcast.stream() }

    /// Makes `value` the session's credential after the same user has authenticated again.
    ///
    /// Unlike after a sign-in, running requests are repeated with it, and other processes continue.
    ///
    /// - Throws: `AuthError.missingToken` if no user is signed in, `AuthError.differentUser` if the credential names
    ///   another user, or `AuthError.superseded` if another user has signed in in the meantime. A `store…` code if it
    ///   cannot be stored. The session is then unchanged.
    public func stepUp(to value: Value) async throws {
        _ = try await currentCredential()
        _ = try await self.value { .stepUp($0, value) }
    }

    /// Ends the pending step-up with the same credential, for a server that records the user's authentication itself.
    package func completeStepUp() { send(.completeStepUp) }

    /// Returns a credential to repeat a request that was refused because of the user's authentication.
    ///
    /// - Throws: `AuthError.stepUpRequired` if it cannot be obtained, and `AuthError.superseded` if another user has
    ///   signed in since.
    func steppedUp(
        for requirement: StepUpRequirement, refusing refused: CredentialSnapshot<Value>, by satisfy: StepUp?
    ) async throws -> CredentialSnapshot<Value> {
        let snapshot = try await value(isLeavable: true) { waiter in
            authenticators[waiter] = satisfy
            return .requireStepUp(waiter, requirement, generation: refused.generation, mayAsk: satisfy != nil)
        }
        guard let snapshot else { throw AuthError.superseded }
        return snapshot
    }
}

/// The reason why a server refuses the credential of a request.
public enum CredentialRefusal: Sendable, Hashable {
    /// The credential is no longer accepted: a refresh may help.
    case credential
    /// The user has to authenticate again or in a stronger way (RFC 9470).
    case authentication(StepUpRequirement)

    /// Creates the reason from a 401; nil if the response does not refuse its credential.
    ///
    /// A refusal of the key's proof (RFC 9449) is not about the credential. A missing scope (RFC 6750 §3.1) would also
    /// be missing in a successor. Without an explicit reason the credential counts as invalid, because most servers
    /// give none.
    public init?(_ response: HTTPResponse) {
        guard response.status == .unauthorized, response.dpopError == nil else { return nil }
        let challenges = response.challenges()
        if let requirement = challenges.lazy.compactMap(StepUpRequirement.init).first {
            self = .authentication(requirement)
        } else if challenges.contains(where: { $0["error"] == "insufficient_scope" }) {
            return nil
        } else {
            self = .credential
        }
    }
}
