// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP
import PortableFoundation

/// The stronger or fresher authentication that a server requires before it serves a request (RFC 9470 §3).
///
/// The credential itself is good, so a refresh would not help: an authorization request with these parameters does.
public struct StepUpRequirement: Sendable, Hashable, Codable {
    /// The authentication context classes of which one suffices, the preferred one first (`acr_values`).
    public var contextClasses: [String]
    /// The greatest time since the user's authentication (`max_age`); nil if any is accepted.
    public var maximumAge: Duration?
    /// The scopes that the new tokens need; nil if the server does not state them.
    public var scopes: Scopes?
    /// The interaction that the issuer requires before it refreshes (`prompt`); nil if a resource requires the step-up.
    public var prompt: Prompt?

    /// The claims that the new tokens need (OpenID Connect Core §5.5), as Microsoft Entra and APIs behind it require them; nil for
    /// none.
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

    /// Returns the requirement of an issuer that does not refresh without the user (OpenID Connect Core §3.1.2.6); nil for
    /// another error code.
    ///
    /// - Parameter suberror: The second code of Microsoft Entra. Its libraries keep the refresh token for these, and drop it for
    ///   `bad_token` and `token_expired`.
    /// - Parameter claims: The claims that the next request needs, as Entra states them: an object, or its text.
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

    /// The numbers of missing consent, of missing multi-factor authentication and its registration, and of an expired password.
    private static let suberrorsByNumber = [
        65_001: "consent_required", 50_076: "basic_action", 50_079: "basic_action", 50_055: "user_password_expired",
    ]

    /// Returns nil when the challenge requires no step-up.
    package init?(_ challenge: Challenge) {
        // The second one is Microsoft Entra's: https://learn.microsoft.com/entra/identity-platform/claims-challenge
        guard ["insufficient_user_authentication", "insufficient_claims"].contains(challenge["error"]) else {
            return nil
        }
        self.init(
            contextClasses: (challenge["acr_values"] ?? "").unicodeScalars.split(separator: " ").map { String($0) },
            maximumAge: challenge["max_age"].flatMap(Self.seconds),
            scopes: challenge["scope"].map(Scopes.init(parsing:)))
        claims = challenge["claims"].flatMap(Self.encodedClaims)
    }

    /// Decodes claims as a challenge has them, or as JSON; nil if they are neither.
    package static func claims(ofChallenge text: String) -> JSONObject? {
        claims(in: Array(text.utf8)) ?? encodedClaims(text)
    }

    /// Decodes the claims of a challenge, which are in base 64: in either alphabet, with padding or without.
    private static func encodedClaims(_ text: String) -> JSONObject? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        return [Base64Alphabet.standard, .url].lazy.compactMap { $0.decode(digits) }.first.flatMap(claims)
    }

    /// The greatest size of claims, many times that of any real ones.
    private static let greatestSize = 16_384

    private static func claims(in bytes: [UInt8]) -> JSONObject? {
        guard bytes.count <= greatestSize else { return nil }
        // Claims that cannot be read ask for nothing; the step-up is required all the same.
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
    /// Requests that it makes through a client of the same session go out without a credential.
    public typealias StepUp = @Sendable (StepUpRequirement) async throws -> Value

    /// The step-up that a server has required and the user has not completed; nil nearly always.
    ///
    /// The session stays signed in, and its credential is valid for all other requests. A refresh changes nothing. A
    /// sign-in or step-up ends the requirement unless its credential shows that it is not met, and so does a sign-out.
    public nonisolated var stepUp: StepUpRequirement? { stepUpBroadcast.current }

    /// The pending step-up and each later change once, in order.
    ///
    /// The stream ends with the session, or when its consumer stops.
    public nonisolated var stepUps: AsyncStream<StepUpRequirement?> { stepUpBroadcast.stream() }

    /// The number of refusals that required a step-up; a pending one counts each refused request.
    package nonisolated var stepUpRefusals: Int { stepUpRefusalBroadcast.current }

    /// The number of refusals and each later change once, in order.
    package nonisolated var stepUpRefusalCounts: AsyncStream<Int> { stepUpRefusalBroadcast.stream() }

    /// Makes `value`, with which the same user has authenticated again, the session's credential.
    ///
    /// Unlike after a sign-in, running requests are repeated with it, and other processes continue.
    ///
    /// - Throws: `AuthError.missingToken` if no user is signed in, `AuthError.differentUser` if the credential says
    ///   that it belongs to another user, `AuthError.superseded` if another user signed in meanwhile, a `store…` code
    ///   when it cannot be stored; the session is then unchanged.
    public func stepUp(to value: Value) async throws {
        _ = try await currentCredential()
        _ = try await self.value { .stepUp($0, value) }
    }

    /// Ends the pending step-up with the same credential, for a server that records the user's authentication by itself.
    package func completeStepUp() { send(.completeStepUp) }

    /// Returns a credential to repeat a request that was refused because of the user's authentication.
    ///
    /// - Throws: `AuthError.stepUpRequired` if it cannot be obtained, and `AuthError.superseded` if another user is
    ///   signed in by now.
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

/// The reason for which a server refuses the credential of a request.
public enum CredentialRefusal: Sendable, Hashable {
    /// The credential is no longer accepted: a refresh may help.
    case credential
    /// The user has to authenticate better or once more (RFC 9470).
    case authentication(StepUpRequirement)

    /// Creates the reason of a 401; nil if the response does not refuse its credential.
    ///
    /// A refusal of the proof of its key (RFC 9449) is not about the credential, and a successor would lack a missing
    /// scope (RFC 6750 §3.1) too. Without an explicit reason the credential counts as invalid: most servers give none.
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
