// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// What a server asks of the person before it answers: to authenticate better, or once more (RFC 9470 §3).
///
/// The credential itself is good, so a renewal would not help: an authorization request with these parameters does.
public struct StepUpRequirement: Sendable, Hashable, Codable {
    /// The authentication context classes of which one will do, the preferred one first (`acr_values`).
    public var contextClasses: [String]
    /// How long ago the person may have authenticated at most (`max_age`); nil where that does not matter.
    public var maximumAge: Duration?
    /// The scopes that the new tokens have to have; nil where the server does not say.
    public var scopes: Scopes?

    /// A requirement from its parts.
    public init(contextClasses: [String] = [], maximumAge: Duration? = nil, scopes: Scopes? = nil) {
        self.contextClasses = contextClasses
        self.maximumAge = maximumAge
        self.scopes = scopes
    }

    /// What a challenge asks for; nil where it asks for no step-up.
    public init?(_ challenge: Challenge) {
        guard challenge["error"] == "insufficient_user_authentication" else { return nil }
        contextClasses = (challenge["acr_values"] ?? "").split(separator: " ").map(String.init)
        maximumAge = challenge["max_age"].flatMap(Self.seconds)
        scopes = challenge["scope"].map(Scopes.init(parsing:))
    }

    /// RFC 9470 §3: a whole number of seconds that is not negative; what is none asks for nothing.
    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text).map { .seconds($0) }
    }
}

extension HTTPResponse {
    /// What a refusal says about the credential of its request.
    enum CredentialRefusal {
        /// It is no longer accepted: a renewal may help.
        case credential
        /// The person has to authenticate better or once more (RFC 9470).
        case authentication(StepUpRequirement)
        /// The credential does not allow that (RFC 6750 §3.1), and a successor would not either.
        case scope
        /// The proof of its key is not accepted (RFC 9449), which says nothing of the credential.
        case proof
    }

    /// Why the request was refused; nil where the answer is no refusal of a credential.
    ///
    /// Only what a challenge says in so many words is not taken for an invalid credential: most servers just say 401.
    var credentialRefusal: CredentialRefusal? {
        guard status == .unauthorized else { return nil }
        if proofRefusal != nil { return .proof }
        let challenges = challenges()
        if let requirement = challenges.lazy.compactMap(StepUpRequirement.init).first {
            return .authentication(requirement)
        }
        return challenges.contains { $0["error"] == "insufficient_scope" } ? .scope : .credential
    }
}
